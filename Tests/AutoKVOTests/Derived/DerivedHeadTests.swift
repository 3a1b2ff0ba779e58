import AutoKVO
import AutoKVOTestSupport
import Testing

/// Paths that lead on from a derived value: what is behind it is known when it is computed.
struct DerivedHeadTests {
    /// What one handler was told.
    private final class Log {
        var lines: [String] = []

        func take() -> [String] {
            defer { lines = [] }
            return lines
        }
    }

    private final class Item: TrackedObject {
        @Observed var title: String
        @Observed var tags: [String] = []
        init(_ title: String) { self.title = title }
    }

    private final class List: TrackedObject {
        @Observed var items: [Item] = []
        var computations = 0
        @Derived({ (list: List) -> Item? in
            list.computations += 1
            return list.items.last
        }) var newest: Item?
        @Derived({ (list: List) -> List in list }) var whole: List
        @Derived({ (list: List) in list.items.filter { $0.title != "" } }) var named: [Item]
    }

    private func logged(_ list: List, _ path: String, _ options: ObservingOptions = [.old, .new]) throws -> Log {
        let log = Log()
        try list.observe(path, options: options) { change in
            log.lines.append("\(shown(change.oldValue)) \(shown(change.newValue))")
        }
        return log
    }

    private func shown(_ value: Any?) -> String { (value as? String) ?? (value as? Int).map { "\($0)" } ?? "nil" }

    private final class Post: TrackedObject {
        @Observed var staff: [Post] = []
        @Observed var regular: Item?
        @ObservedWeak var substitute: Item?
        @Derived({ (post: Post) in post.substitute?.title ?? "regular" }) var shown: String
        @Derived({ (post: Post) in post.substitute == nil ? post.regular : post.regular }) var holder: Item?
        @Derived({ (post: Post) in post.substitute ?? post.regular }) var current: Item?
    }

    @Test("the death of a referent calls a path behind a derived value only if its value differs, with the old one")
    func death() throws {
        let (post, office) = (Post(), Post())
        (office.staff, post.regular) = ([post], Item("regular"))
        var told: [String] = []
        for (object, path) in [
            (office, "staff.@unionOfObjects.shown"), (office, "staff.@distinctUnionOfObjects.shown"),
            (post, "holder.title"), (post, "shown"), (post, "current.title"),
        ] {
            for options: ObservingOptions in [[.old, .new], [.old, .new, .distinct]] {
                try object.observe(path, options: options) {
                    told.append("\(path) \($0.oldValue ?? "-") \($0.newValue!)")
                }
            }
        }
        var substitute: Item? = Item("regular")
        func expect(_ lines: String..., after change: () -> Void) {
            // An optimizer would let it die before.
            withExtendedLifetime(substitute) { told = [] }
            change()
            expectEqual(Set(told), Set(lines))
            expectEqual(told.count, 2 * lines.count)
        }
        expect { post.substitute = substitute }
        // What an object read that is dead cannot be known any more.
        expect("current.title - regular") { substitute = nil }
        substitute = Item("other")
        expect(
            "shown regular other", "current.title regular other",
            #"staff.@unionOfObjects.shown ["regular"] ["other"]"#,
            #"staff.@distinctUnionOfObjects.shown ["regular"] ["other"]"#
        ) { post.substitute = substitute }
        expect(
            "shown other regular", "current.title - regular",
            #"staff.@unionOfObjects.shown ["other"] ["regular"]"#,
            #"staff.@distinctUnionOfObjects.shown ["other"] ["regular"]"#
        ) { substitute = nil }
        withExtendedLifetime((post, office)) {}
    }

    @Test("what reads a referent through a derived value is told of its death if it gives another value then")
    func readThrough() {
        let post = Post()
        post.regular = Item("regular")
        var told: [String] = []
        func title(_ post: Post) -> String { post.current?.title ?? "none" }
        for options: ObservingOptions in [[.old, .new], [.old, .new, .distinct]] {
            post.observe(reading: title, options: options) { told.append("\($1.oldValue!) \($1.newValue!)") }
        }
        var substitute: Item? = Item("regular")
        post.substitute = substitute
        substitute = nil
        expectEqual(told, [])
        substitute = Item("other")
        post.substitute = substitute
        substitute = nil
        expectEqual(told, ["regular other", "regular other", "other regular", "other regular"])
        withExtendedLifetime(post) {}
    }

    @Test("a path is told of a death also if what ends with the referent has the derived value computed before")
    func computedWhileDying() throws {
        let post = Post()
        var substitute: Item? = Item("other")
        post.substitute = substitute
        var told: [String?] = []
        try post.observe("current.title", as: String?.self, options: .new) { told.append($0.newValue!) }
        substitute!.$tags.observe { _ in }.onEnd { [unowned post] _ in post.regular = nil }
        substitute = nil
        expectEqual(told, [nil])
    }

