import AutoKVOTestSupport
import Testing

@testable import AutoKVO

private class Sized: Model {
    @Observed var size = 1
    @Observed var items = [1, 2]
    @Observed var note = "a"
    @ObservedReadOnly var count = 1
    @ObservedWeak var friend: Sized?

    func addItem(_ item: Int) { $items.append(item) }
}

/// Nothing is declared: no key path leads to the getters.
private final class Doubled: Sized {
    var spare: Sized?
    override var size: Int {
        get { super.size * 2 }
        set { super.size = newValue }
    }
    override var items: [Int] {
        get { super.items.filter { $0 > 0 } }
        set { super.items = newValue }
    }
    override var count: Int {
        get { super.count * 2 }
        set { super.count = newValue }
    }
    override var friend: Sized? {
        get { super.friend ?? spare }
        set { super.friend = newValue }
    }
    /// Changes the storage in place.
    func grow() { super.size += 1 }
    func growItems() { super.items.append(contentsOf: [-5, 5]) }
}

private class Declared: Sized {
    var area: Int { size * size }
    override class var schema: Schema {
        Schema(Declared.self, extending: super.schema) {
            Key("size", \.size)
            Key("items", \.items)
            Key("area", \.area, affectedBy: "size")
        }
    }
}
private class Between: Declared {}
private final class DeclaredDoubled: Between {
    override var size: Int {
        get { super.size * 2 }
        set { super.size = newValue }
    }
    override var items: [Int] {
        get { super.items.filter { $0 > 0 } }
        set { super.items = newValue }
    }
    func grow() { super.size += 1 }
    func growItems() { super.items.append(contentsOf: [-5, 5]) }
}

private class Content<Value>: Model {
    @Observed var content: Value
    init(_ content: Value) { self.content = content }
}
private final class Wrapped<Element>: Content<[Element]> {
    override var content: [Element] {
        get { super.content + super.content }
        set { super.content = newValue }
    }
}

/// Overrides with observers only: the property is what is stored.
private final class Watched: Sized {
    var log: [Int] = []
    override var size: Int { didSet { log.append(oldValue) } }
    override var items: [Int] { didSet { log.append(-oldValue.count) } }
}

private final class Holder: Model {
    @Observed var item: Sized?
    @Derived({ (holder: Holder) in holder.item?.size ?? 0 }) var size: Int
}

/// What is found by reading, over a getter that a subclass overrides.
private class Measured: Model {
    @Observed var size = 1
    @Observed(.distinct) var level = 1
    @Observed var tags: Set<String> = ["a"]
    @Derived({ (measured: Measured) in measured.size + 1 }) var next: Int
    var area: Int { size * size }
    override class var schema: Schema {
        Schema(Measured.self, extending: super.schema) {
            Key("area", \.area)
            Key("size", \.size)
            Key("level", \.level)
            Key("tags", \.tags)
        }
    }
}
private final class Scaled: Measured {
    override var size: Int {
        get { super.size * 2 }
        set { super.size = newValue }
    }
    override var level: Int {
        get { super.level / 10 }
        set { super.level = newValue }
    }
    override var tags: Set<String> {
        get { super.tags.filter { $0 != "x" } }
        set { super.tags = newValue }
    }
}

private func describe(_ change: Change<Int>) -> String {
    "\(change.oldValue.map { "\($0)" } ?? "-")→\(change.newValue.map { "\($0)" } ?? "-")"
}

/// Overridden accessors.
struct OverriddenTests {
    /// Who observes besides.
    enum Company: CaseIterable { case nobody, another, prior, path, handle, anyKey, anotherKey, openChange, coalescing }

    private func addCompany(_ company: Company, to object: Sized, _ holder: Holder) throws {
        switch company {
        case .another: try object.observe("size", options: [.old, .new]) { _ in }
        case .prior: try object.observe("size", options: [.prior, .old]) { _ in }
        case .path:
            holder.item = object
            try holder.observe("item.size", options: [.old, .new]) { _ in }
        case .handle: object.$size.observe(options: [.old, .new]) { _ in }
        case .anyKey: try object.observeAnyKey(options: [.old, .new]) { _ in }
        case .anotherKey: try object.observe("note", options: [.old, .new]) { _ in }
        case .nobody, .openChange, .coalescing: break
        }
    }

