import AutoKVO
import AutoKVOTestSupport
import Testing

/// Derived values that are objects whose class says what equal is.
struct EqualObjectTests {
    private final class Item: TrackedObject, Hashable {
        let number: Int
        @Observed var level: Int

        init(_ number: Int, level: Int) { (self.number, self.level) = (number, level) }

        static func == (a: Item, b: Item) -> Bool { a.number == b.number }
        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    private final class List: TrackedObject {
        @Observed var items: [Item] = []
        @Derived({ (list: List) in list.items.first }) var first: Item?
        @Derived({ (list: List) in list.items.filter { $0.number > 0 } }) var positive: [Item]
        @Derived({ (list: List) in Dictionary(list.items.map { ($0.number, $0) }) { $1 } }) var byNumber: [Int: Item]
        @Derived({ (list: List) in list.items.map { AnyHashable($0) } }) var hashed: [AnyHashable]
        @Derived({ (list: List) in list.first?.level ?? -1 }) var level: Int
        @Derived({ (list: List) in (list.hashed.first?.base as? Item)?.level ?? -1 }) var hashedLevel: Int
        @Derived({ (list: List) in list.positive.reduce(0) { $0 + $1.level } }) var sum: Int
        @Derived({ (list: List) in list.byNumber[1]?.level ?? -1 }) var found: Int
    }

    private final class Box: Equatable {
        let sign: Int
        init(_ sign: Int) { self.sign = sign }
        static func == (a: Box, b: Box) -> Bool { a.sign == b.sign }
    }

    private final class Boxed: TrackedObject {
        @Observed var number = 1
        var computations = 0
        @Derived({ (boxed: Boxed) in Box(boxed.number.signum()) }) var box: Box
        @Derived({ (boxed: Boxed) in
            boxed.computations += 1
            return boxed.box.sign
        }) var sign: Int
    }

    /// Its `==` reads a property, and its deinit does, too.
    private final class Named: TrackedObject, Equatable {
        @Observed var name = ""
        let onDeinit: () -> Void
        init(_ onDeinit: @escaping () -> Void = {}) { self.onDeinit = onDeinit }
        deinit { onDeinit() }
        static func == (a: Named, b: Named) -> Bool { a.name == b.name }
    }

    private final class Names: TrackedObject {
        @Observed var number = 0
        @Observed var deaths = 0
        @Observed var items: [Named] = []
        @Derived({ (names: Names) in names.items.filter { _ in true } }) var all: [Named]
        @Derived({ (names: Names) in names.number + names.all.count }) var total: Int
    }

    @Test("what `==` reads, and deinits do, while a value is kept is not what another function reads that reads it")
    func comparedInside() {
        let names = Names()
        names.items = [Named { [unowned names] in names.deaths += 1 }]
        var calls = 0
        names.$total.observe(options: .prior) { _ in calls += 1 }
        let new = Named()
        let said = messages {
            coalescingChanges {
                names.number = 1
                names.items = [new]
            }
        }
        #expect(said == [] && calls == 1 && names.deaths == 1)
        new.name = "x"
        names.deaths = 5
        expectEqual(calls, 1)
    }

    @Test("an equal object that is not tracked is a value like another: nothing that reads it is computed") func box() {
        let boxed = Boxed()
        var calls = 0
        boxed.$sign.observe { _ in calls += 1 }
        let box = boxed.box
        boxed.number = 5
        #expect(boxed.box === box && boxed.computations == 1)
        boxed.number = -5
        #expect(boxed.sign == -1 && boxed.computations == 2 && calls == 1)
    }

    @Test(
        "another object that is equal is no change, and is the value all the same, for what reads it and for paths",
        arguments: [false, true], [false, true])
    func replaced(isKept: Bool, isCoalesced: Bool) throws {
        let list = List()
        list.items = [Item(1, level: 5), Item(2, level: 1)]
        let former = isKept ? list.items : []
        var told: [String: Int] = [:]
        var calls = 0
        list.$first.observe { _ in calls += 1 }
        list.$positive.observe { _ in calls += 1 }
        list.$byNumber.observe { _ in calls += 1 }
        for path in ["level", "sum", "found", "first.level", "positive.@sum.level"] {
            try list.observe(path, as: Int.self, options: .new) { told[path] = $0.newValue! }
        }
        let new = [Item(1, level: 7), Item(2, level: 1)]
        if isCoalesced {
            coalescingChanges {
                list.items = []
                list.items = new
            }
        } else {
            list.items = new
        }
        let expected = ["level": 7, "sum": 8, "found": 7, "first.level": 7, "positive.@sum.level": 8]
        expectEqual(told, expected)
        #expect(list.first === new[0] && list.positive[0] === new[0] && list.byNumber[1] === new[0])
        new[0].level = 9
        expectEqual(told, ["level": 9, "sum": 10, "found": 9, "first.level": 9, "positive.@sum.level": 10])
        expectEqual(calls, 0)
        withExtendedLifetime(former) {}
    }

    private final class Chosen: TrackedObject {
        @Observed var items: [Item] = []
        var computations = 0
        @Derived({ (chosen: Chosen) in chosen.items.last }) var last: Item?
        @Derived({ (chosen: Chosen) in
            chosen.computations += 1
            return chosen.last?.level ?? 0
        }) var level: Int
    }

