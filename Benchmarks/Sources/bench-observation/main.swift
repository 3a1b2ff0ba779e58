// The standard library's Observation. It tells of one change and forgets, so that each handler re-arms itself: that is what
// standing observation costs with it. There is nothing to remove, hence no W4 and no W6.

import BenchKit
import Observation

@Observable
final class Model {
    var value = 0
}

/// The handler is called from the setter, on the thread that sets; the harness has one thread for each model.
final class Watcher: @unchecked Sendable {
    var calls = 0
}

struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
}

func watch(_ model: Model, _ watcher: Watcher) {
    let model = Unchecked(value: model)
    withObservationTracking {
        _ = model.value.value
    } onChange: {
        watcher.calls &+= 1
        watch(model.value, watcher)
    }
}

func watchWeakly(_ model: Model, _ watcher: Watcher) {
    let model = Unchecked(value: model)
    withObservationTracking {
        _ = model.value.value
    } onChange: { [weak watcher] in
        guard let watcher else { return }
        watcher.calls &+= 1
        watchWeakly(model.value, watcher)
    }
}

enum Tracking: Peer {
    static let system = "Observation"
    static let workloads: [Workload] = [
        .setUnobserved, .setObserved, .thousandHandlers, .observerLife, .bytesOneTarget, .bytesEachTarget, .threads,
        .objects,
        .fanOut, .fanIn,
    ]
    static func largest(_: Workload) -> Int { 100_000 }
    static let livesWithoutToken = true
    static func makeTarget() -> Model { Model() }
    static func makeObserver() -> Watcher { Watcher() }
    static func calls(_ observer: Watcher) -> Int { observer.calls }
    @inline(never) static func set(_ target: Model, _ value: Int) { target.value = value }
    static func add(_ observer: Watcher, to target: Model) { watch(target, observer) }
    static func remove(_: inout Void) {}
    static func makeLife(on targets: [Model]) -> Watcher {
        let life = Watcher()
        for target in targets { watchWeakly(target, life) }
        return life
    }
    /// Only a change frees what a dead observer has left behind, so that the change is part of its life's cost.
    static func afterLife(on targets: [Model]) {
        for target in targets { target.value = 0 }
    }
}

benchMain(cells(of: Tracking.self) + [streamCell()] + graphCells(of: ObservationGraphs.self))
