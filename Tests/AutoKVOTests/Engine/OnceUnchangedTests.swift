import AutoKVO
import AutoKVOTestSupport
import Testing

/// With `.once` and `.prior`: a change that turns out to be none for the observer leaves the next one, also one that is made inside of it.
struct OnceUnchangedTests {
    private final class Cell: TrackedObject {
        @Observed var v = 0
        @Observed var divisor = 10
        @Observed var next: Cell?
        @Observed var cells: [Cell] = []
        @ObservedWeak var source: Cell?
        @Derived({ (cell: Cell) in cell.v / 10 }) var tenth: Int
        @Derived({ (cell: Cell) in cell.v * 2 }) var double: Int
        @Derived({ (cell: Cell) in cell.v.signum() }) var sign: Int
        @Derived({ (cell: Cell) in (cell.source?.v ?? 0) / cell.divisor }) var share: Int
        var kept: Int { tenth }

        override class var schema: Schema {
            Schema(Cell.self, extending: super.schema) { Key("kept", \.kept, affectedBy: "tenth") }
        }
    }

    private static let paths = ["v", "tenth", "kept", "next.v", "next.tenth", "cells.@sum.v", "cells.@max.tenth"]

    @Test(
        "a handler's change that follows one that is equal", arguments: paths,
        [[.once, .prior, .distinct], [.once, .distinct]] as [ObservingOptions])
    func nested(path: String, options: ObservingOptions) throws {
        for isFirst in [true, false] {
            let (root, cell) = (Cell(), Cell())
            (root.next, root.cells) = (cell, [cell])
            let (target, changed) = path.contains(".") ? (root, cell) : (cell, cell)
            var calls: [String] = []
            func observe() throws {
                try target.observe(path, as: Int?.self, options: options.union([.old, .new])) {
                    calls.append($0.isPrior ? "prior" : "\($0.oldValue!!) > \($0.newValue!!)")
                }
            }
            if isFirst { try observe() }
            var count = 0
            changed.$v.observe { [unowned changed] _ in
                count += 1
                if count == 1 { changed.v = 50 }
            }
            if !isFirst { try observe() }
            changed.v = 0
            let new = path.hasSuffix("v") ? 50 : 5
            expectEqual(calls.last, "0 > \(new)", "\(path), \(isFirst)")
            expectEqual(calls.filter { $0 != "prior" }.count, 1)
            changed.v = 90
            expectEqual(calls.last, "0 > \(new)")
        }
    }

    @Test("another path of the observation that has changed", arguments: [["tenth", "double"], ["double", "tenth"]])
    func otherPath(paths: [String]) throws {
        let cell = Cell()
        var calls: [String] = []
        let observation = try cell.observe(paths, options: [.once, .prior]) {
            calls.append("\($0.isPrior ? "prior" : "after") \($0.keyPath)")
        }
        cell.v = 3
        expectEqual(calls.last, "after double")
        expectEqual(calls.count, 2)
        #expect(!observation.isValid)
    }

    @Test("another target of the observation that has changed") func otherTarget() throws {
        let (source, one, other) = (Cell(), Cell(), Cell())
        (one.source, other.source, other.divisor) = (source, source, 1)
        var calls: [String] = []
        let observation = try [one, other].observe("share", options: [.once, .prior, .old, .new]) {
            calls.append($0.isPrior ? "prior" : "\($0.oldValue!) > \($0.newValue!)")
        }
        source.v = 3
        expectEqual(calls, ["prior", "0 > 3"])
        #expect(!observation.isValid)
    }

    @Test("a path is removed from one that has fired, and does not come back with rearm()") func removedPath() throws {
        let cell = Cell()
        var calls: [String] = []
        let observation = try cell.observe(["v", "divisor", "next.v"], options: .once) { calls.append($0.keyPath) }
        cell.v = 1
        #expect(observation.remove(keyPath: "v") && !observation.remove(keyPath: "v"))
        expectEqual(observation.keyPaths, ["divisor", "next.v"])
        try observation.rearm()
        cell.v = 2
        cell.divisor = 3
        expectEqual(calls, ["v", "divisor"])
        #expect(observation.remove(keyPath: ["divisor", "next.v"]))
        #expect(throws: KeyValueError.self) { try observation.rearm() }
    }

