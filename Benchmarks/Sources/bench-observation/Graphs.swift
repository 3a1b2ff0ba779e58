// The third set. Observation tells before a change, so what is to be computed again waits in a queue, which is worked off behind the
// change. A derived value is a stored one that a function follows.

import BenchKit
import CBenchSupport
import Observation

/// What waits. Used by one thread.
nonisolated(unsafe) private var waiting: [Job] = []
nonisolated(unsafe) private var keptSinks: [Job] = []

/// What is done when something that it has read is about to change. Used by one thread.
class Job: @unchecked Sendable {
    func run() {}

    final func track(_ body: () -> Void) {
        withObservationTracking(body) { [weak self] in if let self { waiting.append(self) } }
    }
}

@Observable final class FollowedValue {
    var value = 0
}

final class Follower: Job, @unchecked Sendable {
    let stored = FollowedValue()
    private let function: () -> Int

    init(_ function: @escaping () -> Int) {
        self.function = function
        super.init()
        run()
    }

    override func run() {
        var value = 0
        track {
            bench_computed()
            value = function()
        }
        if stored.value != value { stored.value = value }
    }
}

private final class SinkJob: Job, @unchecked Sendable {
    private let node: Follower
    private let told: (Int) -> Void
    private var last: Int

    init(_ node: Follower, _ told: @escaping (Int) -> Void) {
        (self.node, self.told, last) = (node, told, node.stored.value)
        super.init()
        track { _ = node.stored.value }
    }

    override func run() {
        var value = 0
        track { value = node.stored.value }
        if value == last { return }
        last = value
        bench_called()
        told(value)
    }
}

enum ObservationGraphs: Graphs {
    static let system = "Observation"
    static func source(_ value: Int) -> FollowedValue {
        let source = FollowedValue()
        source.value = value
        return source
    }
    static func read(_ source: FollowedValue) -> Int { source.value }
    static func set(_ source: FollowedValue, _ value: Int) { source.value = value }
    static func node(_ function: @escaping () -> Int) -> Follower { Follower(function) }
    static func read(_ node: Follower) -> Int { node.stored.value }
    static func sink(_ node: Follower, _ told: @escaping (Int) -> Void) { keptSinks.append(SinkJob(node, told)) }
    static func change(_ body: () -> Void) {
        body()
        var index = 0
        while index < waiting.count {
            let job = waiting[index]
            index += 1
            job.run()
        }
        waiting.removeAll(keepingCapacity: true)
    }
    static func changeTogether(_ body: () -> Void) { change(body) }
    static func forget() { keptSinks = [] }
    /// 100,000 reads take a minute.
    static func has(_ graph: Graph, _ n: Int) -> Bool { n <= 10_000 || graph == .pairs }
}