    @Test("a derived value from which a path leads on is computed once for many coalesced changes")
    func onceInCoalescing() throws {
        let list = List()
        let log = try logged(list, "newest.title")
        list.computations = 0
        coalescingChanges { for number in 0..<100 { list.items.append(Item("\(number)")) } }
        expectEqual(list.computations, 1)
        expectEqual(log.lines, ["nil 99"])
    }

    @Test("behind coalesced changes the path leads through the object that the derived value is then")
    func leadsOn() throws {
        let list = List()
        let (first, last) = (Item("first"), Item("last"))
        list.items = [first]
        let log = try logged(list, "newest.title")
        coalescingChanges {
            list.items.append(Item("between"))
            list.items.append(last)
            last.title = "last, renamed"
            first.title = "first, renamed"
        }
        expectEqual(log.take(), ["first last, renamed"])
        first.title = "nobody hears this"
        last.title = "end"
        expectEqual(log.lines, ["last, renamed end"])
    }

    @Test("a derived value that is read between coalesced changes is computed then, and the path follows it at the end")
    func readBetween() throws {
        let list = List()
        let log = try logged(list, "newest.title")
        coalescingChanges {
            list.items.append(Item("a"))
            expectEqual(list.newest?.title, "a")
            list.items.append(Item("b"))
            list.newest?.title = "c"
        }
        expectEqual(log.take(), ["nil c"])
        list.newest?.title = "d"
        expectEqual(log.lines, ["c d"])
    }

    @Test("coalesced changes that come back to the object from before are no change of the path")
    func comesBack() throws {
        let list = List()
        list.items = [Item("a")]
        let log = try logged(list, "newest.title")
        coalescingChanges {
            list.items.append(Item("b"))
            list.items.removeLast()
        }
        expectEqual(log.take(), [])
        list.newest?.title = "c"
        expectEqual(log.lines, ["a c"])
    }

    @Test("what happens to an object that the path no longer leads through does not make an equal value a change")
    func formerObject() throws {
        let list = List()
        let former = Item("a")
        list.items = [former]
        let log = try logged(list, "newest.title")
        coalescingChanges {
            list.items.append(Item("a"))
            former.title = "b"
        }
        expectEqual(log.take(), [])
        list.newest?.title = "a"
        expectEqual(log.lines, ["a a"])
    }

    @Test("several derived values on one path, and operators behind one, are followed at the end of coalesced changes")
    func several() throws {
        let list = List()
        let title = try logged(list, "whole.newest.title")
        let count = try logged(list, "named.@count")
        let tags = try logged(list, "newest.tags.@count")
        coalescingChanges {
            for number in 0..<5 {
                let item = Item("")
                list.items.append(item)
                item.title = "\(number)"
                item.tags.append("new")
            }
        }
        expectEqual(title.take(), ["nil 4"])
        expectEqual(count.take(), ["0 5"])
        expectEqual(tags.take(), ["0 1"])
        list.items[4].tags = []
        list.items[2].title = ""
        list.items[4].title = "x"
        expectEqual(title.lines, ["4 x"])
        expectEqual(count.lines, ["5 4"])
        expectEqual(tags.lines, ["1 0"])
    }

    @Test("an announced change is followed at its end, and inside of it by who reads")
    func announced() throws {
        let list = List()
        list.items = [Item("a")]
        let log = try logged(list, "newest.title", [.old, .new, .prior])
        list.willChangeValue(forKey: "items")
        list.items.append(Item("b"))
        expectEqual(list.newest?.title, "b")
        list.newest?.title = "c"
        list.didChangeValue(forKey: "items")
        expectEqual(log.take(), ["a nil", "a c"])
        list.newest?.title = "d"
        expectEqual(log.lines, ["c nil", "c d"])
    }

    @Test(
        "a value that was read meanwhile and is none in the end: observers without values are called", arguments: 0..<4)
    func readMeanwhile(form: Int) throws {
        let list = List()
        list.items = [Item("a")]
        var kept = "a"
        try list.observe("newest.title") { [unowned list] _ in kept = list.newest?.title ?? "nil" }
        let log = try logged(list, "newest.title")
        func body() throws {
            list.items.append(Item("b"))
            kept = form == 2 ? try list.value(forKeyPath: "newest.title") as! String : list.newest!.title
            list.items.removeLast()
        }
        switch form {
        case 0, 2: try coalescingChanges { try body() }
        case 1: try list.$items.withMutation { try body() }
        default:
            list.willChangeValue(forKey: "items")
            try body()
            list.didChangeValue(forKey: "items")
        }
        expectEqual(kept, "a")
        expectEqual(log.lines, [])
    }