    private func change(_ object: Sized, _ company: Company, _ body: () -> Void) {
        switch company {
        case .openChange: object.$note.withMutation(body)
        case .coalescing: coalescingChanges(body)
        default: body()
        }
    }

    @Test(
        "old and new are what the property reads, whoever else observes, whether a schema declares it or not",
        arguments: Company.allCases, [false, true])
    func setting(company: Company, isDeclared: Bool) throws {
        let object = isDeclared ? DeclaredDoubled() : Doubled() as Sized
        let holder = Holder()
        try addCompany(company, to: object, holder)
        var seen: [String] = []
        try object.observe("size", as: Int.self, options: [.old, .new]) { seen.append(describe($0)) }
        object.$size.observe(options: [.old, .new]) { seen.append("$" + describe($0)) }
        object.observe(\.$size, options: [.old, .new]) { seen.append("\\" + describe($1)) }
        for (value, expected) in [(5, "2→10"), (6, "10→12"), (4, "12→8")] {
            change(object, company) { object.size = value }
            expectEqual(seen, [expected, "$" + expected, "\\" + expected])
            seen = []
        }
        // In place, through the accessors and in the storage.
        change(object, company) { object.size += 1 }
        expectEqual(seen.first, "8→18")
        seen = []
        change(object, company) {
            if isDeclared { (object as! DeclaredDoubled).grow() } else { (object as! Doubled).grow() }
        }
        expectEqual(seen.first, "18→20")
        holder.item = nil
    }

    @Test("a prior observer gets the value from before, and the rest the value from after") func prior() throws {
        for object in [DeclaredDoubled(), Doubled()] as [Sized] {
            var seen: [String] = []
            object.$size.observe(options: [.prior, .old, .new]) { seen.append(describe($0)) }
            object.size = 5
            object.size = 6
            expectEqual(seen, ["2→-", "2→10", "10→-", "10→12"])
        }
    }

    @Test("an observer of new values alone, of old ones alone, of distinct ones") func partial() throws {
        for object in [DeclaredDoubled(), Doubled()] as [Sized] {
            var seen: [String] = []
            try object.observe("size", as: Int.self, options: .new) { seen.append(describe($0)) }
            try object.observe("size", as: Int.self, options: .old) { seen.append(describe($0)) }
            try object.observe("size", as: Int.self, options: [.new, .distinct]) { seen.append("=" + describe($0)) }
            object.size = 5
            object.size = 5
            expectEqual(seen, ["-→10", "2→-", "=-→10", "-→10", "10→-"])
        }
    }

    @Test("a derived key, a path, a current value and a binding's are of what the property reads")
    func others() throws {
        let (object, holder) = (DeclaredDoubled(), Holder())
        holder.item = object
        var seen: [String] = []
        try object.observe("area", as: Int.self, options: [.old, .new]) { seen.append(describe($0)) }
        try holder.observe("item.size", as: Int.self, options: [.old, .new]) { seen.append("p" + describe($0)) }
        object.$size.observe { seen.append("now \($0.currentValue!)") }
        let other = Content(0)
        other.$content.bind(to: object.$size)
        other.$content.observe(options: .new) { seen.append("b\($0.newValue!)") }
        expectEqual(other.content, 2)
        object.size = 5
        expectEqual(seen.sorted(), ["4→100", "b10", "now 10", "p2→10"])
        holder.item = nil
    }

    @Test("a read-only property, and a weak one whose object dies") func otherWrappers() throws {
        let object = Doubled()
        var seen: [String] = []
        try object.observe("count", as: Int.self, options: [.old, .new]) { seen.append(describe($0)) }
        object.count = 5
        object.count += 1
        expectEqual(seen, ["2→10", "10→22"])

        let spare = Sized()
        object.spare = spare
        var friends: [ObjectIdentifier?] = []
        object.$friend.observe(options: [.old, .new]) {
            friends += [$0.oldValue, $0.newValue].map { ($0 ?? nil).map(ObjectIdentifier.init) }
        }
        var friend: Sized? = Sized()
        let id = ObjectIdentifier(friend!)
        object.friend = friend
        expectEqual(friends, [ObjectIdentifier(spare), id])
        friends = []
        // It may die as soon as it is not used any more.
        withExtendedLifetime(friend) {}
        friend = nil
        // The storage is nil now, and the property is the spare one. Of a death there is no old value.
        expectEqual(friends, [nil, ObjectIdentifier(spare)])
        object.spare = nil
    }

