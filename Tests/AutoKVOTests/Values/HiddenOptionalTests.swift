import AutoKVO
import AutoKVOTestSupport
import Foundation
import Testing

private final class Sample: Model {
    @Observed var hashable: any Hashable = 5
    @Observed var checked: any Hashable = 5
    @Observed var list: [any Hashable] = []
    @Observed var things: [Any] = []
    @Observed var some: [Any?] = []
    @Observed var wrapped: [AnyHashable] = []
    @Observed var any: Any = 0
    @Observed var extra: Any? = 1
    @Observed var number: Int?
    @Observed var text: String?
    @Observed var next: Sample?

    override class var schema: Schema {
        Schema(Sample.self, extending: super.schema) {
            Key("hashable", \.hashable)
            Key("checked", \.checked) { _, _ in }
            Key("list", \.list)
            Key("things", \.things)
            Key("some", \.some)
            Key("wrapped", \.wrapped)
            Key("any", \.any)
            Key("text", \.text)
            Key("next", \.next)
        }
    }
}

/// A value whose type is a protocol's may be an optional, and that may be empty: it is a value all the same.
struct HiddenOptionalTests {
    private let sample = Sample()
    private let other = Sample()
    private let nothing: any Hashable = Int?.none

    @Test("an empty optional in a protocol's type is told as a value", arguments: [false, true])
    func told(isCoalesced: Bool) throws {
        var (values, news, olds): ([String], [String], [String]) = ([], [], [])
        sample.$hashable.onValue { values.append("\($0)") }
        sample.$hashable.observe(options: [.old, .new, .prior]) { change in
            if change.isPrior { return olds.append(change.oldValue.map { "\($0)" } ?? "none") }
            news.append(change.newValue.map { "\($0)" } ?? "none")
        }
        other.next = sample
        let path = Recorder<any Hashable>()
        other.$next.$hashable.observe(options: [.old, .new], path.handler())
        func changes() { (sample.hashable, sample.hashable) = (6, nothing) }
        if isCoalesced { coalescingChanges(changes) } else { changes() }
        expectEqual(values, isCoalesced ? ["5", "nil"] : ["5", "6", "nil"])
        expectEqual(news, isCoalesced ? ["nil"] : ["6", "nil"])
        sample.hashable = 7
        expectEqual(olds.last, "nil")
        expectEqual(path.entries.suffix(2).map { "\($0.old!)" }, [isCoalesced ? "5" : "6", "nil"])
        expectEqual("\(other.$next.$hashable.value!)", "7")
        #expect(path.entries.allSatisfy { $0.new != nil })
    }

    @Test("`as:` of a protocol's type gets no value of an optional that is nil") func codable() throws {
        var values: [Bool] = []
        try sample.observe("number", as: (any Codable).self, options: [.initial, .new]) {
            values.append($0.newValue != nil)
        }
        sample.number = 1
        sample.number = nil
        expectEqual(values, [false, true, false])
    }

    @Test("bindings take it over", arguments: 0..<4) func bindings(form: Int) throws {
        other.hashable = nothing
        switch form {
        case 0: sample.$hashable.bindBothWays(to: other.$hashable)
        case 1: sample.$hashable.bind(to: other.$hashable)
        case 2: try sample.bind("hashable", to: "hashable", of: other)
        default:
            sample.next = Sample()
            try sample.bind("next.hashable", to: "hashable", of: other)
        }
        let bound = form == 3 ? sample.next! : sample
        expectEqual("\(bound.hashable)", "nil")
        other.hashable = 3
        expectEqual("\(bound.hashable)", "3")
        other.hashable = nothing
        expectEqual("\(bound.hashable)", "nil")
    }

    @Test("elements are told, and their edit is undone") func elements() throws {
        var (count, record): (Int, ChangeRecord<Any>?) = (0, nil)
        sample.$list.observeElements(added: { _ in count += 1 }, removed: { _ in count -= 1 })
        try sample.observe("list", options: [.old, .new]) { if $0.kind == .removal { record = ChangeRecord($0) } }
        sample.$list.append(nothing)
        expectEqual(count, 1)
        sample.$list.remove(at: 0)
        expectEqual(count, 0)
        try record!.revert(on: sample)
        expectEqual("\(sample.list)", "[nil]")
    }

    @Test("an object's own values are right as they are") func validation() {
        sample.checked = nothing
        expectEqual(sample.validationErrors, [:])
    }

    @Test("elements set by name are no optionals, unless the array's are") func proxies() throws {
        for key in ["things", "some", "wrapped"] {
            let proxy = try sample.mutableArrayValue(forKey: key)
            try proxy.append(3)
            try proxy.insert(4, at: 0)
            try proxy.replace(at: 1, with: 5)
            if key != "wrapped" { try proxy.append(nil) }
        }
        expectEqual("\(sample.things)", "[4, 5, nil]")
        expectEqual("\(sample.some)", "[Optional(4), Optional(5), nil]")
        expectEqual("\(sample.wrapped.map(\.base))", "[4, 5]")
    }

