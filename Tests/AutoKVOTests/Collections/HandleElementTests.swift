import AutoKVO
import AutoKVOTestSupport
import Testing

/// Elements by handle.
struct HandleElementTests {
    final class Lists: Model {
        @Observed var numbers: [Int] = []
        @Observed var maybe: [String]?
        @Observed var letters: Set<String> = []
        @Observed var counts: [String: Int] = [:]
        @ObservedReadOnly private(set) var log: [Int] = []
        @Observed var other: Lists?

        func add(_ number: Int) { editable(\._log).append(number) }
    }
    let lists = Lists()
    let log = MessageLog()

    @Test("elements that are added and removed, by edits and assignments") func arrays() {
        lists.numbers = [1]
        lists.$numbers.observeElements(
            options: [.initial], added: { [log] in log.add("+\($0 + 0)") }, removed: { [log] in log.add("-\($0 + 0)") })
        lists.$numbers.append(2)
        lists.numbers = [2, 3]
        lists.$letters.observeElements(added: { [log] in log.add("+" + $0) }, removed: { [log] in log.add("-" + $0) })
        lists.$letters.insert("a")
        lists.letters = []
        expectEqual(log.messages, ["+1", "+2", "-1", "+3", "+a", "-a"])
    }

    @Test("an element that is added to a list in the initial call for another list is reported once")
    func initialOfSeveral() {
        let (first, second) = (Lists(), Lists())
        (first.numbers, second.numbers) = ([1], [2])
        var told: [Int] = []
        [first.$numbers, second.$numbers].observeElements(
            options: .initial,
            added: { [unowned second] number in
                told.append(number)
                if number == 1 { second.$numbers.append(3) }
            })
        expectEqual(told, [1, 2, 3])
        second.$numbers.append(4)
        first.$numbers.append(5)
        expectEqual(told, [1, 2, 3, 4, 5])
        withExtendedLifetime((first, second)) {}
    }

    @Test("nil counts as an empty collection") func optionals() {
        lists.$maybe.observeElements(added: { [log] in log.add("+" + $0) }, removed: { [log] in log.add("-" + $0) })
        lists.maybe = ["a"]
        lists.maybe = nil
        expectEqual(log.messages, ["+a", "-a"])
    }

    @Test("of a read-only property, of a path, and of a dictionary's pairs", .needs(.blankObject)) func others() {
        lists.$log.observeElements(added: { [log] in log.add("\($0)") })
        lists.add(1)
        lists.$other.$numbers.observeElements(
            added: { [log] in log.add("+\($0)") }, removed: { [log] in log.add("-\($0)") })
        lists.other = Lists()
        lists.other!.numbers = [7]
        lists.other = nil
        lists.$counts.observeElements(added: { [log] in log.add("\($0.key) \($0.value)") })
        lists.counts = ["k": 4]
        expectEqual(log.messages, ["1", "+7", "-7", "k 4"])
    }

    /// Equal to every other one.
    final class Twin: Model, Hashable {
        static func == (a: Twin, b: Twin) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }
    final class Shop: Model {
        @Observed var prices: [String: Int] = [:]
        @Observed var owners: [String: Twin?]? = [:]
        @Observed var untold: [Int: PlainLamp] = [:]
        @Observed var pairs: [(String, Int)] = []
        @Observed var twins: [Twin?] = []
        @Observed var layers: [Twin??]?
    }

    private func follow<Handle: PropertyHandle, Elements: Collection>(
        _ handle: Handle, _ text: @escaping (Elements.Element) -> String
    ) where Handle.Value == Elements {
        handle.observeElements(
            added: { [log] in log.add("+" + text($0)) }, removed: { [log] in log.add("-" + text($0)) })
    }

    @Test("of a dictionary the entries are reported that differ, by key or by value") func entries() {
        let shop = Shop()
        follow(shop.$prices) { "\($0.key)\($0.value)" }
        shop.prices = ["a": 1, "b": 2, "c": 3]
        expectEqual(log.messages.sorted(), ["+a1", "+b2", "+c3"])
        log.clear()
        shop.prices["b"] = 5
        shop.prices["d"] = 1
        shop.prices["a"] = nil
        shop.prices["c"] = 3
        shop.prices = ["b": 5, "d": 2]
        expectEqual(log.messages.sorted(), ["+b5", "+d1", "+d2", "-a1", "-b2", "-c3", "-d1"])
    }

