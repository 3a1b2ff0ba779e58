import AutoKVO
import AutoKVOTestSupport
import Testing

/// Key path literals that begin at a subclass, of keys that its superclass declares, and the reverse.
@Suite(.needs(.classMetadata)) struct InheritedKeyPathTests {
    private class Base: TrackedObject {
        @Observed var list: [Int] = []
        @Observed var name = "a"
        @Observed var next: Base?
        @Observed final var fixed = 0
        final var stored = 0
        var other: [Int] { list }
        var itself: Base { self }
        var token: Int { stored }
        func setToken(_ value: Int) { withMutation(of: "token") { withMutation(of: "stored") { stored = value } } }

        override class var schema: Schema {
            Schema(Base.self, extending: super.schema) {
                Key("list", \.list)
                Key("fixed", \.fixed)
                Key("name", \.name)
                Key("itself", \.itself, affectedBy: "name")
                Key("token", \.token, notifiesAutomatically: false)
                Key("stored", \.stored, notifiesAutomatically: false)
            }
        }
    }

    private class Sub: Base {
        @Observed var added: [Int] = []

        override class var schema: Schema {
            Schema(Sub.self, extending: super.schema) { Key("added", \.added) }
        }
    }

    private class Overriding: Sub {
        override var name: String {
            get { super.name + "!" }
            set { super.name = newValue }
        }
    }

    private final class FinallyOverriding: Sub {
        override var list: [Int] { didSet {} }
        override var token: Int { super.token }
        override var itself: Base { super.itself }
    }
    private class HalfOverriding: Sub {
        final override var list: [Int] { didSet {} }
    }
    private final class BelowHalf: HalfOverriding {}

    private class Box<Item>: TrackedObject {
        @Observed var items: [Item] = []
        var stored = 0
        var token: Int { stored }
        func bump() { withMutation(of: "token") { stored += 1 } }
        func watch(_ told: @escaping (String) -> Void) {
            observe(\.items) { told("own \($1.kind)") }
        }
        override class var schema: Schema {
            Schema(Box<Item>.self, extending: super.schema) {
                Key("items", \.items)
                Key("token", \.token, notifiesAutomatically: false)
            }
        }
    }
    private class Middle<Item>: Box<Item> {
        func watchInherited(_ told: @escaping (String) -> Void) {
            observe(\.items) { told("inherited \($1.kind)") }
        }
    }
    private final class IntBox: Middle<Int> {}

    private class Undeclared: TrackedObject {
        @Observed var x = 0
    }

    private final class Declaring: Undeclared {
        override class var schema: Schema {
            Schema(Declaring.self, extending: super.schema) { Key("x", \.x) }
        }
    }

    @Test("of a key that only a subclass declares, are no key of the superclass, whichever was observed first")
    func declaredBelow() {
        let keyPath = \Undeclared.x
        var calls: [String] = []
        let (declaring, undeclared) = (Declaring(), Undeclared())
        for _ in 0..<2 {
            declaring.observe(keyPath) { _, _ in calls.append("declared") }
            undeclared.observe(keyPath) { _, _ in calls.append("read") }
        }
        (declaring.x, undeclared.x) = (0, 0)
        expectEqual(calls, ["declared", "declared"])
        undeclared.x = 1
        expectEqual(calls.count, 4)
    }

    @Test("of a final override are the declared key") func finalOverrides() {
        func check<Object: Sub>(_ object: Object, _ keyPath: KeyPath<Object, [Int]>) {
            var told: [ChangeKind] = []
            object.observe(keyPath) { told.append($1.kind) }
            object.$list.append(3)
            object.list = object.list
            expectEqual(told, [.insertion, .setting])
        }
        let object = FinallyOverriding()
        check(object, \.list)
        check(BelowHalf(), \.list)
        check(HalfOverriding(), \.list)
        var told: [Int] = []
        object.observe(\.token, options: .new) { told.append($1.newValue!) }
        object.setToken(4)
        expectEqual(told, [4])
    }

    @Test("of a subclass of a generic class, and in such a class, are the declared keys") func generic() {
        let box = IntBox()
        var told: [String] = []
        box.watch { told.append($0) }
        box.watchInherited { told.append($0) }
        box.observe(\.items) { told.append("literal \($1.kind)") }
        box.observe(\Box<Int>.items) { told.append("base \($1.kind)") }
        box.observe(\.token, options: .new) { told.append("token \($1.newValue!)") }
        box.$items.append(1)
        expectEqual(told, ["own", "inherited", "literal", "base"].map { $0 + " insertion" })
        told = []
        box.items = box.items
        expectEqual(told, ["own", "inherited", "literal", "base"].map { $0 + " setting" })
        told = []
        box.bump()
        expectEqual(told, ["token 1"])
    }

    @Test("are the declared keys: edits have kinds and indexes, and equal values are told")
    func edits() {
        let objects = [Sub(), Overriding()]
        for object in objects {
            var told: [String] = []
            let observations = [
                object.observe(\.list, options: [.old, .new]) { _, change in
                    told.append("\(change.kind) \(change.indexes.map { "\($0.ranges.count)" } ?? "-")")
                },
                object.observe(\Base.list) { _, change in told.append(change.keyPath) },
                object.observe(\.added) { _, change in told.append("\(change.kind)") },
            ]
            object.$list.append(3)
            object.list = [3]
            object.$added.append(1)
            expectEqual(told, ["insertion 1", "list", "setting -", "list", "insertion"])
            expectEqual(observations.map(\.keyPaths), [["list"], ["list"], ["added"]])
            observations.forEach { $0.remove() }
        }
    }

    @Test("are keys that are announced by hand, computed and stored ones, and such as cannot be overridden")
    func announced() {
        let object = Sub()
        var told: [Int] = []
        object.observe(\.token, options: .new) { _, change in told.append(change.newValue!) }
        object.observe(\.stored, options: .new) { _, change in told.append(change.newValue! + 1) }
        object.observe(\.fixed, options: .new) { _, change in told.append(change.newValue! + 2) }
        object.setToken(10)
        object.fixed = 10
        expectEqual(told.sorted(), [10, 11, 12])
    }

    @Test("of an overridden property have the values that the override reads") func overridden() {
        let object = Overriding()
        var told: [String?] = []
        let observation = object.observe(\.name, options: [.old, .new]) { _, change in
            told += [change.oldValue, change.newValue]
        }
        object.name = "b"
        object.name = "b"
        expectEqual(told, ["a!", "b!", "b!", "b!"])
        expectEqual(observation.keyPaths, ["name"])
    }

    private class First: Base {
        override class var schema: Schema { Schema(First.self, extending: super.schema) { Key("other", \.other) } }
    }

    private class Second: Base {
        @Observed var added = ""

        override class var schema: Schema {
            Schema(Second.self, extending: super.schema) {
                Key("added", \.added)
                Key("other", \.other, affectedBy: "list")
            }
        }
    }

    @Test(
        "of a superclass, which subclasses declare as keys of their own, are the key of the object's class",
        arguments: 0..<3)
    func declaredBySubclasses(start: Int) {
        func observe(_ object: Base) -> [String] { object.observe(\Base.other) { _, _ in }.keyPaths }
        let objects = [First(), Second(), Base()]
        for place in 0..<6 {
            let object = objects[(start + place) % 3]
            expectEqual(observe(object), object is First || object is Second ? ["other"] : [])
            object.removeAllObservers()
        }
    }

    @Test("of the object itself is no key") func itself() {
        let object = Sub()
        var calls = 0
        object.observe(\.self) { _, _ in calls += 1 }
        object.list = [1]
        expectEqual(calls, 0)
    }

    @Test("of more than one component, and of properties that are no keys, are followed as what they read")
    func others() {
        let object = Sub()
        var told: [String] = []
        object.observe(\.list.count) { _, change in told.append("count \(change.kind)") }
        object.observe(\.other) { _, change in told.append("other \(change.kind)") }
        object.observe(\.itself.itself.name) { _, change in told.append("name") }
        object.observe(\.next) { _, _ in told.append("next") }
        object.$list.append(1)
        object.list = [1]
        object.next = nil
        object.name = "a"
        expectEqual(told, ["count setting", "other setting"])
    }

    private class Sized: TrackedObject {
        @Observed var size = 1
        override class var schema: Schema { Schema(Sized.self, extending: super.schema) { Key("size", \.size) } }
    }

    private final class Extended: Sized {
        override class var schema: Schema { Schema(Extended.self, extending: super.schema) { Key("extent", \.size) } }
    }

    @Test("a second name that a subclass gives a property is not what its key path means") func secondName() {
        let object = Extended()
        var calls = 0
        let observation = object.observe(\.size) { _, _ in calls += 1 }
        object.size = object.size
        expectEqual(observation.keyPaths, ["size"])
        expectEqual(calls, 1)
    }
}
