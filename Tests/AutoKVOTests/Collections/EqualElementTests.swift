import AutoKVO
import AutoKVOTestSupport
import Testing

/// Is equal to another one of the same number.
private struct Song: Hashable, CustomStringConvertible {
    let number: Int
    var stars: Int

    static func == (a: Song, b: Song) -> Bool { a.number == b.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }

    var description: String { "\(number):\(stars)" }
}

private final class Album: TrackedObject {
    @Observed var songs = [Song(number: 1, stars: 0), Song(number: 2, stars: 0)]
    @Observed var set: Set<Song> = [Song(number: 1, stars: 0)]
    @Observed var names = ["Cafe\u{301}"]
    @Observed(.distinct) var kept = [Song(number: 1, stars: 0)]
    @Observed var other = 0

    var state: [String] { [songs.description] + set.map(\.description).sorted() + names.map { "\($0.utf8.count)" } }
}

/// A set that is no `Set`, and has only what each one has.
private struct OtherSet: SetAlgebra, Collection {
    typealias Element = Int
    static let intersections = Counter()
    var set: Set<Int> = []

    var isEmpty: Bool { self.set.isEmpty }
    var startIndex: Set<Int>.Index { self.set.startIndex }
    var endIndex: Set<Int>.Index { self.set.endIndex }
    subscript(index: Set<Int>.Index) -> Int { self.set[index] }
    func index(after index: Set<Int>.Index) -> Set<Int>.Index { set.index(after: index) }

    func contains(_ member: Int) -> Bool { set.contains(member) }
    func union(_ other: OtherSet) -> OtherSet { OtherSet(set: set.union(other.set)) }
    func intersection(_ other: OtherSet) -> OtherSet {
        Self.intersections.add()
        return OtherSet(set: set.intersection(other.set))
    }
    func symmetricDifference(_ other: OtherSet) -> OtherSet { OtherSet(set: set.symmetricDifference(other.set)) }
    mutating func insert(_ member: Int) -> (inserted: Bool, memberAfterInsert: Int) { set.insert(member) }
    mutating func remove(_ member: Int) -> Int? { set.remove(member) }
    mutating func update(with member: Int) -> Int? { set.update(with: member) }
    mutating func formUnion(_ other: OtherSet) { set.formUnion(other.set) }
    mutating func formIntersection(_ other: OtherSet) { set.formIntersection(other.set) }
    mutating func formSymmetricDifference(_ other: OtherSet) { set.formSymmetricDifference(other.set) }
}

/// Is equal to another one of the same number.
private final class Member: TrackedObject, Hashable {
    let number: Int
    @Observed var level: Int

    init(_ number: Int, level: Int) { (self.number, self.level) = (number, level) }

