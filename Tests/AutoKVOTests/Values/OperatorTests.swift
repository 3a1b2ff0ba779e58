import AutoKVO
import AutoKVOTestSupport
import Testing

/// Collections of plain values and of objects, for operators to be tried on.
final class Team: TrackedObject {
    @Observed var numbers: [Int] = []
    @Observed var numberSet: Set<Int> = []
    @Observed var fractions: [Double] = []
    @Observed var bytes: [UInt8] = []
    @Observed var words: [String] = []
    @Observed var maybes: [Int?] = []
    @Observed var mixed: [Any] = []
    @Observed var table: [String: Int] = [:]
    @Observed var nested: [[Int]] = []
    @Observed var missing: [Int]?
    @Observed var missingSets: [Set<Int>]?
    @Observed var members: [Person] = []
    @Observed var byName: [String: Person] = [:]
    @Observed var teams: [Team] = []
    @Observed var anything: Any = 0

    override class var schema: Schema {
        Schema(Team.self, extending: super.schema) {
            Key("numbers", \.numbers)
            Key("numberSet", \.numberSet)
            Key("fractions", \.fractions)
            Key("bytes", \.bytes)
            Key("words", \.words)
            Key("maybes", \.maybes)
            Key("mixed", \.mixed)
            Key("table", \.table)
            Key("nested", \.nested)
            Key("missing", \.missing)
            Key("missingSets", \.missingSets)
            Key("members", \.members)
            Key("byName", \.byName)
            Key("teams", \.teams)
            Key("anything", \.anything)
        }
    }
}

/// An element whose keys are read in different ways.
class Reading: TrackedObject, Hashable {
    @Observed var whole = 0
    @Observed var fraction = 0.5
    @Observed var small: UInt8 = 1
    @Observed var maybe: Int?
    @Observed var undeclared = 1
    @Observed var other = 100
    var doubled: Int { whole * 2 }

    static func == (a: Reading, b: Reading) -> Bool { a === b }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    init(_ whole: Int) {
        super.init()
        self.whole = whole
    }

    override class var schema: Schema {
        Schema(Reading.self, extending: super.schema) {
            Key("whole", \.whole)
            Key("fraction", \.fraction)
            Key("small", \.small)
            Key("maybe", \.maybe)
            Key("doubled", \.doubled, affectedBy: "whole")
        }
    }
}

/// A subclass whose getters say something else than the storage.
final class Adjusted: Reading {
    override var whole: Int {
        get { super.whole + 1000 }
        set { super.whole = newValue }
    }
}

final class Readings: TrackedObject {
    @Observed var all: [Reading] = []
    @Observed var maybes: [Reading?] = []
    @Observed var some: ArraySlice<Reading> = []
    @Observed var set: Set<Reading> = []
    @Observed var adjusted: [Adjusted] = []
}

/// Collection operators over keys of objects.
struct ElementOperatorTests {
    let readings = Readings()

    private func value<T>(_ path: String, as type: T.Type) throws -> T? { try readings.value(forKeyPath: path) as? T }

    @Test("of elements of several classes each is read by its own getter") func overridden() throws {
        readings.all = [Reading(1), Reading(2), Adjusted(3), Reading(4), Adjusted(5), Adjusted(6)]
        try expectEqual(value("all.@sum.whole", as: Int.self), 3021)
        try expectEqual(value("all.@max.whole", as: Int.self), 1006)
        try expectEqual(value("all.@min.whole", as: Int.self), 1)
        try expectEqual(value("all.@avg.whole", as: Double.self), 503.5)
        try expectEqual(value("all.@unionOfObjects.whole", as: [Int].self), [1, 2, 1003, 4, 1005, 1006])
        try expectEqual(value("all.@sum.doubled", as: Int.self), 6042)
        readings.adjusted = [Adjusted(1), Adjusted(2)]
        try expectEqual(value("adjusted.@sum.whole", as: Int.self), 2003)
    }

    @Test("of elements of classes that have nothing in common but the name, whole numbers and fractions are added")
    func unrelated() throws {
        final class Coin: TrackedObject { @Observed var worth = 2 }
        final class Stamp: TrackedObject { @Observed var worth = 0.5 }
        final class Album: TrackedObject { @Observed var things: [TrackedObject] = [] }
        let album = Album()
        for things in [[Coin(), Stamp()], [Stamp(), Coin()], [Stamp(), Coin(), Coin(), Stamp()]] {
            album.things = things
            let sum = things.reduce(0) { $0 + ($1 is Coin ? 2 : 0.5) }
            try expectEqual(album.value(forKeyPath: "things.@sum.worth") as? Double, sum)
        }
    }