    @Test("what a transform makes is set as itself, at the end of a path too") func transformed() throws {
        sample.next = Sample()
        other.number = 1
        try sample.bind("next.any", to: "number", of: other, transform: .description)
        try sample.bind("any", to: "number", of: other, transform: .description)
        expectEqual(["\(sample.next!.any)", "\(sample.any)"], ["1", "1"])
    }

    @Test("a path that leads nowhere is told from one to an `Any` that is nil", .needs(.blankObject)) func missing() {
        var (values, calls): ([String], Int) = ([], 0)
        sample.$next.$extra.onValue { value in
            calls += 1
            values.append(value == nil ? "nowhere" : "\(value!.map { "\($0)" } ?? "nil")")
        }
        sample.next = other
        other.extra = nil
        sample.next = nil
        expectEqual(values, ["nowhere", "1", "nil", "nowhere"])
        expectEqual(calls, 4)
    }

    @Test("undone and redone often, an `Any` is as deep as before") func depth() throws {
        let history = UndoHistory(of: sample)
        sample.any = 1
        for _ in 0..<20 {
            history.undo()
            history.redo()
        }
        func depth<Content>(_ value: Content) -> Int {
            Content.self == Any.self ? 1 + _openExistential(value as Any, do: depth) : 0
        }
        #expect(depth(sample.any) <= 2)
        expectEqual(sample.any as? Int, 1)
    }

    private final class Node: Model, Equatable {
        static func == (a: Node, b: Node) -> Bool { a === b }
        @Observed var child: Node?
        @ObservedWeak var weakChild: Node?
        @Derived({ (node: Node) -> any CustomDebugStringConvertible in node.child }) var shown:
            any CustomDebugStringConvertible
        @Derived({ (node: Node) -> (any CustomDebugStringConvertible)? in node.child as any CustomDebugStringConvertible
        }) var perhaps: (any CustomDebugStringConvertible)?
        @Derived({ (node: Node) -> any Hashable in node.weakChild.map { Name(node: $0) } }) var name: any Hashable
        @Derived({ (node: Node) -> any Equatable in node.weakChild }) var equatable: any Equatable
    }

    private struct Name: Hashable {
        weak let node: Node?
        init(node: Node) { self.node = node }
        static func == (a: Name, b: Name) -> Bool { a.node === b.node }
        func hash(into hasher: inout Hasher) { hasher.combine(node.map(ObjectIdentifier.init)) }
    }

    @Test("a derived one that holds an object is read as it is") func derived() {
        let node = Node()
        var told: [Bool] = []
        node.$shown.observe(options: .new) { told.append("\($0.newValue!)" == "nil") }
        node.child = Node()
        #expect("\(node.shown)".hasPrefix("Optional("))
        node.child = nil
        expectEqual(told, [false, true])
        node.$perhaps.observe { _ in }
        #expect(node.perhaps != nil && "\(node.perhaps!)" == "nil")
        node.child = Node()
        #expect("\(node.perhaps!)".hasPrefix("Optional("))
    }

    @Test("the object is not kept alive by it, as long as it can stand for itself") func derivedLifetime() {
        let node = Node()
        var child: Node? = Node()
        node.weakChild = child
        var calls = 0
        node.$equatable.observe { _ in calls += 1 }
        node.$name.observe { _ in calls += 1 }
        child = nil
        #expect(node.weakChild == nil && calls == 2)
        _ = child
    }

    @Test("a record's value of another type is neither nil nor gone: nothing is set")
    func otherType() throws {
        var (records, rows) = ([ChangeRecord<Int>](), ["x"])
        try sample.observe("any", as: Int.self, options: [.old, .new]) { records.append(ChangeRecord($0)) }
        let reports = messages { sample.any = "two" }
        #expect(!reports.isEmpty)
        other.any = 4
        #expect(throws: KeyValueError.self) { try records[0].apply(on: other) }
        #expect(other.any as? Int == 4)
        try records[0].revert(on: sample)
        #expect(sample.any as? Int == 0)
        var lists: [ChangeRecord<[String]>] = []
        try other.observe("any", as: [String].self, options: .new) { lists.append(ChangeRecord($0)) }
        _ = messages { other.any = 7 }
        #expect(throws: KeyValueError.self) { try lists[0].apply(validating: &rows) }
        expectEqual(rows, ["x"])
        expectEqual(lists[0].splices, [])
    }

    @Test("a record whose old value was nil is undone", arguments: [false, true]) func wasNil(isCoded: Bool) throws {
        var records: [ChangeRecord<String>] = []
        try sample.observe("text", as: String.self, options: [.old, .new]) { records.append(ChangeRecord($0)) }
        sample.text = "x"
        sample.text = nil
        if isCoded {
            let data = try JSONEncoder().encode(records)
            records = try JSONDecoder().decode([ChangeRecord<String>].self, from: data)
        }
        try records[1].revert(on: sample)
        expectEqual(sample.text, "x")
        try records[0].revert(on: sample)
        expectEqual(sample.text, nil)
        try records[0].apply(on: sample)
        try records[1].apply(on: sample)
        expectEqual(sample.text, nil)
    }
}