    static func == (a: Member, b: Member) -> Bool { a.number == b.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

private final class MemberSet: TrackedObject {
    @Observed var members: Set<Member> = []
    @Derived({ (team: MemberSet) in team.members.reduce(0) { $0 + $1.level } }) var sum: Int

    override class var schema: Schema { Schema(MemberSet.self, extending: super.schema) { Key("members", \.members) } }
}

private protocol Shape {}

/// Elements that are equal and not the same.
struct EqualElementTests {
    private final class Bag: TrackedObject { @Observed var values: [Any] = [] }

    @Test("1 and 1.0 are different elements") func types() {
        let bag = Bag()
        bag.values = [1, "a"]
        var (copy, counts): ([Any], [Int]) = (bag.values, [])
        bag.$values.observe(options: [.old, .new]) { $0.apply(to: &copy) }
        bag.$values.observeElements(added: { _ in counts.append(1) }, removed: { _ in counts.append(-1) })
        bag.$values.update(to: [1.0, "a", "b"])
        expectEqual(copy.map { "\(type(of: $0)) \($0)" }, ["Double 1.0", "String a", "String b"])
        expectEqual(counts.sorted(), [-1, 1, 1])
    }

    @Test("what an edit makes is stored, and of an equal element nobody is notified", arguments: [false, true])
    func edit(isObserved: Bool) {
        let album = Album()
        let calls = Counter()
        if isObserved {
            album.$songs.observe { _ in calls.add() }
            album.$set.observe { _ in calls.add() }
            album.$names.observe { _ in calls.add() }
        }
        album.$songs.edit { $0[0].stars = 5 }
        album.$set.edit { $0.update(with: Song(number: 1, stars: 6)) }
        album.$names.update(to: ["Caf\u{e9}"])
        expectEqual(album.state, ["[1:5, 2:0]", "1:6", "5"])
        album.$set.value = [Song(number: 1, stars: 7)]
        album.$songs.update(to: [Song(number: 1, stars: 8), Song(number: 2, stars: 8)])
        expectEqual(album.state, ["[1:8, 2:8]", "1:7", "5"])
        expectEqual(calls.count, 0)
    }

    @Test("among others that come and go, too") func among() {
        let album = Album()
        let recorder = Recorder<[Song]>()
        album.$songs.observe(options: [.old, .new], recorder.handler())
        album.$songs.edit { songs in
            songs[1].stars = 1
            songs.append(Song(number: 3, stars: 0))
        }
        expectEqual(album.songs.description, "[1:0, 2:1, 3:0]")
        album.$songs.edit { songs in
            songs[2].stars = 2
            songs[0] = Song(number: 4, stars: 0)
        }
        expectEqual(album.songs.description, "[4:0, 2:1, 3:2]")
        album.$songs.update(to: [Song(number: 2, stars: 9), Song(number: 5, stars: 0)])
        expectEqual(album.songs.description, "[2:9, 5:0]")
        expectEqual(recorder.entries.map(\.kind), [.insertion, .replacement, .removal, .insertion])
    }

    @Test("of objects in a set an equal one replaces the other: what follows the elements follows it", arguments: 0..<5)
    func objects(form: Int) throws {
        let (team, other) = (MemberSet(), MemberSet())
        team.members = [Member(1, level: 5), Member(2, level: 1)]
        other.members = team.members
        let coming = Member(1, level: 7)
        let new = [coming, team.members.first { $0.number == 2 }!]
        var told = ["": 6, "derived": 6]
        let recorder = Recorder<Set<Member>>()
        try team.observe("members.@sum.level", as: Int.self, options: .new) { told[""] = $0.newValue! }
        team.$sum.observe(options: .new) { told["derived"] = $0.newValue! }
        team.$members.observeEach(\.$level, options: .new) { _, change in told["each"] = change.newValue! }
        team.$members.observe(options: [.old, .new], recorder.handler())
        for each in [team, other] {
            switch form {
            case 0: each.$members.value = Set(new)
            case 1: each.$members.update(to: new)
            case 2: _ = each.$members.edit { $0.update(with: coming) }
            case 3: try each.mutableSetValue(forKey: "members").setElements(new)
            default: each.$members.update(with: coming)
            }
            #expect(each.members.contains { $0 === coming } && each.members.count == 2)
        }
        expectEqual(told, ["": 8, "derived": 8])
        expectEqual(recorder.entries.map(\.kind), [.replacement])
        coming.level = 100
        expectEqual(told, ["": 101, "derived": 101, "each": 100])
        team.$members.value = Set(new)
        expectEqual(recorder.entries.count, 1)
    }

    private final class Reader: TrackedObject {
        @Observed var songs = [Song(number: 1, stars: 0)]
        @Observed var grid = [[Member(1, level: 1)]]
        @Observed var some: Set<Member?> = [Member(1, level: 1)]
        @Observed(.distinct) var kept: Set<Member> = [Member(1, level: 1)]
        @Derived({ (reader: Reader) in reader.songs.reduce(0) { $0 + $1.stars } }) var stars: Int
        @Derived({ (reader: Reader) in reader.grid.joined().reduce(0) { $0 + $1.level } }) var levels: Int
        @Derived({ (reader: Reader) in reader.some.reduce(0) { $0 + ($1?.level ?? 0) } }) var someLevels: Int
        @Derived({ (reader: Reader) in reader.kept.reduce(0) { $0 + $1.level } }) var keptLevels: Int
    }

    @Test("what is computed from elements is computed when equal ones are stored, and told", arguments: [false, true])
    func computed(isCoalesced: Bool) throws {
        let reader = Reader()
        var (told, calls): ([String: Int], Int) = ([:], 0)
        for key in ["stars", "levels", "someLevels", "keptLevels", "grid.@sum.@sum.level"] {
            try reader.observe(key, as: Int.self, options: .new) { told[key] = $0.newValue! }
        }
        for key in ["songs", "grid", "some", "kept"] { try reader.observe(key) { _ in calls += 1 } }
        let (first, second, third) = (Member(1, level: 2), Member(1, level: 3), Member(1, level: 4))
        func edit() {
            reader.$songs.edit { $0[0].stars = 5 }
            reader.$grid.edit { $0[0][0] = first }
            reader.$some.value = [second]
            reader.$kept.value = [third]
        }
        if isCoalesced { coalescingChanges(edit) } else { edit() }
        expectEqual(told.filter { $0.key.count < 12 }, ["stars": 5, "levels": 2, "someLevels": 3])
        #expect(reader.stars == 5 && reader.levels == 2 && reader.someLevels == 3 && reader.keptLevels == 1)
        (first.level, second.level, third.level) = (12, 13, 14)
        expectEqual(
            told, ["stars": 5, "levels": 12, "someLevels": 13, "grid.@sum.@sum.level": 12])
        // An equal object in the place of another one is a change of a set of optional ones.
        expectEqual(calls, 1)
    }

    private final class Group: TrackedObject {
        @Observed var readers: [Reader] = []
        @Derived({ (group: Group) in group.readers.first { !$0.songs.isEmpty } }) var first: Reader?
        @Observed var sole: Reader?
    }

    @Test(
        "a path that leads on from what is computed is not called if equal elements give the same value",
        arguments: [[], .new, [.old, .new, .distinct], .once, .prior] as [ObservingOptions], [false, true])
    func unchanged(options: ObservingOptions, isCoalesced: Bool) throws {
        let (reader, group) = (Reader(), Group())
        (group.readers, group.sole) = ([reader], reader)
        var calls: [String] = []
        for keyPath in ["readers.@sum.stars", "first.kept", "sole.stars"] {
            try group.observe(keyPath, options: options) { if !$0.isPrior { calls.append($0.keyPath) } }
        }
        func update(_ song: Song) {
            if isCoalesced {
                coalescingChanges { reader.$songs.update(to: [song]) }
            } else {
                reader.$songs.update(to: [song])
            }
        }
        update(Song(number: 1, stars: 0))
        expectEqual(calls, [])
        update(Song(number: 1, stars: 3))
        expectEqual(calls, ["readers.@sum.stars", "sole.stars"])
    }

    private final class Silent: TrackedObject {
        @Observed var songs = [Song(number: 1, stars: 0)]
        @Derived({ (silent: Silent) in silent.songs.reduce(0) { $0 + $1.stars } }) var stars: Int

        override class var schema: Schema {
            Schema(Silent.self, extending: super.schema) { Key("songs", \.songs, notifiesAutomatically: false) }
        }
    }

    @Test(
        "equal elements stored under a key with notifiesAutomatically: false call nobody before the change is announced"
    )
    func silent() {
        let silent = Silent()
        var told: [Int] = []
        silent.$stars.observe(options: .new) { told.append($0.newValue!) }
        silent.$songs.edit { $0[0].stars = 5 }
        expectEqual(told, [])
        silent.withMutation(of: "songs") { silent.$songs.edit { $0[0].stars = 6 } }
        expectEqual(told, [6])
    }

    @Test("a distinct property keeps what is equal") func distinct() {
        let album = Album()
        album.$other.observe { _ in }
        album.$kept.edit { $0[0].stars = 5 }
        expectEqual(album.kept.description, "[1:0]")
    }

    @Test("a prior handler's edit is not undone by what was equal before it") func prior() {
        let album = Album()
        var isFirst = true
        album.$songs.observe(options: .prior) { [unowned album] change in
            guard change.isPrior, isFirst else { return }
            isFirst = false
            album.$songs.append(Song(number: 3, stars: 0))
        }
        // Planned again, it finds the array that it makes.
        album.$songs.edit { $0 = [Song(number: 1, stars: 1), Song(number: 2, stars: 1), Song(number: 3, stars: 1)] }
        expectEqual(album.songs.map(\.number), [1, 2, 3])
        album.$songs.append(Song(number: 4, stars: 4))
        expectEqual(album.songs.count, 4)
    }

    @Test("an observed object has what one has that is not observed, and a copy what is equal", arguments: 0..<40)
    func walk(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        func number(_ below: Int) -> Int { Int(random.next() % UInt64(below)) }
        let (album, plain) = (Album(), Album())
        var (songs, set) = (album.songs, album.set)
        album.$songs.observe(options: [.old, .new]) { $0.apply(to: &songs) }
        album.$set.observe(options: [.old, .new]) { $0.apply(to: &set) }
        for step in 0..<60 {
            let (song, place, form) = (Song(number: number(6), stars: step), number(4), number(7))
            let some = (0..<number(5)).map { _ in Song(number: number(6), stars: step) }
            for each in [album, plain] {
                switch form {
                case 0: each.$songs.edit { if place < $0.count { $0[place] = song } }
                case 1: each.$songs.edit { $0.insert(song, at: min(place, $0.count)) }
                case 2: each.$songs.update(to: some)
                case 3: each.$songs.edit { songs in for index in songs.indices { songs[index].stars = step } }
                case 4: each.$set.edit { $0.update(with: song) }
                case 5: each.$set.update(to: Set(some.prefix(1)))
                default: each.$set.value = Set(some.suffix(1))
                }
            }
            #expect(album.state == plain.state, "seed \(seed), step \(step), form \(form)")
            #expect(songs == album.songs && set == album.set, "seed \(seed), step \(step), form \(form)")
        }
    }

    private final class Team: TrackedObject {
        @Observed var all: [AnyHashable] = []
        @Observed var set: Set<AnyHashable> = []
        @Observed var some: Set<Member?> = []
        @Observed var array: [Member?] = []
        @Observed var both: Set<AnyHashable?> = []

        override class var schema: Schema {
            Schema(Team.self, extending: super.schema) {
                Key("all", \.all)
                Key("set", \.set)
                Key("some", \.some)
                Key("array", \.array)
                Key("both", \.both)
            }
        }
    }

    @Test(
        "an object inside of an `AnyHashable`, or of an optional, is the same only if it is",
        arguments: ["all", "set", "some", "array", "both"], 0..<3)
    func hidden(key: String, form: Int) throws {
        let team = Team()
        let (former, equal, added) = (Member(1, level: 1), Member(1, level: 2), Member(3, level: 0))
        (team.all, team.set, team.some, team.array) = ([former], [former], [former], [former])
        team.both = [former]
        var (told, joined, left): ([Int], Int, Int) = ([], 0, 0)
        try team.observe(key + ".@sum.level", as: Int.self, options: .new) { told.append($0.newValue!) }
        switch key {
        case "set": team.$set.observeElements(added: { _ in joined += 1 }, removed: { _ in left += 1 })
        case "some": team.$some.observeElements(added: { _ in joined += 1 }, removed: { _ in left += 1 })
        default: (joined, left) = (2, 1)
        }
        switch (key, form) {
        case ("all", 0): team.$all.update(to: [equal, added])
        case ("all", 1): team.$all.edit { $0 = [equal, added] }
        case ("all", _): team.all = [equal, added]
        case ("set", 0): team.$set.update(to: [equal, added])
        case ("set", 1): team.$set.value = [equal, added]
        case ("set", _): team.$set.edit { $0 = [equal, added] }
        case ("some", 0): team.$some.update(to: [equal, added])
        case ("some", 1): team.$some.value = [equal, added]
        case ("some", _): team.$some.edit { $0 = [equal, added] }
        case ("both", 0): team.$both.update(to: [equal, added])
        case ("both", 1): team.$both.value = [equal, added]
        case ("both", _): team.$both.edit { $0 = [equal, added] }
        case (_, 0): team.$array.update(to: [equal, added])
        case (_, 1): team.$array.edit { $0 = [equal, added] }
        default: team.array = [equal, added]
        }
        expectEqual(told.last, 2)
        equal.level = 50
        expectEqual(told.last, 50)
        let count = told.count
        former.level = 7
        expectEqual(told.count, count)
        #expect((joined, left) == (2, 1))
    }

    private final class Numbers: TrackedObject {
        @Observed var set: Set<Double> = []
        override class var schema: Schema { Schema(Numbers.self, extending: super.schema) { Key("set", \.set) } }
    }

    @Test("an edit takes the elements out of a set that it announces, also a structure with NaN", arguments: 0..<4)
    func holdingNotEqualToItself(form: Int) throws {
        struct Point: Hashable { var x: Double }
        final class Points: Model { @Observed var set: Set<Point> = [Point(x: .nan), Point(x: 1)] }
        let points = Points()
        if form == 3 { points.$set.remove(Point(x: 1)) }
        var copy = points.set
        if form > 0 { points.$set.observe(options: [.old, .new]) { $0.apply(to: &copy) } }
        let history = UndoHistory(of: points)
        switch form {
        case 0, 1: points.$set.removeAll { $0.x.isNaN }
        case 2: points.$set.formIntersection([Point(x: 1)])
        default: points.$set.insert(Point(x: 1))
        }
        if form < 3 { #expect(points.set == [Point(x: 1)] && (form == 0 || copy == points.set)) }
        #expect(history.undo())
        expectEqual(points.set.count, form < 3 ? 2 : 1)
        #expect(points.set.contains { $0.x.isNaN })
        if form > 0 { expectEqual(copy.count, points.set.count) }
        points.$set.removeAll()
        #expect(points.set.isEmpty && (form == 0 || copy.isEmpty))
    }

    @Test("an edit that does nothing calls nobody, and no observer of what is computed", arguments: 0..<6)
    func nothingDone(form: Int) {
        struct Row { let song: Song }
        final class List: Model {
            @Observed var songs = [Song(number: 1, stars: 0)]
            @Observed var set: Set<Song> = [Song(number: 1, stars: 0)]
            @Observed var members = [Member(1, level: 0)]
            @Derived({ (list: List) in list.songs.map(Row.init) + list.set.map(Row.init) }) var rows: [Row]
            @Derived({ (list: List) in list.members.map { _ in Row(song: Song(number: 0, stars: 0)) } }) var others:
                [Row]
        }
        let list = List()
        var calls = 0
        list.$rows.observe { _ in calls += 1 }
        list.$others.observe { _ in calls += 1 }
        list.$songs.observe { _ in calls += 1 }
        switch form {
        case 0: list.$songs.edit { if $0.count > 2 { $0.removeLast() } }
        case 1: list.$songs.update(to: list.songs)
        case 2: list.$set.edit { if $0.count > 2 { $0.removeFirst() } }
        case 3: list.$set.update(to: list.set)
        case 4: list.$members.edit { $0 = [$0[0]] }
        default: list.$members.update(to: [list.members[0]])
        }
        expectEqual(calls, 0)
    }

    @Test("an edit that moves no object is stored where the collection is more than its elements")
    func moreThanElements() {
        final class Album: Model { @Observed var part: ArraySlice<Member> = [] }
        let (album, members) = (Album(), (0..<4).map { Member($0, level: 0) })
        album.part = members[0..<2]
        album.$part.observe { _ in }
        let other = (members + members)[4..<6]
        album.$part.edit { $0 = other }
        expectEqual(album.part.startIndex, 4)
    }

    @Test("an edit that moves no object is stored, and tells nobody") func reservedCapacity() {
        final class Team: Model {
            @Observed var rows = [Member(0, level: 0)]
            @Derived({ (team: Team) in team.rows.map { _ in {} } }) var functions: [() -> Void]
        }
        let team = Team()
        var calls = 0
        team.$rows.observe { _ in calls += 1 }
        team.$functions.observe { _ in calls += 1 }
        team.$rows.edit { $0.reserveCapacity(1_000) }
        #expect(team.rows.capacity >= 1_000 && calls == 0)
    }

    @Test("also of a set of another kind, whose elements are not found one by one if many are taken out")
    func otherKind() {
        final class Numbers: Model { @Observed var set = OtherSet(set: Set(0..<1_000)) }
        let numbers = Numbers()
        var changes: [String] = []
        numbers.$set.observe(options: [.old, .new]) {
            changes.append("\($0.oldValue!.count) \($0.newValue?.count ?? 0)")
        }
        #expect(numbers.$set.remove(1) == 1 && numbers.$set.remove(1) == nil)
        expectEqual(numbers.$set.insert(0).memberAfterInsert, 0)
        let before = OtherSet.intersections.count
        numbers.$set.subtract(OtherSet(set: Set(2..<1_000)))
        expectEqual(OtherSet.intersections.count - before, 1)
        #expect(numbers.set.set == [0] && changes == ["1 0", "998 0"])
    }

    @Test("edits of an observed set give and tell the elements that are in it, not equal ones") func storedMembers() {
        let album = Album()
        album.set = [Song(number: 1, stars: 1), Song(number: 2, stars: 2), Song(number: 3, stars: 3)]
        var changes: [String] = []
        album.$set.observe(options: [.old, .new]) { change in
            changes.append("\(change.oldValue.map { "\($0)" } ?? "-") \(change.newValue.map { "\($0)" } ?? "-")")
        }
        expectEqual("\(album.$set.insert(Song(number: 1, stars: 9)).memberAfterInsert)", "1:1")
        expectEqual("\(album.$set.update(with: Song(number: 1, stars: 9))!)", "1:1")
        expectEqual("\(album.$set.remove(Song(number: 2, stars: 9))!)", "2:2")
        album.$set.subtract([Song(number: 3, stars: 9)])
        #expect(album.$set.remove(Song(number: 4, stars: 0)) == nil)
        expectEqual(changes, ["[1:1] [1:9]", "[2:2] -", "[3:3] -"])
    }

    @Test("an edit takes the elements out of a set that it announces, also NaN", arguments: 0..<6)
    func notEqualToItself(form: Int) throws {
        let numbers = Numbers()
        numbers.set = [.nan, 1]
        var (removed, copy) = (0, numbers.set)
        numbers.$set.observe(options: [.old, .new]) { $0.apply(to: &copy) }
        numbers.$set.observe(options: [.old, .new]) { removed += ($0.oldValue?.count ?? 0) - ($0.newValue?.count ?? 0) }
        let history = UndoHistory(of: numbers)
        var isUndone = true
        switch form {
        case 0: numbers.$set.removeAll { $0.isNaN }
        case 1: numbers.$set.formIntersection([1])
        case 2: try numbers.mutableSetValue(forKey: "set").removeAll { ($0 as! Double).isNaN }
        case 3: try numbers.mutableSetValue(forKey: "set").formIntersection([1])
        case 4: numbers.$set.removeAll()
        default:
            numbers.$set.insert(.nan)
            expectEqual(numbers.set.count, 3)
            history.undo()
            isUndone = false
        }
        expectEqual(numbers.set.count, 2 - removed)
        expectEqual(copy.count, numbers.set.count)
        #expect(form == 4 ? numbers.set.isEmpty : form == 5 || numbers.set == [1])
        if isUndone { history.undo() }
        expectEqual(numbers.set.count, 2)
    }

    @Test("the same objects in another array of any kind are no change of what is computed from them")
    func contiguous() {
        final class Team: TrackedObject {
            @Observed var rows: ContiguousArray = [Member(0, level: 0)]
            @Derived({ (team: Team) in team.rows.map { _ in {} } }) var functions: [() -> Void]
        }
        let (team, calls) = (Team(), Counter())
        team.$functions.observe { _ in calls.add() }
        team.$rows.update(to: Array(team.rows))
        team.$rows.edit { $0.reserveCapacity(1_000) }
        expectEqual(calls.count, 0)
        team.$rows.append(Member(1, level: 1))
        expectEqual(calls.count, 1)
    }

    private final class Shelf: TrackedObject {
        @Observed var songs = [Song(number: 1, stars: 0)]
        @Observed var set: Set<Song> = [Song(number: 1, stars: 0)]
        @Observed var next: Shelf?
        var first: Int { songs.first?.stars ?? -1 }
        var best: Int { self.set.map(\.stars).max() ?? -1 }
        var second: Int { next?.first ?? -1 }

        override class var schema: Schema {
            Schema(Shelf.self, extending: super.schema) {
                Key("songs", \.songs)
                Key("set", \.set)
                Key("next", \.next)
                Key("first", \.first, affectedBy: "songs")
                Key("best", \.best, affectedBy: "set")
                Key("second", \.second, affectedBy: "next.first")
            }
        }
    }
    private final class Label: TrackedObject { @Observed var text = 0 }

    @Test(
        "observers of a key that is affectedBy a collection are called for equal elements if its value changes",
        arguments: [false, true])
    func affected(isCoalesced: Bool) throws {
        let (shelf, root, label, calls) = (Shelf(), Shelf(), Label(), Counter())
        root.next = shelf
        var told: [String: [Int?]] = [:]
        for key in ["first", "best"] {
            try shelf.observe(key, as: Int.self, options: [.old, .new]) { told[key] = [$0.oldValue, $0.newValue] }
        }
        for key in ["second", "next.first"] {
            try root.observe(key, as: Int.self, options: [.old, .new]) { told[key] = [$0.oldValue, $0.newValue] }
        }
        shelf.$songs.observe { _ in calls.add() }
        try root.observe("next.songs") { _ in calls.add() }
        label.$text.bind(to: \.first, of: shelf)
        let seen = Counter()
        _ = track({ shelf.observable.first }) { seen.add() }
        func edit(_ stars: Int) {
            func edit() {
                shelf.$songs.edit { $0[0].stars = stars }
                shelf.$set.update(to: [Song(number: 1, stars: stars)])
            }
            if isCoalesced { coalescingChanges(edit) } else { edit() }
        }
        edit(5)
        expectEqual(told, ["first": [0, 5], "best": [0, 5], "second": [0, 5], "next.first": [0, 5]])
        #expect(label.text == 5 && seen.count == 1)
        told = [:]
        edit(5)
        shelf.$songs.update(to: Array([Song(number: 1, stars: 5)]))
        expectEqual(told, [:])
        expectEqual(calls.count, 0)
    }

    @Test("a prior handler of such a key may edit the collection: the edit is made again behind it")
    func editedInPrior() throws {
        let shelf = Shelf()
        var (isFirst, told) = (true, [Int]())
        try shelf.observe("first", as: Int.self, options: [.new, .prior]) { [unowned shelf] change in
            if !change.isPrior { return told.append(change.newValue!) }
            if isFirst {
                isFirst = false
                shelf.$songs.append(Song(number: 2, stars: 2))
            }
        }
        var runs = 0
        shelf.$songs.edit {
            runs += 1
            $0[0].stars = 5
        }
        expectEqual(shelf.songs.description, "[1:5, 2:2]")
        #expect(runs == 2 && told.last == 5)
    }

    @Test(
        "a change that a prior handler of such a key makes calls its observers as any change does",
        arguments: [false, true])
    func toldInPrior(isAssignment: Bool) throws {
        let (shelf, root) = (Shelf(), Shelf())
        root.next = shelf
        let recorder = Recorder<[Song]>()
        var (isFirst, calls) = (true, 0)
        let history = UndoHistory(of: shelf)
        shelf.$songs.observe(options: [.old, .new], recorder.handler())
        try root.observe("next.songs") { _ in calls += 1 }
        try shelf.observe("first", options: [.new, .prior]) { [unowned shelf] change in
            guard change.isPrior, isFirst else { return }
            isFirst = false
            if isAssignment {
                shelf.songs.append(Song(number: 2, stars: 2))
            } else {
                shelf.$songs.append(Song(number: 2, stars: 2))
            }
        }
        shelf.$songs.edit { $0[0].stars = 5 }
        expectEqual(recorder.entries.map(\.kind), [isAssignment ? .setting : .insertion])
        #expect(calls == 1 && history.canUndo && shelf.songs.count == 2)
    }

    @Test("a path that comes to the collection in such a handler is told of its move alone") func movedInPrior() throws
    {
        let (shelf, root) = (Shelf(), Shelf())
        var calls: [String] = []
        try root.observe("next.songs") { calls.append($0.keyPath) }
        try root.observe("next.first", options: .new) { calls.append($0.keyPath) }
        try shelf.observe("first", options: [.new, .prior]) { [unowned root, unowned shelf] change in
            if change.isPrior, root.next == nil { root.next = shelf }
        }
        shelf.$songs.edit { $0[0].stars = 5 }
        expectEqual(calls, ["next.songs", "next.first", "next.first"])
    }

    @Test("an operator on the collection is told if its value is another one, and so are observers of an override")
    func operatorAndOverride() throws {
        final class Team: TrackedObject { @Observed var rows = [[Member(1, level: 1)]] }
        let team = Team()
        var told: [[Int]] = []
        try team.observe("rows.@unionOfArrays.level", options: .new) { told.append($0.newValue as? [Int] ?? []) }
        team.$rows.edit { $0[0] = [Member(1, level: 2)] }
        let member = team.rows[0][0]
        team.$rows.edit { $0[0] = [member] }
        expectEqual(told, [[2]])
        class Base: TrackedObject {
            @Observed var songs = [Song(number: 1, stars: 0)]
            override class var schema: Schema {
                Schema(Base.self, extending: super.schema) { Key("songs", \.songs) }
            }
        }
        final class Best: Base {
            override var songs: [Song] {
                get { super.songs.filter { $0.stars > 3 } }
                set { super.songs = newValue }
            }
        }
        let (best, recorder) = (Best(), Recorder<[Song]>())
        best.$songs.observe(options: [.old, .new], recorder.handler())
        best.$songs.edit { $0[0].stars = 5 }
        best.$songs.edit { $0[0].stars = 6 }
        expectEqual(recorder.entries.map { [$0.old!.count, $0.new!.count] }, [[0, 1]])
    }

    private final class Circle: Shape {}
    private class Drawing: TrackedObject {
        @Observed var shapes: [any Shape] = [Circle()]
        var kind: String { "drawing" }
    }
    private final class Sketch: Drawing { override var kind: String { "sketch" } }

    @Test("an edit that changes nothing is none in a class that overrides another property, either")
    func otherOverride() {
        let (sketch, calls) = (Sketch(), Counter())
        let history = UndoHistory(of: sketch)
        sketch.$shapes.observe { _ in calls.add() }
        sketch.$shapes.edit { $0.reserveCapacity(1_000) }
        #expect(calls.count == 0 && !history.canUndo)
    }

    @Test("what prior handlers change while an equal set is stored is one step of a history") func oneStep() throws {
        final class Cabinet: TrackedObject {
            @Observed var set: Set<Song> = [Song(number: 1, stars: 0)]
            @Observed var a = 0
            @Observed var b = 0
            var best: Int { self.set.map(\.stars).max() ?? -1 }
            override class var schema: Schema {
                Schema(Cabinet.self, extending: super.schema) {
                    Key("set", \.set)
                    Key("best", \.best, affectedBy: "set")
                }
            }
        }
        let cabinet = Cabinet()
        let history = UndoHistory(of: cabinet)
        try cabinet.observe("best", options: [.new, .prior]) { [unowned cabinet] change in
            if change.isPrior { (cabinet.a, cabinet.b) = (1, 1) }
        }
        cabinet.$set.edit { $0.update(with: Song(number: 1, stars: 5)) }
        #expect(history.undo() && cabinet.a == 0 && cabinet.b == 0 && !history.canUndo)
    }

    private class Base: TrackedObject {
        @Observed var tags = ["a", "b"]
        @Observed var cells: [Member?] = [Member(1, level: 1), nil]
        var kind: String { "base" }
    }
    private final class OtherOverride: Base { override var kind: String { "other" } }
    private final class Watched: Base { override var tags: [String] { didSet {} } }

    @Test("an equal array is no change where the getter returns what is stored", arguments: 0..<3)
    func equalArray(kind: Int) {
        let base = [Base(), OtherOverride(), Watched()][kind]
        // The library knows by a write that the getter is overridden.
        if kind == 2 { base.tags = base.tags }
        var (kinds, priors): ([ChangeKind], Int) = ([], 0)
        base.$tags.observe(options: [.old, .new]) { kinds.append($0.kind) }
        coalescingChanges {
            base.$tags.update(to: ["a", "b"])
            base.$tags.append("x")
        }
        expectEqual(kinds, [.insertion])
        base.$tags.observe(options: .prior) { [unowned base] change in
            if change.isPrior { priors += 1 }
            if change.isPrior, priors < 5 { base.$tags.update(to: base.tags.sorted()) }
        }
        base.$tags.update(to: ["a", "b", "x"])
        expectEqual(priors, 0)
        let calls = Counter()
        _ = messages { base.$cells.observe { _ in calls.add() } }
        base.$cells.edit { $0.reserveCapacity(1_000) }
        expectEqual(calls.count, 0)
    }
}
