// What one operation takes, counted and not timed. The driver is `counts`; this is what it runs.
//
//     counts-autokvo list                  the operations: NAME PER MOST
//     counts-autokvo allocations           OPERATION BLOCKS, a line for each: blocks of memory for one operation
//     counts-autokvo bytes                 OPERATION BYTES, the same: of the heap, each block with what glibc adds
//     counts-autokvo run OPERATION COUNT…  does it that often in a copy of the process, and in another one twice as often, for an
//                                          instruction counter to watch; OPERATION PROCESS PROCESS, a line for each
//
// Handlers capture nothing, so that a block counted is the library's own.

import AutoKVO
import CCountingMalloc
import FirstUse
import Glibc

/// Something to count: what it needs is made first, outside the count.
struct Operation {
    var name: String
    /// What one turn counts for: a set with a thousand handlers counts for a thousand.
    var per = 1
    /// How many turns there are in a process, at most.
    var most = 64 * 1024
    /// Makes what is needed for that many turns and returns the turns.
    var prepare: (_ count: Int) -> () -> Void
}

nonisolated(unsafe) var kept: [AnyObject] = []

@inline(never) func set(_ model: Model, _ value: Int) { model.value = value }
@inline(never) func sumByHandles(of models: [Model]) -> Int { models.reduce(0) { $0 &+ $1.$value.value } }
@inline(never) func incrementByHandle(_ model: Model) { model.$value.value &+= 1 }
@inline(never) func sumByIndexes(of branch: Branch) -> Int {
    branch.$items.indices.reduce(0) { $0 &+ branch.$items[$1] }
}
@inline(never) func setElement(_ branch: Branch, _ index: Int) { branch.$items[index] = index }

func observe(_ model: Model, by panel: Panel) -> KeyValueObservation {
    try! model.addObserver(panel, forKeyPath: "value", options: [.old, .new]) { panel, _ in panel.calls &+= 1 }
}

func settingModel(_ make: @escaping (Model) -> Void) -> (Int) -> () -> Void {
    { count in
        let model = Model()
        make(model)
        return { for value in 0..<count { set(model, value) } }
    }
}