    @Test("by name, of a dictionary the values are reported that differ, and those of what a path leads to")
    func valuesByName() throws {
        let shop = Shop()
        lists.other = Lists()
        shop.prices = ["a": 1, "b": 2]
        let add = { [log] (value: Int) in log.add("+\(value)") }
        let remove = { [log] (value: Int) in log.add("-\(value)") }
        try shop.observeElements("prices", as: Int.self, added: add, removed: remove)
        try lists.observeElements("other.counts", as: Int.self, added: add, removed: remove)
        shop.prices["a"] = 3
        shop.prices["b"] = 2
        lists.other!.counts = ["x": 1]
        lists.other!.counts["y"] = 2
        lists.other = Lists()
        expectEqual(log.messages.prefix(4), ["-1", "+3", "+1", "+2"])
        expectEqual(log.messages.dropFirst(4).sorted(), ["-1", "-2"])
        log.clear()
        coalescingChanges { for price in 4...6 { shop.prices["a"] = price } }
        expectEqual(log.messages, ["-3", "+6"])
    }

    @Test("the values of a dictionary are compared as elements are: objects by identity, and nil with nil")
    func entryValues() {
        let shop = Shop()
        let (a, b) = (Twin(), Twin())
        shop.$owners.observeElements(
            added: { [log] in log.add("+\($0.key)") }, removed: { [log] in log.add("-\($0.key)") })
        shop.owners = ["x": a, "n": nil]
        log.clear()
        shop.owners = ["x": b, "n": nil]
        expectEqual(log.messages, ["-x", "+x"])
        shop.owners = ["x": b]
        shop.owners = nil
        expectEqual(log.messages.suffix(2), ["-n", "-x"])
        let (lamp, other) = (PlainLamp(), PlainLamp())
        follow(shop.$untold) { "\($0.key)" }
        shop.untold = [1: lamp, 2: lamp]
        log.clear()
        shop.untold = [1: lamp, 2: other]
        expectEqual(log.messages, ["-2", "+2"])
    }

    @Test("tuples are compared by their parts") func tuples() {
        let shop = Shop()
        follow(shop.$pairs) { "\($0.0)\($0.1)" }
        shop.pairs = [("a", 1), ("b", 2), ("a", 1)]
        log.clear()
        shop.pairs = [("a", 1), ("b", 3)]
        expectEqual(log.messages, ["-b2", "-a1", "+b3"])
    }

    @Test("objects in optionals are compared by identity, and nil equals nil") func optionalObjects() {
        let shop = Shop()
        let twins = [Twin(), Twin(), Twin()]
        func name(_ twin: Twin?) -> String { twin.map { twin in "\(twins.firstIndex { $0 === twin }!)" } ?? "nil" }
        follow(shop.$twins, name)
        shop.twins = [twins[0], nil, twins[1]]
        expectEqual(log.messages, ["+0", "+nil", "+1"])
        log.clear()
        shop.twins = [nil, twins[2], twins[0], nil]
        expectEqual(log.messages, ["-1", "+2", "+nil"])
        log.clear()
        shop.$layers.observeElements(
            added: { [log] in log.add("+" + name($0 ?? nil)) }, removed: { [log] in log.add("-" + name($0 ?? nil)) })
        shop.layers = [twins[0], .some(nil), nil]
        shop.layers = [twins[1], nil]
        expectEqual(log.messages, ["+0", "+nil", "+nil", "-0", "-nil", "+1"])
    }

    @Test("the closures go with the object") func lifetimes() {
        let tracker = LifetimeTracker()
        do {
            let (lists, token) = (tracker.track(Lists()), tracker.token())
            lists.$numbers.observeElements(added: { _ in token.touch() })
            lists.$numbers.append(1)
        }
        tracker.expectNoLeaks()
    }