    @Test("a generic class") func generic() throws {
        let object = Wrapped([1])
        var seen: [[Int]?] = []
        try object.observe("content", as: [Int].self, options: [.old, .new]) { seen += [$0.oldValue, $0.newValue] }
        object.content = [2]
        (object as Content).content = [3]
        expectEqual(seen, [[1, 1], [2, 2], [2, 2], [3, 3]])
    }

    @Test("an edit of the stored collection is told by indexes only where the property is that collection")
    func edits() throws {
        for object in [DeclaredDoubled(), Doubled()] as [Sized] {
            var log: [[Int]] = []
            try object.observe("items", as: [Int].self, options: [.old, .new]) { change in
                #expect(change.kind == .setting && change.indexes == nil)
                log += [change.oldValue!, change.newValue!]
            }
            object.items = [1, -1, 2]
            object.$items.append(-2)
            object.addItem(3)
            if let object = object as? Doubled { object.growItems() } else { (object as! DeclaredDoubled).growItems() }
            object.items.append(6)
            expectEqual(
                log,
                [
                    [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2, 3], [1, 2, 3], [1, 2, 3, 5], [1, 2, 3, 5],
                    [1, 2, 3, 5, 6],
                ])
        }
        let watched = Watched()
        let recorder = Recorder<[Int]>()
        watched.$items.observe(options: .new, recorder.handler())
        watched.$items.append(3)
        watched.$items.remove(at: 0)
        expectEqual(recorder.kinds, [.insertion, .removal])
        #expect(recorder.entries[0].indexes == RangeSet(2..<3) && recorder.entries[0].new == [3])
        #expect(watched.log.isEmpty)
    }

    @Test("a proxy edits such a collection through its accessors") func proxy() throws {
        let object = DeclaredDoubled()
        object.items = [1, -1, 2]
        var log: [String] = []
        try object.observe("items", as: [Int].self, options: .new) { log.append("\($0.kind) \($0.newValue ?? [])") }
        try object.mutableArrayValue(forKey: "items").append(7)
        #expect(object.items == [1, 2, 7] && object.$items.value == [1, 2, 7])
        expectEqual(log, ["insertion [7]"])
    }

    @Test("an override that only watches: values as stored, once each, and its didSet runs") func watched() throws {
        let object = Watched()
        let recorder = Recorder<Int>()
        object.$size.observe(options: [.old, .new], recorder.handler())
        object.size = 5
        object.size += 1
        object.$size.value = 9
        #expect(recorder.entries.map(\.old) == [1, 5, 6] && recorder.entries.map(\.new) == [5, 6, 9])
        expectEqual(object.log, [1, 5])
    }

    @Test("an operator reads each element by its own getter, before and after a change was seen") func operators()
        throws
    {
        final class List: Model { @Observed var all: [Sized] = [] }
        let list = List()
        let (plain, doubled) = (Declared(), DeclaredDoubled())
        list.all = [plain, doubled]
        var sums: [Int?] = []
        try list.observe("all.@sum.size", as: Int.self, options: [.initial, .new]) { sums.append($0.newValue) }
        doubled.size = 2
        plain.size = 2
        expectEqual(sums, [3, 5, 6])
        list.all = []
    }

    @Test("elements that an edit leaves in the storage alone are not followed", .needs(.classMetadata))
    func hiddenElements() throws {
        class List: Model { @Observed var all: [Sized] = [] }
        final class Short: List {
            override var all: [Sized] {
                get { super.all.count > 2 ? [] : super.all }
                set { super.all = newValue }
            }
        }
        let (list, parts) = (Short(), (0..<3).map { _ in Sized() })
        var (sums, calls): ([Int?], Int) = ([], 0)
        try list.observe("all.@sum.size", as: Int.self, options: .new) { sums.append($0.newValue) }
        try list.observe("all.@unionOfObjects.size") { _ in calls += 1 }
        list.all = [parts[0], parts[1]]
        (sums, calls) = ([], 0)
        list.$all.append(parts[2])
        for part in parts { part.size = 5 }
        #expect(sums == [0] && calls == 1)
        list.$all.removeLast()
        for part in parts { part.size += 1 }
        #expect(sums == [0, 10, 11, 12] && calls == 4)
        list.all = []
    }

