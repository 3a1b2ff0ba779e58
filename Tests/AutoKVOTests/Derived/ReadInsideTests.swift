import AutoKVO
import AutoKVOTestSupport
import Testing

private class Sum: Model {
    @Observed var a = 1
    @Observed var b = 2
    @Observed var other = 0
    @Derived({ (sum: Sum) in sum.a + sum.b }) var total: Int

    override class var schema: Schema { Schema(Sum.self, extending: super.schema) { Key("total", \.total) } }
}

private final class Chained: Model {
    @Observed var n = 1
    @Observed var next: Chained?
    @Derived({ (object: Chained) in object.n + (object.next?.total ?? 0) }) var total: Int
}

/// Its property may be overridden, as far as the library knows.
private final class SpecialSum: Sum {
    override var other: Int {
        get { super.other }
        set { super.other = newValue }
    }
}

/// Overrides the derived property itself.
private final class DoubledSum: Sum {
    override var total: Int { super.total * 2 }
}

private class PlainSum: Model {
    @Observed var a = 1
    @Observed var b = 2
    @Derived({ (sum: PlainSum) in sum.a + sum.b }) var total: Int
}
private final class DoubledPlainSum: PlainSum {
    override var total: Int { super.total * 2 }
}

private final class Group: Model {
    @Observed var n = 0
    @Observed var weight = 0
    @Observed var members: [Group] = []
    @Derived({ (group: Group) in group.members.filter { $0.n > 0 } }) var positive: [Group]
    @Derived({ (group: Group) in group.members.first }) var head: Group?
}

/// A derived value that changes and changes back while its observers are not called. Who has read it meanwhile has to hear.
struct ReadInsideTests {
    private static func make(_ isSpecial: Bool) -> Sum { isSpecial ? SpecialSum() : Sum() }

    @Test(
        "a later change that leaves the value as it is calls nobody, though the value that was read had been replaced")
    func later() {
        let sum = Sum()
        var calls = 0
        sum.$total.observe { _ in calls += 1 }
        _ = sum.total
        sum.a = 2
        expectEqual(calls, 1)
        coalescingChanges {
            sum.a += 1
            sum.b -= 1
        }
        expectEqual(calls, 1)
    }

    @Test(
        "calls the observers that get no values if it was read in between and then returned to its old value",
        arguments: [false, true], [false, true])
    func coalesced(isSpecial: Bool, isRead: Bool) throws {
        let sum = Self.make(isSpecial)
        var (told, calls, shown) = ([Int?](), 0, 3)
        for path in [["total"], ["total", "b"]] {
            try sum.observe(path, options: .new) { told.append($0.newValue as? Int) }
        }
        sum.$total.observe(options: .old) { told.append($0.oldValue) }
        sum.$total.observe(options: .distinct) { _ in told.append(nil) }
        sum.$total.observe { _ in calls += 1 }
        sum.$total.onValue { shown = $0 }
        coalescingChanges {
            sum.a = 5
            if isRead { expectEqual(sum.total, 7) }
            sum.b = -2
        }
        #expect(sum.total == 3 && shown == 3 && calls == (isRead ? 1 : 0))
        expectEqual(told, [-2])
        sum.a = 6
        #expect(shown == 4 && calls == (isRead ? 2 : 1))
        expectEqual(told, [-2, 4, 4, 3, nil])
    }