    private final class Node: TrackedObject {
        @Observed var x = 0
        @Observed var isSelected = false
        @Observed var first: Node?
        @Observed var second: Node?
        @Derived({ (node: Node) -> Node? in node.isSelected ? node.second : node.first }) var derived: Node?
        var listed: Node? { isSelected ? first : nil }

        override class var schema: Schema {
            Schema(Node.self, extending: super.schema) { Key("listed", \.listed, affectedBy: "isSelected", "first") }
        }
    }

    @Test(
        "two open changes of which the second one comes to concern the path, since the derived value is read: the value told is the one of then",
        arguments: [false, true], [false, true])
    func twoOpen(isRead: Bool, isPrior: Bool) throws {
        let node = Node()
        node.first = node
        var told: [[Int?]] = []
        try node.observe("derived.x", options: isPrior ? [.old, .new, .prior] : [.old, .new]) { [unowned node] change in
            if change.isPrior { return }
            told.append([change.oldValue as? Int, change.newValue as? Int])
            expectEqual(change.newValue as? Int, node.derived?.x)
        }
        node.willChangeValue(forKey: "x")
        node.x = 1
        node.willChangeValue(forKey: "second")
        node.isSelected = true
        if isRead { expectEqual(node.derived == nil, true) }
        node.didChangeValue(forKey: "x")
        node.didChangeValue(forKey: "second")
        expectEqual(told, [[0, nil]])
        node.first = nil
        node.isSelected = false
        expectEqual(told, [[0, nil]])
    }

    @Test("a path with two derived values that change by one write does not pass through a mixture of both")
    func mixture() throws {
        let node = Node()
        (node.first, node.x) = (node, 19)
        var last: Int?
        try node.observe("derived.listed.x", options: [.old, .new]) { change in
            expectEqual(change.oldValue as? Int, last)
            last = change.newValue as? Int
            expectEqual(last, nil)
        }
        node.withMutation(of: "x") { node.isSelected = true }
        node.first = nil
        node.withMutation(of: "x") { node.first = node }
        node.withMutation(of: "x") { node.isSelected = false }
        node.first = nil
    }

    @Test("what waits for the end of coalesced changes does not grow with their number")
    func growth() throws {
        let list = List()
        let other = List()
        let logs = try (0..<40).map { try logged($0 % 2 == 0 ? list : other, "newest.title") }
        let ratio = timeRatio(to: 4_000) { count in
            processorTime {
                coalescingChanges {
                    for _ in 0..<count {
                        list.items = [Item("a")]
                        other.items = [Item("b")]
                    }
                }
            }
        }
        #expect(ratio < 9)
        expectEqual(logs.map { $0.lines[0] }, (0..<40).map { $0 % 2 == 0 ? "nil a" : "nil b" })
    }

    private final class Shelf: TrackedObject {
        @ObservedWeak var lent: Item?
        @Observed var own = Item("own")
        @Derived({ (shelf: Shelf) -> Item in shelf.lent ?? shelf.own }) var shown: Item
    }

    @Test("the death of what a derived value was moves the path that leads on from it") func deathOfTheValue() throws {
        let (shelf, log) = (Shelf(), Log())
        var item: Item? = Item("lent")
        shelf.lent = item
        try shelf.observe("shown.title", options: .new) { log.lines.append(shown($0.newValue)) }
        item = nil
        expectEqual(log.take(), ["own"])
        shelf.own.title = "other"
        expectEqual(log.take(), ["other"])
    }

    private final class Team: TrackedObject {
        @Observed var score = 0
        @Observed var members: [Team] = []
        @ObservedWeak var coach: Item?
        @Derived({ (team: Team) in team.members.max { $0.score < $1.score } }) var best: Team?
    }

    @Test(
        "an announced change calls nobody behind a derived value that has come to read the property, if that is equal",
        arguments: [[], .new, [.old, .new, .prior], .distinct] as [ObservingOptions], [false, true])
    func announcedMeanwhile(options: ObservingOptions, isRead: Bool) throws {
        let (team, member, log) = (Team(), Team(), Log())
        member.score = -1
        try team.observe("best.coach.title", options: options) { if !$0.isPrior { log.lines.append("called") } }
        member.willChangeValue(forKey: "score")
        team.members = [member, Team()]
        if isRead { expectEqual(team.best?.score, 0) }
        member.didChangeValue(forKey: "score")
        expectEqual(log.take(), [])
    }
}