    @Test("a write that no observer is told of is in the next value") func silent() throws {
        readings.all = (0..<10).map { Reading($0) }
        try expectEqual(value("all.@sum.whole", as: Int.self), 45)
        readings.all[3].whole = 100
        try expectEqual(value("all.@sum.whole", as: Int.self), 142)
    }

    @Test("numbers of every type, and nil") func types() throws {
        readings.all = (1...4).map { Reading($0) }
        readings.all[2].fraction = 2
        readings.all[3].maybe = 7
        readings.all[1].small = 255
        try expectEqual(value("all.@sum.fraction", as: Double.self), 3.5)
        try expectEqual(value("all.@max.fraction", as: Double.self), 2)
        try expectEqual(value("all.@sum.small", as: Int.self), 258)
        try expectEqual(value("all.@max.small", as: UInt8.self), 255)
        try expectEqual(value("all.@sum.maybe", as: Int.self), 7)
        try expectEqual(value("all.@avg.maybe", as: Double.self), 1.75)
        try expectEqual(value("all.@sum.undeclared", as: Int.self), 4)
    }

    @Test("in every kind of collection") func collections() throws {
        readings.maybes = [Reading(1), nil, Reading(2)]
        readings.some = [Reading(0), Reading(3), Reading(4)][1...]
        readings.set = [Reading(5), Reading(6)]
        try expectEqual(value("maybes.@sum.whole", as: Int.self), 3)
        try expectEqual(value("maybes.@avg.whole", as: Double.self), 1)
        try expectEqual(value("some.@sum.whole", as: Int.self), 7)
        try expectEqual(value("set.@sum.whole", as: Int.self), 11)
        try expectEqual(value("all.@sum.whole", as: Int.self), 0)
        #expect(try readings.value(forKeyPath: "all.@max.whole") == nil)
    }

    @Test("a sum that does not fit is a floating-point number; it may not fit in between") func overflow() throws {
        readings.all = [Reading(1), Reading(.max), Reading(1), Reading(-5)]
        try expectEqual(value("all.@sum.whole", as: Int.self), .max - 3)
        readings.all.insert(Adjusted(0), at: 0)
        try expectEqual(value("all.@sum.whole", as: Double.self), 9_223_372_036_854_775_807.0 + 1000)
        readings.all = [Reading(.max), Reading(-1), Reading(1)]
        try expectEqual(value("all.@sum.whole", as: Int.self), .max)
    }

    @Test("a key whose key path leads to another property is a fault, also behind an operator") func otherProperty()
        throws
    {
        final class Crossed: TrackedObject {
            @Observed var a = 1
            @Observed var b = 10

            override class var schema: Schema { Schema(Crossed.self, extending: super.schema) { Key("a", \.b) } }
        }
        for _ in 0..<2 {
            let error = #expect(throws: KeyValueError.self) { try [Crossed(), Crossed()].value(forKeyPath: "@sum.a") }
            #expect(error.map { "\($0)".contains("its key path reads another value") } ?? false)
        }
    }
}

/// Collection operators.
struct OperatorTests {
    let team = Team()

    private func value<T>(_ path: String, as type: T.Type) throws -> T? { try team.value(forKeyPath: path) as? T }

    private func person(_ name: String, _ age: Int, nickname: String? = nil) -> Person {
        let person = Person(name)
        person.age = age
        person.nickname = nickname
        return person
    }

    @Test(
        "over 0…9, in an array and in a set: count 10, sum 45, average 4.5, maximum 9, minimum 0",
        arguments: ["numbers", "numberSet"])
    func ten(key: String) throws {
        team.numbers = Array(0...9)
        team.numberSet = Set(0...9)
        for path in [key, "\(key).@unionOfObjects"] where path == key {
            try expectEqual(value("\(path).@count", as: Int.self), 10)
            try expectEqual(value("\(path).@sum", as: Int.self), 45)
            try expectEqual(value("\(path).@sum.self", as: Int.self), 45)
            #expect(throws: KeyValueError.self) { try self.value("\(path).@sum.self.self", as: Int.self) }
            try expectEqual(value("\(path).@avg", as: Double.self), 4.5)
            try expectEqual(value("\(path).@max", as: Int.self), 9)
            try expectEqual(value("\(path).@min.self", as: Int.self), 0)
        }
    }