    @Test("derived values, what is read and streams have what the property reads") func readers()
        async throws
    {
        let (object, holder) = (Scaled(), Holder())
        let doubled = Doubled()
        holder.item = doubled
        var told: [String] = []
        try object.observe("area", as: Int.self, options: [.old, .new]) { told.append("area " + describe($0)) }
        object.$next.observe(options: [.old, .new]) { told.append("next " + describe($0)) }
        try object.observe("next", as: Int.self, options: [.old, .new]) { told.append("named next " + describe($0)) }
        object.observe(reading: { $0.size + 1 }, options: [.old, .new]) { told.append("read " + describe($1)) }
        holder.$size.observe(options: [.old, .new]) { told.append("holder " + describe($0)) }
        let stream = try object.values(of: "size", as: Int.self)
        object.size = 5
        doubled.size = 7
        expectEqual(
            told.sorted(),
            [
                "area 4→100", "holder 2→14", "named next 3→11", "next 3→11", "read 3→11",
            ])
        object.size = 8
        object.removeAllObservers()
        await expectEqual(stream.reduce(into: []) { $0.append($1) }, [10, 16])
        holder.item = nil
    }

    @Test("coalesced, once, with .prior and inside an edit, old and new are what the property reads") func forms()
        throws
    {
        let object = Scaled()
        var told: [String] = []
        try object.observe("size", as: Int.self, options: [.old, .new, .once, .prior]) {
            told.append("once " + describe($0))
        }
        object.$size.observe(options: [.old, .new]) { [object] change in
            told.append(describe(change))
            if object.size == 10 { object.size = 6 }
        }
        object.$size.observe(options: [.old, .new]) { told.append("behind " + describe($0)) }
        object.size = 5
        expectEqual(told, ["once 2→-", "once 2→10", "2→10", "behind 2→10", "10→12", "behind 10→12"])
        told = []
        coalescingChanges { for size in [7, 8, 9] { object.size = size } }
        expectEqual(told, ["12→18", "behind 12→18"])
        told = []
        object.withMutation(of: "size") { object.size += 2 }
        expectEqual(told, ["18→40", "behind 18→40"])
        told = []
        // In place: what is read is changed, and set.
        object.size += 1
        object.$size.value = 3
        expectEqual(told, ["40→82", "behind 40→82", "82→6", "behind 82→6"])
        // A handler keeps the object.
        object.removeAllObservers()
    }

    @Test("sets, and what is distinct, are compared and told as the property reads") func setsAndDistinct() {
        let object = Scaled()
        var told: [String] = []
        object.$tags.observe(options: [.old, .new]) {
            told.append("\($0.kind) \($0.oldValue?.sorted() ?? []) \($0.newValue?.sorted() ?? [])")
        }
        object.$tags.insert("x")
        object.$tags.insert("b")
        object.tags = ["c"]
        expectEqual(
            told,
            [
                #"setting ["a"] ["a"]"#, #"setting ["a"] ["a", "b"]"#, #"setting ["a", "b"] ["c"]"#,
            ])
        var levels: [String] = []
        object.$level.observe(options: [.old, .new]) { levels.append(describe($0)) }
        object.level = 25
        object.level = 25
        object.level = 31
        expectEqual(levels, ["0→2", "2→3"])
    }

    @Test("whether a getter is overridden is found out for each class", .needs(.classMetadata)) func classes() throws {
        func isOverridden(_ type: AnyClass, _ name: String) throws -> Bool {
            let key = try ClassSchema.of(type).requireKey(name, in: name)
            return key.isOverridden
        }
        #expect(try !isOverridden(Sized.self, "size") && !isOverridden(Declared.self, "size"))
        #expect(try !isOverridden(Between.self, "size") && isOverridden(DeclaredDoubled.self, "size"))
        #expect(try isOverridden(Doubled.self, "size") && isOverridden(Watched.self, "size"))
        #expect(try !isOverridden(Content<Int>.self, "content") && isOverridden(Wrapped<Int>.self, "content"))
        // Methods and initialisers do not count.
        final class Busy: Sized {
            override init() { super.init() }
            override func addItem(_ item: Int) {}
            override class var schema: Schema { super.schema }
        }
        #expect(try !isOverridden(Busy.self, "size"))
    }
}
