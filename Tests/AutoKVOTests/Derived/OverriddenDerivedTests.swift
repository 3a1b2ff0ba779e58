import AutoKVO
import AutoKVOTestSupport
import Testing

private class Account: TrackedObject {
    @Observed var balance = 1
    @Derived({ (account: Account) in account.balance * 2 }) var total: Int
    @Derived({ (account: Account) in "total \(account.total)" }) var label: String

    override class var schema: Schema { Schema(Account.self, extending: super.schema) { Key("total", \.total) } }
}

private final class Premium: Account {
    @Observed var bonus = 10
    private(set) var reads = 0
    override var total: Int {
        reads += 1
        return super.total + bonus
    }
}

/// Overrides another getter of the class that has the derived property.
private final class Renamed: Account {
    override var label: String { "renamed" }
}

private class Plain: TrackedObject {
    @Observed var side = 3
    @Derived({ (plain: Plain) in plain.side * plain.side }) var area: Int
}

private final class Scaled: Plain {
    @Observed var scale = 1
    override var area: Int { super.area * scale }
}

private class Needing: TrackedObject {
    @Observed var start = 1
    @Derived({ (object: Needing) in object.start + object.other }) var own: Int
    @Derived({ (object: Needing) in object.start }) var other: Int

    override class var schema: Schema {
        Schema(Needing.self, extending: super.schema) {
            Key("own", \.own)
            Key("other", \.other)
        }
    }
}

private final class Circular: Needing {
    override var other: Int { own }
}

/// Its values read those of others, directly and by a computed property.
private final class SharedAccount: Account {
    @Observed var others: [Account] = []
    override var total: Int { super.total + others.reduce(0) { $0 + $1.total } }
    var size: Int { others.reduce(0) { $0 + $1.total } }

    override class var schema: Schema {
        Schema(SharedAccount.self, extending: super.schema) { Key("size", \.size) }
    }
}

private final class Owner: TrackedObject { @Observed var account: SharedAccount? }

private final class Bank: TrackedObject {
    @Observed var accounts: [Account] = []
    @Derived({ (bank: Bank) in bank.accounts.reduce(0) { $0 + $1.total } }) var sum: Int
}

/// A derived property that a subclass overrides.
struct OverriddenDerivedTests {
    @Test("is what the override's getter returns, and depends on what that reads", arguments: 0..<3)
    func observed(form: Int) throws {
        let account = Premium()
        var told: [String] = []
        func note(_ change: Change<Int>) { told.append("\(change.oldValue!)→\(change.newValue!)") }
        switch form {
        case 0: try account.observe("total", as: Int.self, options: [.old, .new], note)
        case 1: account.$total.observe(options: [.old, .new], note)
        default: account.observe(\.total, options: [.old, .new]) { note($1) }
        }
        account.balance = 2
        account.bonus = 20
        expectEqual(told, ["12→14", "14→24"])
        #expect(account.total == 24 && account.$total.value == 24)
        try expectEqual(account.value(forKey: "total") as? Int, 24)
        coalescingChanges {
            account.balance = 3
            account.bonus = 30
            expectEqual(account.total, 36)
        }
        expectEqual(told, ["12→14", "14→24", "24→36"])
        account.balance = 4
        account.bonus = 28
        expectEqual(told.count, 5)
        // Equal in the end.
        coalescingChanges {
            account.balance = 5
            account.bonus = 26
        }
        expectEqual(told.count, 5)
        account.removeAllObservers()
        #expect(account.total == 36 && account.$total.value == 36)
    }

    @Test("is read by other derived values, paths, operators and closures as it is") func readers() throws {
        let (bank, premium) = (Bank(), Premium())
        bank.accounts = [Account(), premium]
        var told: [String] = []
        bank.$sum.observe(options: [.old, .new]) { told.append("sum \($0.oldValue!)→\($0.newValue!)") }
        try bank.observe("accounts.@sum.total", as: Int.self, options: [.old, .new]) {
            told.append("@sum \($0.oldValue!)→\($0.newValue!)")
        }
        try premium.observe("label", as: String.self, options: .new) { told.append($0.newValue!) }
        bank.observe(reading: { $0.accounts.map(\.total) }, options: .new) { told.append("\($1.newValue!)") }
        premium.bonus = 11
        expectEqual(told.sorted(), ["@sum 14→15", "[2, 13]", "sum 14→15", "total 13"])
        told = []
        premium.balance = 2
        expectEqual(told.sorted(), ["@sum 15→17", "[2, 15]", "sum 15→17", "total 15"])
        #expect(bank.sum == 17 && premium.label == "total 15")
        bank.removeAllObservers()
        premium.removeAllObservers()
    }