    @Test("over the keys of objects, in arrays and dictionaries") func objects() throws {
        team.members = [person("Ann", 30), person("Bob", 40), person("Cid", 50)]
        team.byName = ["a": team.members[0], "c": team.members[2]]
        try expectEqual(value("members.@avg.age", as: Double.self), 40)
        try expectEqual(value("members.@sum.age", as: Int.self), 120)
        try expectEqual(value("members.@max.firstName", as: String.self), "Cid")
        try expectEqual(value("members.@unionOfObjects.firstName", as: [String].self), ["Ann", "Bob", "Cid"])
        try expectEqual(value("byName.@max.age", as: Int.self), 50)
        try expectEqual(value("byName.@count", as: Int.self), 2)
        team.members[1].address = Address("Ulm")
        try expectEqual(value("members.@unionOfObjects.address.city", as: [String].self), ["Ulm"])
    }

    @Test("over dictionaries of plain values, and over empty collections") func plain() throws {
        try expectEqual(value("numbers.@sum", as: Int.self), 0)
        try expectEqual(value("numbers.@avg", as: Double.self), 0)
        #expect(try value("numbers.@min", as: Int.self) == nil)
        #expect(try team.value(forKeyPath: "numbers.@max") == nil)
        try expectEqual(value("numbers.@count", as: Int.self), 0)
        try expectEqual(value("words.@unionOfObjects", as: [String].self), [])
        team.table = ["a": 1, "b": 5]
        try expectEqual(value("table.@sum", as: Int.self), 6)
        try expectEqual(value("table.@max", as: Int.self), 5)
    }

    @Test("a collection that is nil counts as an empty one") func missing() throws {
        try expectEqual(value("missing.@count", as: Int.self), 0)
        try expectEqual(value("missing.@sum", as: Int.self), 0)
        try expectEqual(value("missing.@avg", as: Double.self), 0)
        #expect(try team.value(forKeyPath: "missing.@max") == nil)
        try expectEqual(value("missing.@unionOfObjects", as: [Any].self)?.isEmpty, true)
        try expectEqual(value("missingSets.@distinctUnionOfSets", as: Set<AnyHashable>.self)?.isEmpty, true)
    }

    @Test("nil leaves count in @count, are zero in @sum and @avg, and are passed over by @min and @max")
    func nilLeaves() throws {
        team.maybes = [nil, 4, nil, 8]
        try expectEqual(value("maybes.@count", as: Int.self), 4)
        try expectEqual(value("maybes.@sum", as: Int.self), 12)
        try expectEqual(value("maybes.@avg", as: Double.self), 3)
        try expectEqual(value("maybes.@min", as: Int.self), 4)
        try expectEqual(value("maybes.@max", as: Int.self), 8)
        team.maybes = [nil]
        #expect(try team.value(forKeyPath: "maybes.@min") == nil)
        team.members = [person("Ann", 1, nickname: "z"), person("Bob", 2)]
        try expectEqual(value("members.@min.nickname", as: String.self), "z")
        try expectEqual(value("members.@sum.spouse.age", as: Int.self), 0)
    }

    @Test("nil leaves are left out of unions") func nilInUnions() throws {
        team.members = [person("Ann", 1, nickname: "z"), person("Bob", 2), person("Cid", 3, nickname: "z")]
        try expectEqual(value("members.@unionOfObjects.nickname", as: [String].self), ["z", "z"])
        try expectEqual(value("members.@distinctUnionOfObjects.nickname", as: [String].self), ["z"])
    }

    @Test("@min and @max compare strings") func strings() throws {
        team.words = ["Tom", "Harry", "Dick"]
        try expectEqual(value("words.@min", as: String.self), "Dick")
        try expectEqual(value("words.@max", as: String.self), "Tom")
    }

    @Test("unions keep the order in which values were first seen") func unions() throws {
        team.words = ["b", "a", "b", "c", "a"]
        try expectEqual(value("words.@unionOfObjects", as: [String].self), ["b", "a", "b", "c", "a"])
        try expectEqual(value("words.@distinctUnionOfObjects", as: [String].self), ["b", "a", "c"])
        team.nested = [[3, 1], [1, 2], []]
        try expectEqual(value("nested.@unionOfArrays", as: [Int].self), [3, 1, 1, 2])
        try expectEqual(value("nested.@distinctUnionOfArrays", as: [Int].self), [3, 1, 2])
        try expectEqual(value("nested.@distinctUnionOfSets", as: Set<Int>.self), [1, 2, 3])
    }

