import AutoKVO
import AutoKVOTestSupport
import Testing

private class Account: Model {
    @Observed var name = "ann"
    @Observed var secret = "x"
    var strength: Int { secret.count }

    override class var schema: Schema {
        Schema(Account.self, extending: super.schema) {
            Key("strength", \.strength, affectedBy: "secret")
            Hidden("secret")
        }
    }
}
private class Sub: Account {}
private final class HidesMore: Account {
    override class var schema: Schema {
        Schema(HidesMore.self, extending: super.schema) { Hidden("name") }
    }
}
private final class ShowsAgain: Account {
    override class var schema: Schema {
        Schema(ShowsAgain.self, extending: super.schema) { Key("secret", \.secret) }
    }
}
private final class HidesNothing: Model {
    @Observed var name = ""
    override class var schema: Schema { Schema(HidesNothing.self, extending: super.schema) { Hidden("nme") } }
}
private final class HidesItsKey: Model {
    @Observed var name = ""
    override class var schema: Schema {
        Schema(HidesItsKey.self, extending: super.schema) {
            Key("name", \.name)
            Hidden("name")
        }
    }
}
private final class PathThroughHidden: Model {
    @Observed var account: Account?
    var name: String { account?.name ?? "" }
    override class var schema: Schema {
        Schema(PathThroughHidden.self, extending: super.schema) {
            Key("name", \.name, affectedBy: "account.name")
            Hidden("account")
        }
    }
}
/// Each has a property of its own by the same name.
private class Closed: Model {
    @Observed private var note = "closed"
    override class var schema: Schema { Schema(Closed.self, extending: super.schema) { Hidden("note") } }
    func setClosedNote(_ note: String) { self.note = note }
}
private class Numbered: Closed {
    @Observed private var note = 1
    @Observed var mode = "a"
}
private final class Computed: Numbered {
    var note: String { "mode \(mode)" }
    override class var schema: Schema { Schema(Computed.self, extending: super.schema) { Key("note", \.note) } }
}
private final class Owner: Model {
    @Observed var account: Account? = Account()
}

/// Hidden keys.
struct HiddenTests {
    @Test("an observation of several properties gives up a hidden one by the name that it has for it") func removal() {
        let account = Account()
        var calls = 0
        let both = [account.$secret, account.$name].observe { _ in calls += 1 }
        expectEqual(both.keyPaths, ["secret", "name"])
        expectEqual(account.removeAllObservers(forKeyPath: "secret"), 0)
        #expect(both.remove(keyPath: "secret") && !both.remove(keyPath: "secret"))
        account.secret = "y"
        expectEqual(calls, 0)
        account.name = "bea"
        #expect(calls == 1 && both.keyPaths == ["name"])
    }

    @Test("no name reaches a hidden property, in the class, a subclass, or at the end of a path", arguments: [0, 1])
    func unreachable(index: Int) throws {
        let account = index == 0 ? Account() : Sub()
        func reason(_ body: () throws -> Void) -> KeyValueError.Reason? {
            do { try body() } catch { return (error as? KeyValueError)?.reason }
            return nil
        }
        let unknown = KeyValueError.Reason.unknownKey(nearest: nil)
        expectEqual(reason { try account.observe("secret") { _ in } }, unknown)
        expectEqual(reason { _ = try account.value(forKey: "secret") }, unknown)
        expectEqual(reason { try account.setValue("y", forKey: "secret") }, unknown)
        expectEqual(reason { _ = try Owner().value(forKeyPath: "account.secret") }, unknown)
        expectEqual(reason { try Owner().observe("account.secret") { _ in } }, unknown)
        // Nor does a message propose it.
        expectEqual(reason { _ = try account.value(forKey: "secre") }, unknown)
        expectEqual(account.secret, "x")
    }

    @Test("its handle observes it, and keys of the class are derived from it") func handle() throws {
        let account = Account()
        var seen: [String] = []
        account.$secret.observe(options: .new) { seen.append($0.newValue!) }
        try account.observe("strength", options: .new) { seen.append("strength \($0.newValue!)") }
        account.secret = "yy"
        expectEqual(seen, ["yy", "strength 2"])
    }

    @Test("it is not listed among the class's keys") func notListed() {
        expectEqual(Account.keyDescriptions.map(\.name), ["name", "strength"])
        expectEqual(HidesMore.keyDescriptions.map(\.name), ["strength"])
    }

    @Test("a subclass hides an inherited key, and its superclass keeps it") func inherited() throws {
        #expect(throws: KeyValueError(.unknownKey(nearest: nil), className: "HidesMore", key: "name")) {
            try HidesMore().observe("name") { _ in }
        }
        try Account().observe("name") { _ in }
    }

    @Test("a subclass offers a hidden key again by a Key") func shownAgain() throws {
        let account = ShowsAgain()
        try account.setValue("z", forKey: "secret")
        expectEqual(account.secret, "z")
        expectEqual(ShowsAgain.keyDescriptions.map(\.name), ["name", "secret", "strength"])
    }

    @Test("a property with the name of a hidden one is another one, in further subclasses, too") func reused() throws {
        let computed = Computed()
        var told: [String?] = []
        try computed.observe("note", as: String.self, options: [.old, .new]) { told += [$0.oldValue, $0.newValue] }
        computed.setClosedNote("other")
        expectEqual(told, [])
        computed.mode = "b"
        expectEqual(told, ["mode a", "mode b"])
    }

    @Test("hiding what there is not, or what a Key declares, is a fault of the schema") func faults() {
        func text(_ type: TrackedObject.Type) -> String {
            do { try type.validateSchema() } catch { return "\(error)" }
            return ""
        }
        #expect(
            text(HidesNothing.self).contains(
                "at key \"nme\": it is to be hidden, and the class has no such key, did you mean \"name\"?"))
        #expect(text(PathThroughHidden.self).contains("no path goes through the hidden key \"account\""))
        #expect(text(HidesItsKey.self).contains("at key \"name\": it is declared by a Key and hidden"))
    }

    private class House: Model {
        @Observed var owner: Person?
        override class var schema: Schema { Schema(House.self, extending: super.schema) { Hidden("owner") } }
    }

    private class Villa: House {
        var label: String { owner?.firstName ?? "" }
        override class var schema: Schema {
            Schema(Villa.self, extending: super.schema) {
                Key("owner", \.owner)
                Key("label", \.label, affectedBy: "owner.firstName")
            }
        }
    }

    private final class Castle: Villa {
        override class var schema: Schema { Schema(Castle.self, extending: super.schema) { Hidden("owner") } }
    }

    @Test("an inherited path begins at a key that a class in the middle has named and this one hides")
    func hiddenAgain() throws {
        let (castle, person) = (Castle(), Person())
        (castle.owner, person.firstName) = (person, "Ann")
        try #expect(castle.value(forKey: "label") as? String == "Ann")
        var told: [String?] = []
        try castle.observe("label", as: String.self, options: .new) { told.append($0.newValue) }
        person.firstName = "Bea"
        castle.owner = nil
        expectEqual(told, ["Bea", ""])
        try Castle.validateSchema()
    }
}
