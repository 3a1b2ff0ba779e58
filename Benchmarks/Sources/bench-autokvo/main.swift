// AutoKVO in three wordings: an observer and a path by name with the old and the new value, which is what Foundation's
// key-value observing gives; a closure alone; and a key path of Swift's.

import AutoKVO
import BenchKit

enum ByObserver: Peer {
    static let system = "AutoKVO"
    static let workloads = Workload.allCases
    static let livesWithoutToken = true
    static func makeTarget() -> Model { Model() }
    static func makeObserver() -> Panel { Panel() }
    static func calls(_ observer: Panel) -> Int { observer.calls }
    @inline(never) static func set(_ target: Model, _ value: Int) { target.value = value }
    static func add(_ observer: Panel, to target: Model) -> KeyValueObservation {
        try! target.addObserver(observer, forKeyPath: "value", options: [.old, .new]) { panel, _ in panel.calls &+= 1 }
    }
    static func remove(_ token: inout KeyValueObservation) { token.remove() }
    static func makeLife(on targets: [Model]) -> Panel {
        let life = Panel()
        for target in targets { _ = add(life, to: target) }
        return life
    }
}

enum ByClosure: Peer {
    static let system = "AutoKVO, closure only"
    static let workloads: [Workload] = [
        .setObserved, .thousandHandlers, .addRemove, .addRemoveBesides, .removeMiddle, .bytesOneTarget,
        .bytesEachTarget,
        .threads,
    ]
    static let livesWithoutToken = true
    static func makeTarget() -> Model { Model() }
    static func makeObserver() -> Tally { Tally() }
    static func calls(_ observer: Tally) -> Int { observer.calls }
    @inline(never) static func set(_ target: Model, _ value: Int) { target.value = value }
    static func add(_ observer: Tally, to target: Model) -> KeyValueObservation {
        try! target.observe("value") { _ in observer.calls &+= 1 }
    }
    static func remove(_ token: inout KeyValueObservation) { token.remove() }
    static func makeLife(on _: [Model]) -> Tally { fatalError("a closure has no life of its own") }
}

enum Typed: Peer {
    static let system = "AutoKVO, typed"
    static let workloads: [Workload] = [.setObserved, .thousandHandlers, .addRemove, .addRemoveBesides]
    static let livesWithoutToken = true
    static func makeTarget() -> Model { Model() }
    static func makeObserver() -> Tally { Tally() }
    static func calls(_ observer: Tally) -> Int { observer.calls }
    @inline(never) static func set(_ target: Model, _ value: Int) { target.value = value }
    static func add(_ observer: Tally, to target: Model) -> KeyValueObservation {
        target.observe(\.value, options: [.old, .new]) { _, _ in observer.calls &+= 1 }
    }
    static func remove(_ token: inout KeyValueObservation) { token.remove() }
    static func makeLife(on _: [Model]) -> Tally { fatalError("a closure has no life of its own") }
}

let leaf = Cell(system: ByObserver.system, workload: "path-leaf") { samples in
    let branch = Branch()
    let child = Model()
    let panel = Panel()
    branch.child = child
    try! branch.addObserver(panel, forKeyPath: "child.value", options: [.old, .new]) { panel, _ in panel.calls &+= 1 }
    var value = 0
    let result = sampled(samples) { count in
        for _ in 0..<count {
            value &+= 1
            ByObserver.set(child, value)
        }
    }
    check("path-leaf calls", panel.calls, equals: value)
    return [Line("path-leaf", "ns/set", result)]
}

let head = Cell(system: ByObserver.system, workload: "path-head") { samples in
    let branch = Branch()
    let children = (Model(), Model())
    let panel = Panel()
    branch.child = children.0
    try! branch.addObserver(panel, forKeyPath: "child.value", options: [.old, .new]) { panel, _ in panel.calls &+= 1 }
    var swaps = 0
    let result = sampled(samples) { count in
        for _ in 0..<count {
            swaps &+= 1
            setChild(branch, swaps % 2 == 0 ? children.0 : children.1)
        }
    }
    check("path-head calls", panel.calls, equals: swaps)
    branch.child = children.0
    ByObserver.set(children.1, 1)
    check("path-head calls of the child let go", panel.calls, equals: swaps + 1)
    ByObserver.set(children.0, 1)
    check("path-head calls of the child held", panel.calls, equals: swaps + 2)
    return [Line("path-head", "ns/swap", result)]
}

func dependentKey(_ workload: String, _ options: ObservingOptions) -> Cell {
    Cell(system: ByObserver.system, workload: workload) { samples in
        let branch = Branch()
        let panel = Panel()
        try! branch.addObserver(panel, forKeyPath: "doubled", options: options) { panel, _ in panel.calls &+= 1 }
        var value = 0
        let result = sampled(samples) { count in
            for _ in 0..<count {
                value &+= 1
                setBase(branch, value)
            }
        }
        check("\(workload) calls", panel.calls, equals: value)
        return [Line(workload, "ns/set", result)]
    }
}

let dependent = dependentKey("dependent", [.new])
let dependentWithOld = dependentKey("dependent-old", [.old, .new])

let appending = Cell(system: ByObserver.system, workload: "append", n: 1_000_000) { samples in
    let branch = Branch()
    let tally = Tally()
    let batch = 100_000
    branch.items.reserveCapacity(1_000_000 + batch)
    for item in 0..<1_000_000 { branch.items.append(item) }
    try! branch.observe("items") { _ in tally.calls &+= 1 }
    var expected = 0
    let result = sampledPieces(samples) {
        let took = timed { for item in 0..<batch { append(item, to: branch) } }
        check("append count", branch.items.count, equals: 1_000_000 + batch)
        branch.items.removeLast(batch)
        expected += batch + 1
        return (batch, took)
    }
    check("append calls", tally.calls, equals: expected)
    return [Line("append", "ns/append", result)]
}

func sizeCell(_ workload: String, _ type: AnyClass) -> Cell {
    Cell(system: ByObserver.system, workload: workload) { samples in
        let size = Double(instanceSize(of: type))
        return [Line(workload, "bytes", [Double](repeating: size, count: samples))]
    }
}

let reads = [1000, 100_000].map { reading(ByObserver.system, "read", n: $0, { Model() }, sum) }
/// Another thread is computing a derived value, so each read has to find out that this one is not.
let readWhileRecording = reading(
    ByObserver.system, "read-recording",
    while: { wait in
        let (model, panel) = (Model(), Panel())
        panel.observe(reading: { _ in
            wait()
            return model.value
        }) { _, _ in }
    }, { Model() }, sum)

let size = sizeCell("object-size", Model.self)
let sizeOfFour = sizeCell("object-size-4", ModelOfFour.self)

benchMain(
    cells(of: ByObserver.self) + cells(of: ByClosure.self) + cells(of: Typed.self)
        + [leaf, head, dependent, dependentWithOld, appending, readWhileRecording, size, sizeOfFour] + reads
        + secondSet() + deliveredElsewhere() + firstUse()
        + graphCells(of: DerivedGraphs.self) + graphCells(of: KeyGraphs.self) + graphCells(of: ReadingGraphs.self))