let firstSet = [
    Operation(name: "set-unobserved", prepare: settingModel { _ in }),
    Operation(name: "read-objects", per: 1000) { count in
        let models = (0..<1000).map { _ in Model() }
        return { for _ in 0..<count { precondition(sum(of: models) == 0) } }
    },
    Operation(name: "read-handles", per: 1000) { count in
        let models = (0..<1000).map { _ in Model() }
        return { for _ in 0..<count { precondition(sumByHandles(of: models) == 0) } }
    },
    Operation(name: "read-handle-element", per: 1000) { count in
        let branch = Branch()
        branch.items = Array(repeating: 0, count: 1000)
        return { for _ in 0..<count { precondition(sumByIndexes(of: branch) == 0) } }
    },
    Operation(name: "change-handle") { count in
        let model = Model()
        return { for _ in 0..<count { incrementByHandle(model) } }
    },
    Operation(name: "set-handle-element") { count in
        let branch = Branch()
        branch.items = Array(repeating: 0, count: 64)
        return { for index in 0..<count { setElement(branch, index & 63) } }
    },
    Operation(name: "update-unobserved-list", per: 1000, most: 400) { count in
        let branch = Branch()
        branch.observe(\.value) { _, _ in }
        let (rows, turned) = (Array(0..<1000), Array((0..<1000).reversed()))
        return { for turn in 0..<count { branch.$items.update(to: turn % 2 == 0 ? turned : rows) } }
    },
    Operation(name: "read-weak") { count in
        let (follower, model) = (Follower(), Model())
        follower.model = model
        kept += [follower, model]
        return { for _ in 0..<count { precondition(isAlive(follower)) } }
    },
    Operation(name: "read-observable") { count in
        let model = Model()
        kept.append(model)
        return { for _ in 0..<count { precondition(readObservable(model) == 0) } }
    },
    Operation(
        name: "set-observer",
        prepare: settingModel {
            let panel = Panel()
            kept.append(panel)
            _ = observe($0, by: panel)
        }),
    Operation(
        name: "set-closure",
        prepare: settingModel { try! $0.observe("value") { _ in } }),
    Operation(
        name: "set-typed",
        prepare: settingModel { $0.observe(\.value, options: [.old, .new]) { _, _ in } }),
    Operation(
        name: "set-thousand-observers", per: 1000,
        prepare: settingModel { model in
            for _ in 0..<1000 {
                let panel = Panel()
                kept.append(panel)
                _ = observe(model, by: panel)
            }
        }),
    Operation(
        name: "set-thousand-closures", per: 1000,
        prepare: settingModel { model in
            for _ in 0..<1000 { try! model.observe("value") { _ in } }
        }),
    Operation(name: "add") { count in
        let model = Model()
        let panel = Panel()
        _ = observe(model, by: panel)
        kept += [model, panel]
        return { for _ in 0..<count { _ = observe(model, by: panel) } }
    },
    Operation(name: "add-first") { count in
        let models = (0..<count).map { _ in Model() }
        let panels = (0..<count).map { _ in Panel() }
        kept += models as [AnyObject] + panels as [AnyObject]
        return { for index in 0..<count { _ = observe(models[index], by: panels[index]) } }
    },
    Operation(name: "add-remove") { count in
        let model = Model()
        let panel = Panel()
        return { for _ in 0..<count { observe(model, by: panel).remove() } }
    },
    Operation(name: "add-remove-closure") { count in
        let model = Model()
        return { for _ in 0..<count { try! model.observe("value") { _ in }.remove() } }
    },
    Operation(name: "add-remove-typed") { count in
        let model = Model()
        return { for _ in 0..<count { model.observe(\.value, options: [.old, .new]) { _, _ in }.remove() } }
    },
    Operation(name: "add-remove-handle") { count in
        let model = Model()
        return { for _ in 0..<count { model.$value.observe(options: [.old, .new]) { _ in }.remove() } }
    },
    Operation(name: "observer-life", per: 10) { count in
        let models = (0..<10).map { _ in Model() }
        return {
            for _ in 0..<count {
                let panel = Panel()
                for model in models { _ = observe(model, by: panel) }
            }
        }
    },
    Operation(name: "path-leaf") { count in
        let branch = Branch()
        let child = Model()
        let panel = Panel()
        branch.child = child
        kept += [branch, panel]
        try! branch.addObserver(panel, forKeyPath: "child.value", options: [.old, .new]) { _, _ in }
        return { for value in 0..<count { set(child, value) } }
    },
    Operation(name: "path-head") { count in
        let branch = Branch()
        let children = (Model(), Model())
        let panel = Panel()
        branch.child = children.0
        kept.append(panel)
        try! branch.addObserver(panel, forKeyPath: "child.value", options: [.old, .new]) { _, _ in }
        return { for turn in 0..<count { setChild(branch, turn % 2 == 0 ? children.1 : children.0) } }
    },
    Operation(name: "dependent") { count in
        let branch = Branch()
        let panel = Panel()
        kept.append(panel)
        try! branch.addObserver(panel, forKeyPath: "doubled", options: [.new]) { _, _ in }
        return { for value in 0..<count { setBase(branch, value) } }
    },
    Operation(name: "dependent-old") { count in
        let branch = Branch()
        let panel = Panel()
        kept.append(panel)
        try! branch.addObserver(panel, forKeyPath: "doubled", options: [.old, .new]) { _, _ in }
        return { for value in 0..<count { setBase(branch, value) } }
    },
    Operation(name: "append") { count in
        let branch = Branch()
        branch.items.reserveCapacity(1000 + count)
        for item in 0..<1000 { branch.items.append(item) }
        try! branch.observe("items") { _ in }
        return { for item in 0..<count { append(item, to: branch) } }
    },
]

let operations = firstSet + secondSet() + thirdSet()

func counted(_ isOfBytes: Bool) -> UInt64 { isOfBytes ? counted_bytes() : counted_allocations() }

func usage() -> Never {
    print("usage: counts-autokvo list | allocations | bytes | run OPERATION COUNT…")
    exit(2)
}

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "list":
    for operation in operations { print(operation.name, operation.per, operation.most) }
case "allocations", "bytes":
    let isOfBytes = arguments[1] == "bytes"
    for operation in operations {
        operation.prepare(min(64, operation.most / 4))()
        let count = min(64 * 1024 / operation.per, operation.most / 2)
        let turns = operation.prepare(count)
        let before = counted(isOfBytes)
        turns()
        let each = Double(counted(isOfBytes) - before) / Double(count * operation.per)
        print(operation.name, each)
    }
case "run":
    // A copy has what this process has at its start, so each begins alike, and only one process has to start under the counter.
    func runInCopy(_ operation: Operation, _ count: Int) -> Int32 {
        let copy = copy_of_process()
        if copy == 0 {
            operation.prepare(count)()
            // What was made is not torn down: that would be counted too.
            _exit(0)
        }
        var status: Int32 = 0
        guard waitpid(copy, &status, 0) == copy, status == 0 else {
            print("\(operation.name): a copy of the process ended with \(status)")
            exit(1)
        }
        return copy
    }
    for index in stride(from: 2, to: arguments.count - 1, by: 2) {
        guard let count = Int(arguments[index + 1]),
            let operation = operations.first(where: { $0.name == arguments[index] })
        else { usage() }
        print(operation.name, runInCopy(operation, count), runInCopy(operation, 2 * count))
    }
default:
    usage()
}