    @Test("calls the override once for each change and observer's need") func computations() throws {
        let account = Premium()
        try account.observe("total", as: Int.self, options: [.old, .new]) { _ in }
        try account.observe("total", as: Int.self, options: [.old, .new]) { _ in }
        let before = account.reads
        account.bonus = 11
        account.balance = 7
        expectEqual(account.reads, before + 2)
        account.removeAllObservers()
    }

    @Test("another getter that is overridden changes nothing") func otherGetter() throws {
        let account = Renamed()
        var told: [Int] = []
        try account.observe("total", as: Int.self, options: .new) { told.append($0.newValue!) }
        account.balance = 2
        account.balance = 3
        #expect(told == [4, 6] && account.total == 6 && account.$total.value == 6 && account.label == "renamed")
        account.removeAllObservers()
    }

    @Test(
        "a path to it hears what it reads, also what it has read since a coalesced change",
        arguments: ["account.total", "account.label", "account.size"], [[], .new, [.old, .new]] as [ObservingOptions])
    func behindAPath(path: String, options: ObservingOptions) throws {
        let (owner, account, other) = (Owner(), SharedAccount(), Premium())
        var calls = 0
        try owner.observe(path, options: options) { _ in calls += 1 }
        coalescingChanges {
            owner.account = account
            account.others.append(other)
        }
        expectEqual(calls, 1)
        other.balance = 7
        expectEqual(calls, 2)
        other.bonus = 1
        expectEqual(calls, 3)
        owner.account = nil
        other.bonus = 2
        expectEqual(calls, 4)
        owner.removeAllObservers()
    }

    @Test("without a Key the override is found when the property is read") func undeclared() throws {
        let object = Scaled()
        var told: [Int] = []
        object.$area.observe(options: .new) { told.append($0.newValue!) }
        expectEqual(object.area, 9)
        object.side = 2
        object.scale = 3
        #expect(told == [4, 12] && object.area == 12 && object.$area.value == 12)
        object.removeAllObservers()
    }

    private final class ScaledLater: PlainOfOthers {
        @Observed var scale = 1
        override var area: Int { super.area * scale }
    }
    private class PlainOfOthers: TrackedObject {
        @Observed var side = 3
        @Derived({ (plain: PlainOfOthers) in plain.side * plain.side }) var area: Int
    }

    @Test("also where another object's property was read before") func undeclaredOfOthers() throws {
        let (first, second) = (ScaledLater(), ScaledLater())
        var told: [Int] = []
        first.$area.observe { _ in }
        second.$area.observe(options: .new) { told.append($0.newValue!) }
        #expect(first.area == 9 && second.area == 9)
        second.scale = 2
        #expect(told == [18] && second.$area.value == 18)
    }

    private class Plain: TrackedObject {
        @Observed var a = 1
        @Observed var b = 1
        @Derived({ (object: Plain) in object.a * 10 }) var own: Int
        @Derived({ (object: Plain) in object.own + 1 }) var other: Int
    }

    private final class Adding: Plain {
        override var own: Int { super.own + b }
    }

    @Test("without a Key it is found when another derived value reads it, and what was kept is computed again")
    func readByAnother() throws {
        let object = Adding()
        var told: [Int] = []
        object.$own.observe(options: .new) { told.append($0.newValue!) }
        object.$other.observe(options: .new) { told.append($0.newValue!) }
        object.b = 5
        #expect(told == [15, 16] && object.$own.value == 15)
        object.a = 2
        expectEqual(told, [15, 16, 25, 26])
        object.removeAllObservers()
    }

    @Test("one that needs its own value through another traps with a sentence", arguments: [true, false])
    func circleTraps(isObserved: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [isObserved] in
            let object = Circular()
            if isObserved { try object.observe("own") { _ in } }
            _ = object.own
        }
        expectEqual(missing("depends on itself", in: result), [])
    }
}