    @Test("a handle that a name has made with a subclass's type gives the elements of that type, one by one")
    func subclass()
        throws
    {
        let (team, employee) = (Department(), Employee("e"))
        team.$people.observe { _ in }
        let staff = try team.path("people", as: [Employee].self)
        staff.observeElements(
            added: { [log] in log.add("+\($0.name)") }, removed: { [log] in log.add("-\($0.name)") })
        staff.observeEach(\.$salary) { [log] member, _ in log.add("\(member.name) is paid") }
        team.people = [employee, Model()]
        employee.salary = 2
        team.$people.remove(at: 1)
        team.$people.remove(at: 0)
        employee.salary = 3
        expectEqual(log.messages, ["+e", "e is paid", "-e"])
    }

    @Test("the entries of a dictionary are taken one by one, too") func entriesThatFit() throws {
        let (team, employee) = (Department(), Employee("e"))
        let staff = try team.path("staff", as: [String: Employee].self)
        staff.observeElements(added: { [log] in log.add("+\($0.key)") }, removed: { [log] in log.add("-\($0.key)") })
        team.staff = ["a": employee]
        team.staff = ["a": employee, "b": Model()]
        team.staff = ["b": Model()]
        expectEqual(log.messages, ["+a", "-a"])
    }

    private final class Employee: Model {
        let name: String
        @Observed var salary = 1
        init(_ name: String) { self.name = name }
    }
    private final class Department: Model {
        @Observed var people: [Model] = []
        @Observed var staff: [String: Model] = [:]
        override class var schema: Schema {
            Schema(Department.self, extending: super.schema) {
                Key("people", \.people)
                Key("staff", \.staff)
            }
        }
    }

    private final class Playlist: TrackedObject {
        @Observed var songs = ["a", "b", "c"]
        @Observed var tags: Set<String> = ["x", "y"]
        @Derived({ (list: Playlist) in
            list.computations += 1
            return list.songs.map { $0 + $0 }
        }) var doubled: [String]
        var computations = 0
    }

    @Test("`map` and `reversed` go over the elements that are there when they begin, too") func mapped() {
        let list = Playlist()
        let songs = list.$songs.map { song in
            list.$songs.removeFirst()
            return song
        }
        #expect(songs == ["a", "b", "c"] && list.songs.isEmpty)
        list.songs = songs
        var backwards: [String] = []
        for song in list.$songs.reversed() {
            backwards.append(song)
            list.$songs.removeFirst()
        }
        expectEqual(backwards, ["c", "b", "a"])
        expectEqual(Set(list.$tags.map { list.$tags.remove($0) }), ["x", "y"])
        list.songs = songs
        let doubled = list.$doubled.map { $0 } + list.$doubled.reversed()
        expectEqual(doubled, ["aa", "bb", "cc", "cc", "bb", "aa"])
        expectEqual(list.computations, 2)
    }

    @Test("inserting at many places puts each element where it belongs", arguments: [1, 2, 3, 50, 5_000])
    func scattered(count: Int) {
        final class Table: TrackedObject { @Observed var rows: [Int] = [] }
        let table = Table()
        table.rows = Array(0..<2 * count)
        var copy = table.rows
        table.$rows.observe(options: [.old, .new]) { $0.apply(to: &copy) }
        let history = UndoHistory(of: table)
        table.$rows.removeAll { $0 % 2 == 0 }
        expectEqual(table.rows.count, count)
        history.undo()
        expectEqual(table.rows, Array(0..<2 * count))
        let other = table.rows.map { $0 % 3 == 0 ? -1 - $0 : $0 }
        table.$rows.update(to: other)
        expectEqual(table.rows, other)
        expectEqual(copy, other)
    }

    @Test("and takes what the array does, not what the places times the array do", .timeLimit(.minutes(2)))
    func scatteredCost() {
        let ratio = timeRatio(to: 40_000) { count in
            final class Table: TrackedObject { @Observed var rows: [Int] = [] }
            let table = Table()
            let history = UndoHistory(of: table)
            table.rows = Array(0..<2 * count)
            table.$rows.removeAll { $0 % 2 == 0 }
            return processorTime { history.undo() }
        }
        #expect(ratio < 8)
    }
}