    @Test("an object that is computed again as the same one is no change: nothing that reads it is computed")
    func same() {
        let (chosen, item) = (Chosen(), Item(1, level: 5))
        chosen.items = [item]
        chosen.$level.observe { _ in }
        chosen.items = [Item(2, level: 3), item]
        #expect(chosen.level == 5 && chosen.computations == 1)
    }

    private class Entity: TrackedObject { @Observed var title = "" }

    private final class Numbered: Entity, Hashable {
        let number: Int
        init(_ number: Int, _ title: String) {
            self.number = number
            super.init()
            self.title = title
        }
        static func == (a: Numbered, b: Numbered) -> Bool { a.number == b.number }
        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    private final class Screen: TrackedObject {
        @Observed var current: Entity?
        @Observed var open: Any = 0
        @Observed var ranks: [Numbered: Int] = [:]
        @Derived({ (screen: Screen) in screen.current }) var shown: Entity?
        @Derived({ (screen: Screen) in screen.open }) var opened: Any
        @Derived({ (screen: Screen) in screen.ranks }) var ranked: [Numbered: Int]
        @Derived({ (screen: Screen) in screen.shown?.title ?? "-" }) var title: String
        @Derived({ (screen: Screen) in (screen.opened as? Entity)?.title ?? "-" }) var openTitle: String
        @Derived({ (screen: Screen) in screen.ranked.keys.map(\.title).joined() }) var rankedTitle: String
    }

    @Test("an equal object of a subclass, in an Any, or a dictionary's key is another one, too", arguments: 0..<3)
    func ofOtherTypes(form: Int) {
        let (screen, first, second) = (Screen(), Numbered(1, "A"), Numbered(1, "B"))
        func show(_ item: Numbered) {
            switch form {
            case 0: screen.current = item
            case 1: screen.open = item
            default: screen.ranks = [item: 5]
            }
        }
        show(first)
        var titles: [String] = []
        let handle = [screen.$title, screen.$openTitle, screen.$rankedTitle][form]
        handle.onValue { titles.append($0) }
        var shown: [Int] = []
        let observations = [
            screen.$shown.observe { _ in shown.append(0) }, screen.$opened.observe { _ in shown.append(1) },
            screen.$ranked.observe { _ in shown.append(2) },
        ]
        show(second)
        first.title = "no"
        second.title = "C"
        expectEqual(titles, ["A", "B", "C"])
        expectEqual(shown, [])
        for observation in observations { observation.remove() }
    }

    @Test("a number in an Any is no object: an equal one computes nothing") func numbers() {
        let screen = Screen()
        var calls = 0
        let observation = screen.$openTitle.observe { _ in calls += 1 }
        screen.open = 7
        screen.open = 7
        #expect(calls == 0 && screen.openTitle == "-")
        observation.remove()
    }

    @Test("what a closure reads is compared with the object that is there now", arguments: [false, true])
    func readByAClosure(isKept: Bool) {
        let screen = Screen()
        screen.current = Numbered(1, "")
        var told: [[Int?]] = []
        screen.observe(reading: { $0.current }, options: [.old, .new]) { _, change in
            told.append([change.oldValue!, change.newValue!].map { ($0 as? Numbered)?.number })
        }
        let kept = isKept ? screen.current : nil
        for number in [1, 1, 2, 2, 3] { screen.current = Numbered(number, "") }
        expectEqual(told, [[1, 2], [2, 3]])
        extendLifetime(kept)
    }

    private class Member: TrackedObject, Equatable {
        let number: Int
        init(_ number: Int) { self.number = number }
        static func == (a: Member, b: Member) -> Bool { a.number == b.number }
    }
    private final class Chair: Member {}
    private final class Guest: Member {}

    private final class Club: TrackedObject {
        @Observed var first: Member
        @Derived({ (club: Club) in club.first }) var lead: Member
        @Derived({ (club: Club) in .some(club.first) }) var maybe: Member?
        @Derived({ (club: Club) in [club.first, [club.first]] as [Any] }) var all: [Any]
        init(_ first: Member) { self.first = first }
    }

    @Test("objects of different subclasses are equal by the == of the class that both are of, in either direction")
    func subclasses() {
        let club = Club(Chair(1))
        var calls = 0
        club.$lead.observe { _ in calls += 1 }
        club.$maybe.observe { _ in calls += 1 }
        club.$all.observe { _ in calls += 1 }
        club.$first.observe(options: .distinct) { _ in calls += 1 }
        for member in [Member(1), Chair(1), Guest(1), Chair(1), Member(1)] { club.first = member }
        expectEqual(calls, 0)
        club.first = Guest(2)
        expectEqual(calls, 4)
    }

    @Test("an equal object inside of an `AnyHashable` is another one") func hashed() {
        let list = List()
        list.items = [Item(1, level: 1)]
        var told: [Int] = []
        list.$hashedLevel.observe(options: .new) { told.append($0.newValue!) }
        list.items = [Item(1, level: 5)]
        list.items[0].level = 6
        expectEqual(told, [5, 6])
    }
}