    @Test("a change of another path or target inside of one that turns out to be none", arguments: 0..<4)
    func inside(form: Int) throws {
        let (cell, other) = (Cell(), Cell())
        var calls: [String] = []
        let observation =
            form < 3
            ? try cell.observe(["tenth", "divisor"], options: [.once, .prior]) {
                calls.append("\($0.isPrior ? "prior" : "after") \($0.keyPath)")
            }
            : try [cell, other].observe("tenth", options: [.once, .prior]) {
                calls.append("\($0.isPrior ? "prior" : "after") \($0.target === cell ? 1 : 2)")
            }
        func body() { if form < 3 { cell.divisor = 1 } else { other.v = 30 } }
        switch form {
        case 1:
            cell.willChangeValue(forKey: "v")
            body()
            cell.didChangeValue(forKey: "v")
        default:
            cell.$v.withMutation {
                body()
                if form == 2 { cell.v = 50 }
            }
        }
        expectEqual(calls, form < 3 ? ["prior tenth", "after divisor"] : ["prior 1", "after 2"])
        (cell.v, other.v, cell.divisor) = (90, 90, 9)
        expectEqual(calls.count, 2)
        #expect(!observation.isValid)
    }

    @Test("several of its paths turn out to be unchanged, and another one is changed inside", arguments: [false, true])
    func severalUnchanged(isAnnounced: Bool) throws {
        let cell = Cell()
        var calls: [String] = []
        let observation = try cell.observe(["tenth", "sign", "divisor"], options: [.once, .prior]) {
            calls.append("\($0.isPrior ? "prior" : "after") \($0.keyPath)")
        }
        if isAnnounced {
            cell.willChangeValue(forKey: "v")
            cell.divisor = 1
            cell.didChangeValue(forKey: "v")
        } else {
            cell.$v.withMutation { cell.divisor = 1 }
        }
        #expect(calls == ["prior tenth", "after divisor"] && !observation.isValid)
    }

    /// Removes a path of an observation when it is compared.
    private struct Remover: Equatable {
        var number = 0
        var removal: (() -> Void)?
        static func == (a: Remover, b: Remover) -> Bool {
            (a.removal ?? b.removal)?()
            return a.number == b.number
        }
    }

    private final class Holder: TrackedObject {
        @Observed var value = Remover()
        @Observed var next: Holder?
        @Observed var other = 0
    }

    @Test("a path that is removed while its change is compared leaves the call to the others")
    func removedWhileCompared() throws {
        let (root, end) = (Holder(), Holder())
        root.next = end
        var calls: [String] = []
        let observation = try root.observe(
            ["next.value", "other"], options: [.once, .prior, .distinct, .old, .new]
        ) { calls.append("\($0.isPrior ? "prior" : "after") \($0.keyPath)") }
        end.withMutation(of: "value") {
            end.value = Remover(number: 1) { [weak observation] in observation?.remove(keyPath: "next.value") }
        }
        end.value = Remover()
        expectEqual(calls, ["prior next.value"])
        root.other = 1
        #expect(calls == ["prior next.value", "prior other", "after other"] && !observation.isValid)
    }

    @Test(
        "a path whose value may turn out equal, with .distinct, lets another path of the observation fire; without it, it fires itself",
        arguments: [true, false])
    func distinct(isDistinct: Bool) throws {
        let person = Person()
        var calls: [String] = []
        let observation = try person.observe(
            ["age", "firstName"], options: isDistinct ? [.once, .prior, .distinct, .old, .new] : [.once, .prior]
        ) {
            calls.append("\($0.isPrior ? "prior" : "after") \($0.keyPath)")
        }
        person.withMutation(of: "age") { person.firstName = "New" }
        #expect(calls == ["prior age", isDistinct ? "after firstName" : "after age"] && !observation.isValid)
        try observation.rearm()
        person.firstName = "Other"
        expectEqual(calls.suffix(2), ["prior firstName", "after firstName"])
    }
}