    @Test("so does one that a subclass overrides, with and without a Key") func overridden() {
        let (sum, plain) = (DoubledSum(), DoubledPlainSum())
        var calls = [0, 0]
        sum.$total.observe { _ in calls[0] += 1 }
        plain.$total.observe { _ in calls[1] += 1 }
        #expect((sum.total, plain.total) == (6, 6))
        for isRead in [true, false] {
            coalescingChanges {
                (sum.a, plain.a) = (5, 5)
                if isRead { #expect((sum.total, plain.total) == (14, 14)) }
                (sum.a, plain.a) = (1, 1)
            }
            expectEqual(calls, [1, 1])
        }
    }

    @Test("is computed although what it read before reads it now") func turnedAround() {
        let (first, second, third) = (Chained(), Chained(), Chained())
        first.next = second
        second.next = third
        var told: [[Int]] = [[], [], []]
        for (place, object) in [first, second, third].enumerated() {
            object.$total.observe(options: .new) { told[place].append($0.newValue!) }
        }
        coalescingChanges {
            second.next = nil
            third.next = first
            first.n = 5
            // Computes the second one, which takes out the third, which reads the first.
            expectEqual(first.total, 6)
        }
        expectEqual(told, [[6], [1], [7]])
    }

    @Test("a handler that was called for something else in an announced change hears of it", arguments: [false, true])
    func announced(isSpecial: Bool) throws {
        let (sum, label) = (Self.make(isSpecial), Model())
        var shown = 0
        try label.depend(on: [Dependency(sum, ["total", "other"])]) { [unowned sum] _ in shown = sum.total }
        sum.withMutation(of: "a") {
            sum.a = 5
            sum.other = 1
            expectEqual(shown, 7)
            sum.a = 1
        }
        #expect(shown == 3 && sum.total == 3)
    }

    private final class Part: Model { @Observed var name = "a" }

    private final class Document: Model {
        @Observed var parts = [Part()]
        @Observed var title = ""
        @Observed var text = ""
        @Derived({ (document: Document) in document.parts.first }) var first: Part?
    }

    @Test("so does one of a path through a derived object whose property changes and changes back, and a binding")
    func pathThroughDerived() throws {
        let (document, label, field) = (Document(), Model(), Document())
        var shown = ""
        try label.depend(on: [Dependency(document, ["first.name", "title"])]) { [unowned document] _ in
            shown = document.first!.name + document.title
        }
        field.$text.bindBothWays(to: document.$first.$name, nilAs: "")
        var told: [String] = []
        document.$first.$name.observe(options: [.old, .new]) { told.append("\($0.oldValue!) \($0.newValue!)") }
        document.$parts.withMutation {
            document.parts[0].name = "b"
            document.title = "t"
            expectEqual(shown, "bt")
            document.parts[0].name = "a"
        }
        expectEqual(shown, "at")
        document.$parts.withMutation {
            field.text = "b"
            document.parts[0].name = "a"
        }
        expectEqual(field.text, "a")
        expectEqual(told, [])
    }

    private final class Computing: Model {
        @Observed var n = 1
        @Observed var next: Computing?
        var double: Int { n * 2 }
        override class var schema: Schema {
            Schema(Computing.self, extending: super.schema) {
                Key("double", \.double)
                Key("next", \.next)
            }
        }
    }

    @Test("so does one of a computed property that was read by name", arguments: ["double", "next.double"])
    func byName(path: String) throws {
        let object = Computing()
        object.next = Computing()
        var shown: Any? = 2
        try object.observe(path) { [unowned object] _ in shown = try! object.value(forKeyPath: path) }
        func set(_ n: Int) { (object.n, object.next!.n) = (n, n) }
        for isRead in [true, false] {
            var calls = 0
            let counting = try object.observe(path) { _ in calls += 1 }
            coalescingChanges {
                set(7)
                if isRead { shown = try! object.value(forKeyPath: path) }
                set(1)
            }
            #expect(shown as? Int == 2 && calls == (isRead ? 1 : 0))
            counting.remove()
        }
    }

    private final class Item: Model, Equatable {
        @Observed var n = 1
        var double: Int { n * 2 }
        static func == (a: Item, b: Item) -> Bool { a === b }
        override class var schema: Schema { Schema(Item.self, extending: super.schema) { Key("double", \.double) } }
    }
    private final class List: Model {
        @Observed var items: [Item] = []
        var big: [Item] { items.filter { $0.n > 5 } }
        override class var schema: Schema { Schema(List.self, extending: super.schema) { Key("big", \.big) } }
    }

    @Test("so does one of elements, behind an operator", arguments: ["items.@sum.double", "big.@count"])
    func ofElements(path: String) throws {
        let list = List()
        list.items = [Item()]
        var shown: Any?
        let show = { [unowned list] in shown = try! list.value(forKeyPath: path) }
        show()
        let first = shown as? Int
        try list.observe(path) { _ in show() }
        coalescingChanges {
            list.items[0].n = 7
            show()
            list.items[0].n = 1
        }
        #expect(shown as? Int == first && first != nil)
    }

    @Test("a value in between that nobody has read is no change", arguments: [false, true])
    func unread(isSpecial: Bool) {
        let sum = Self.make(isSpecial)
        var count = 0
        sum.$total.observe { _ in count += 1 }
        expectEqual(sum.total, 3)
        coalescingChanges {
            sum.a = 5
            sum.a = 1
            expectEqual(sum.total, 3)
        }
        expectEqual(count, 0)
    }

    @Test("a view for Observation hears of it, too") func view() {
        let (sum, calls) = (Sum(), Counter())
        _ = track({ sum.observable.total }) { calls.add() }
        coalescingChanges {
            sum.a = 5
            expectEqual(track({ sum.observable.total }) { calls.add() }, 7)
            sum.a = 1
        }
        #expect(calls.count == 2 && sum.total == 3)
    }

    @Test("also of a computed property, and on another thread", arguments: [false, true])
    func viewOfComputed(isElsewhere: Bool) {
        let (object, calls) = (Computing(), Counter())
        let shared = Shared(object)
        @Sendable func read() { expectEqual(track({ shared.value.observable.double }) { calls.add() }, 10) }
        _ = track({ object.observable.double }) { calls.add() }
        coalescingChanges {
            object.n = 5
            if isElsewhere { onAnotherThread { read() } } else { read() }
            object.n = 1
        }
        #expect(calls.count == 2 && object.double == 2)
    }

    /// Inside of an open change a path is moved behind one derived value, and then another one on it changes and changes back. Each counts its own
    /// changes, of which there may have been any number before.
    @Test(
        "a change that is open while a path comes to it knows of each derived value on that whether it was read",
        arguments: [(0, 0), (20, 0), (0, 20)], [false, true])
    func behindAnotherOneThanTold(_ former: (values: Int, heads: Int), _ isRead: Bool) throws {
        let (owner, first, second, leaf) = (Group(), Group(), Group(), Group())
        (leaf.n, leaf.weight, first.members, second.members) = (1, 1, [leaf], [owner])
        let kept = [try second.observe("positive") { _ in }, try owner.observe("head") { _ in }]
        for index in 0..<former.values {
            owner.n = 1 - index % 2
            _ = second.positive
        }
        for index in 0..<former.heads {
            owner.members = [index % 2 == 0 ? first : leaf]
            _ = owner.head
        }
        (owner.n, owner.members) = (0, [first])
        let calls = Counter()
        let observation = try owner.observe("head.positive.@sum.weight") { _ in calls.add() }
        owner.willChangeValue(forKey: "n")
        owner.members = [second]
        expectEqual(calls.count, 1)
        owner.n = 1
        if isRead { _ = second.positive }
        owner.n = 0
        owner.didChangeValue(forKey: "n")
        expectEqual(calls.count, isRead ? 2 : 1)
        // They keep each other.
        owner.members = []
        withExtendedLifetime((kept, observation)) {}
    }

    private final class Counting: Model {
        var runs = 0
        @Observed var parts: [Sum] = []
        @Derived({ (object: Counting) in
            object.runs += 1
            return object.parts.first
        }) var first: Sum?
    }

    @Test("a derived value on the way is computed once for one read by name, also if it is nil") func onceOnTheWay()
        throws
    {
        let object = Counting()
        object.parts = [Sum()]
        _ = try object.value(forKeyPath: "first.total")
        (object.parts, object.runs) = ([], 0)
        #expect(try object.value(forKeyPath: "first.total") == nil)
        expectEqual(object.runs, 1)
        object.parts = [Sum()]
        #expect(try object.value(forKeyPath: "first.total") as? Int == 3)
        expectEqual(object.runs, 2)
    }

    private final class Account: Model {
        @Observed var n = 1
        @Observed var name: String = ""
        @Observed var next: Account?
        @Derived({ (account: Account) in account.n * 2 }) var double: Int
    }

    private final class Bank: Model {
        @Observed var accounts: [Account] = []
        @Observed var n = 1
        @Observed var other = 0
        @Derived({ (bank: Bank) in bank.accounts.first }) var first: Account?
        @Derived({ (bank: Bank) in bank.n }) var sum: Int
        @Derived({ (bank: Bank) in bank.n >= 0 ? bank : nil }) var me: Bank?
        var head: Account? { accounts.first }
        var twice: Int { sum * 2 }
        override class var schema: Schema {
            Schema(Bank.self, extending: super.schema) {
                Key("head", \.head)
                Key("twice", \.twice, affectedBy: "sum")
            }
        }
    }

    /// Runs a change in the middle of which the value of a path is read, or not. Returns what an observer without values shows, how many
    /// calls it got, and what is there.
    private func run(
        _ path: String, of bank: Bank, isRead: Bool, _ first: () -> Void, _ second: () -> Void
    ) throws -> (shown: String, calls: Int, is: String) {
        func value() -> String { "\(try! bank.value(forKeyPath: path)!)" }
        var (shown, calls) = (value(), 0)
        let observation = try bank.observe(path) { [unowned bank] _ in
            (shown, calls) = ("\(try! bank.value(forKeyPath: path)!)", calls + 1)
        }
        coalescingChanges {
            first()
            if isRead { shown = value() }
            second()
        }
        observation.remove()
        return (shown, calls, value())
    }

    @Test("so do those of what depends on several derived values", arguments: [false, true]) func several(isRead: Bool)
        throws
    {
        let (bank, a, b, q) = (Bank(), Account(), Account(), Account())
        let (x, y) = (Account(), Account())
        (x.name, y.name, a.next, bank.accounts) = ("x", "y", x, [a, b])
        let calls = isRead ? 1 : 0
        let sum = try run("accounts.@sum.double", of: bank, isRead: isRead, { (a.n, b.n) = (2, 7) }, { b.n = 0 })
        #expect(sum == ("4", calls, "4"))
        let double = try run(
            "first.double", of: bank, isRead: isRead,
            {
                bank.accounts.append(q)
                a.n = 5
            }, { a.n = 2 })
        #expect(double == ("4", calls, "4"))
        let next = try run(
            "first.next.name", of: bank, isRead: isRead,
            {
                bank.accounts.append(q)
                a.next = y
            }, { a.next = x })
        #expect(next.shown == "x" && next.is == "x")
        a.name = "a"
        q.name = "q"
        let head = try run("head.name", of: bank, isRead: isRead, { bank.accounts[0] = q }, { bank.accounts[0] = a })
        #expect(head == ("a", calls, "a"))
    }

    @Test("so do those of a key that is affected by a derived one", arguments: [false, true]) func affected(
        isRead: Bool
    ) throws {
        let bank = Bank()
        let twice = try run("twice", of: bank, isRead: isRead, { bank.n = 5 }, { bank.n = 1 })
        #expect(twice == ("2", isRead ? 1 : 0, "2"))
        let label = Model()
        var shown = 2
        try label.depend(on: [Dependency(bank, ["twice", "other"])]) { [unowned bank] _ in shown = bank.twice }
        bank.withMutation(of: "n") {
            bank.n = 5
            bank.other = 1
            bank.n = 1
        }
        #expect(shown == 2)
    }

    @Test("a closure whose value never differed is not told, whatever is read of what it reads") func closure() {
        let bank = Bank()
        var calls = 0
        bank.observe(reading: { $0.sum > 100 }) { _, _ in calls += 1 }
        coalescingChanges {
            bank.n = 2
            bank.n = 3
            _ = bank.sum
            bank.n = 4
        }
        expectEqual(calls, 0)
    }

    @Test("so do those of a path to a key that is affected by a derived one", arguments: [false, true])
    func affectedElsewhere(isRead: Bool) throws {
        final class Holder: Model { @Observed var bank: Bank? }
        let (holder, bank) = (Holder(), Bank())
        holder.bank = bank
        func value() -> Int { try! holder.value(forKeyPath: "bank.twice") as! Int }
        var (calls, shown) = (0, value())
        try holder.observe("bank.twice") { [unowned holder] _ in
            (calls, shown) = (calls + 1, try! holder.value(forKeyPath: "bank.twice") as! Int)
        }
        coalescingChanges {
            bank.n = 5
            if isRead { shown = value() }
            bank.n = 1
        }
        #expect(shown == 2 && calls == (isRead ? 1 : 0))
    }

    @Test("so do those of a path both of whose keys change", arguments: [false, true]) func bothKeys(isRead: Bool)
        throws
    {
        let bank = Bank()
        let twice = try run("me.twice", of: bank, isRead: isRead, { bank.n = 5 }, { bank.n = 1 })
        #expect(twice == ("2", isRead ? 1 : 0, "2"))
    }

    @Test(
        "a read by an operator or a path on another thread is one, too",
        arguments: ["members.@sum.total", "next.total"])
    func elsewhere(path: String) {
        final class List: Model {
            @Observed var members: [Sum] = [Sum()]
            @Observed var next: Sum?
        }
        let (list, sum) = (List(), Sum())
        (list.members, list.next) = ([sum], sum)
        let calls = Counter()
        sum.$total.observe { _ in calls.add() }
        let shared = Shared(list)
        coalescingChanges {
            sum.a = 5
            onAnotherThread { expectEqual(try! shared.value.value(forKeyPath: path) as? Int, 7) }
            sum.a = 1
        }
        expectEqual(calls.count, 1)
    }

    @Test("what the library reads to move a path is no read") func library() throws {
        final class Picker: Model {
            @Observed var index = 0
            @Observed var choices: [Sum] = []
            @Derived({ (picker: Picker) in picker.choices[picker.index] }) var pick: Sum
        }
        final class Root: Model { @Observed var picker: Picker? }
        let (root, picker, calls) = (Root(), Picker(), Counter())
        picker.choices = [Sum(), Sum()]
        root.picker = picker
        let observation = try root.observe("picker.pick.a") { _ in }
        picker.$pick.observe { _ in calls.add() }
        coalescingChanges {
            picker.index = 1
            root.picker = nil
            root.picker = picker
            picker.index = 0
        }
        expectEqual(calls.count, 0)
        coalescingChanges {
            picker.index = 1
            _ = picker.pick
            picker.index = 0
        }
        expectEqual(calls.count, 1)
        withExtendedLifetime(observation) {}
    }
}
