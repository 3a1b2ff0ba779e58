// The floor: what is left when there is no library at all.

import BenchKit

/// A class with one stored property, and nothing that watches it.
final class PlainTarget {
    var value = 0
}

/// The least that can deliver: a list of closures, walked by `didSet`. No lifetime, no threads, no old value.
final class LoopTarget {
    var value = 0 {
        didSet { for entry in handlers { entry.handler(value) } }
    }
    var handlers: [(id: Int, handler: (Int) -> Void)] = []
    var lastID = 0

    func add(_ handler: @escaping (Int) -> Void) -> Int {
        lastID += 1
        handlers.append((lastID, handler))
        return lastID
    }

    func remove(_ id: Int) {
        if let index = handlers.firstIndex(where: { $0.id == id }) { handlers.remove(at: index) }
    }
}

final class Tally {
    var calls = 0
}

enum PlainStore: Peer {
    static let system = "plain Swift"
    static let workloads: [Workload] = [.setUnobserved]
    static func makeTarget() -> PlainTarget { PlainTarget() }
    static func makeObserver() -> Tally { Tally() }
    static func calls(_ observer: Tally) -> Int { observer.calls }
    @inline(never) static func set(_ target: PlainTarget, _ value: Int) { target.value = value }
    static func add(_: Tally, to _: PlainTarget) { fatalError("a plain store has no observers") }
    static func remove(_: inout Void) { fatalError("a plain store has no observers") }
    static func makeLife(on _: [PlainTarget]) -> Tally { fatalError("a plain store has no observers") }
}

enum ClosureLoop: Peer {
    static let system = "plain Swift"
    static let workloads: [Workload] = [
        .setObserved, .thousandHandlers, .addRemove, .addRemoveBesides, .bytesOneTarget, .bytesEachTarget, .threads,
        .objects,
        .fanOut, .fanIn,
    ]
    static let livesWithoutToken = true
    static func makeTarget() -> LoopTarget { LoopTarget() }
    static func makeObserver() -> Tally { Tally() }
    static func calls(_ observer: Tally) -> Int { observer.calls }
    @inline(never) static func set(_ target: LoopTarget, _ value: Int) { target.value = value }
    static func add(_ observer: Tally, to target: LoopTarget) -> (LoopTarget, Int) {
        (target, target.add { _ in observer.calls &+= 1 })
    }
    static func remove(_ token: inout (LoopTarget, Int)) { token.0.remove(token.1) }
    static func makeLife(on _: [LoopTarget]) -> Tally { fatalError("closures have no lifetime to end") }
}

/// Appending to an array of a million elements in place, room reserved.
final class PlainList {
    var items: [Int] = []
}

@inline(never) func append(_ item: Int, to list: PlainList) { list.items.append(item) }

let appending = Cell(system: PlainStore.system, workload: "append", n: 1_000_000) { samples in
    let list = PlainList()
    let batch = 100_000
    list.items.reserveCapacity(1_000_000 + batch)
    for item in 0..<1_000_000 { list.items.append(item) }
    let result = sampledPieces(samples) {
        let took = timed { for item in 0..<batch { append(item, to: list) } }
        check("append count", list.items.count, equals: 1_000_000 + batch)
        list.items.removeLast(batch)
        return (batch, took)
    }
    return [Line("append", "ns/append", result)]
}

@inline(never) func sum(of targets: [PlainTarget]) -> Int { targets.reduce(0) { $0 &+ $1.value } }

let reads = [1000, 100_000].map { reading(PlainStore.system, "read", n: $0, { PlainTarget() }, sum) }
let readWhileRecording = reading(PlainStore.system, "read-recording", { PlainTarget() }, sum)

final class PlainTargetOfFour {
    var first = 0
    var second = 0
    var third = 0
    var fourth = 0
}

func sizeCell(_ workload: String, _ type: AnyClass) -> Cell {
    Cell(system: PlainStore.system, workload: workload) { samples in
        let size = Double(instanceSize(of: type))
        return [Line(workload, "bytes", [Double](repeating: size, count: samples))]
    }
}

let size = sizeCell("object-size", PlainTarget.self)
let sizeOfFour = sizeCell("object-size-4", PlainTargetOfFour.self)

benchMain(
    cells(of: PlainStore.self) + cells(of: ClosureLoop.self) + [appending, readWhileRecording, size, sizeOfFour]
        + reads + secondSet() + graphs())