    @Test("distinct objects are told apart by identity") func distinctObjects() throws {
        let ann = person("Ann", 1)
        let twin = person("Ann", 1)
        team.members = [ann, twin, ann]
        let distinct = try value("members.@distinctUnionOfObjects", as: [Person].self)
        #expect(distinct?.count == 2 && distinct?.first === ann && distinct?.last === twin)
    }

    @Test("sums are whole as long as they can be, and never overflow") func sums() throws {
        team.numbers = [.max, 1]
        try expectEqual(value("numbers.@sum", as: Double.self), 9_223_372_036_854_775_808.0)
        team.bytes = [250, 250]
        try expectEqual(value("bytes.@sum", as: Int.self), 500)
        team.fractions = [0.5, 0.25]
        try expectEqual(value("fractions.@sum", as: Double.self), 0.75)
        team.mixed = [1, 2.5, UInt8(3)]
        try expectEqual(value("mixed.@sum", as: Double.self), 6.5)
        try expectEqual(value("mixed.@max", as: UInt8.self), 3)
        try expectEqual(value("mixed.@min", as: Int.self), 1)
    }

    @Test("operators nest") func nested() throws {
        let (a, b) = (Team(), Team())
        a.numbers = [1, 2, 3]
        b.numbers = [10]
        a.members = [person("Ann", 1)]
        b.members = [person("Bob", 2), person("Cid", 3)]
        team.teams = [a, b]
        try expectEqual(value("teams.@sum.numbers.@count", as: Int.self), 4)
        try expectEqual(value("teams.@max.numbers.@sum", as: Int.self), 10)
        try expectEqual(value("teams.@unionOfArrays.numbers", as: [Int].self), [1, 2, 3, 10])
        try expectEqual(value("teams.@avg.members.@avg.age", as: Double.self), 1.75)
        try expectEqual(value("teams.@unionOfArrays.members", as: [Person].self)?.count, 3)
    }

    @Test(
        "an operator that there is not, or not in this place, throws",
        arguments: [
            "numbers.@median", "numbers.@Count", "@count", "numbers.@sum.x", "members.@sum.nothing",
            "members.@sum.age.x", "words.@sum", "words.@avg", "anything.@count", "mixed.@sum", "mixed.@max",
            "members.@max",
            "numbers.@unionOfArrays", "numbers.@distinctUnionOfSets", "members.@sum.firstName",
        ])
    func unsupported(path: String) {
        team.words = ["a"]
        team.numbers = [1]
        team.mixed = [1, "a"]
        team.members = [person("Ann", 1)]
        #expect(reason { _ = try team.value(forKeyPath: path) } != nil)
    }

    @Test("the error for an unknown operator names it") func unknownOperator() {
        do {
            _ = try team.value(forKeyPath: "numbers.@median")
            Issue.record("no error")
        } catch {
            #expect(
                error.reason == .unsupportedOperator && error.key == "@median" && error.keyPath == "numbers.@median")
        }
    }

    @Test("a path with very many operators in each other throws and does not exhaust the stack") func deepNesting() {
        let path = "teams" + String(repeating: ".@sum.teams", count: 100_000) + ".@count"
        #expect(reason { _ = try team.value(forKeyPath: path) } != nil)
        #expect(reason { try team.observe(path) { _ in } } != nil)
    }

    @Test("a very long path through cyclic objects is walked") func longPath() throws {
        let ann = Person("Ann")
        ann.spouse = ann
        let path = String(repeating: "spouse.", count: 10_000) + "firstName"
        try expectEqual(ann.value(forKeyPath: path) as? String, "Ann")
        try ann.setValue("Eve", forKeyPath: path)
        expectEqual(ann.firstName, "Eve")
        ann.spouse = nil
    }

    @Test("an observed operator follows membership and elements, through edits by handle and by name") func observed()
        throws
    {
        let recorder = Recorder<Any>()
        let ann = person("Ann", 30)
        let bob = person("Bob", 50)
        try team.observe("members.@avg.age", options: [.old, .new], recorder.handler())
        team.$members.append(ann)
        try team.mutableArrayValue(forKey: "members").append(bob)
        bob.age = 10
        team.$members.remove(at: 0)
        ann.age = 99
        expectEqual(recorder.news(Double.self), [30, 40, 20, 10])
        expectEqual(recorder.olds(Double.self), [0, 30, 40, 20])
        #expect(recorder.kinds.allSatisfy { $0 == .setting })
    }
}
