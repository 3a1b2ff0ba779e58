import AutoKVO
import AutoKVOTestSupport
import Testing

/// An observer for any thread.
private final class Log: Sendable {
    let log = MessageLog()
}

/// A path as a handle.
@Suite(.needs(.blankObject)) struct PathHandleTests {
    let person = Person()
    let panel = PlainObserver()

    @Test("collections of a superclass or a subclass of the elements' class fit, of another class not") func elements()
        throws
    {
        let team = Department()
        let employee = Employee("a")
        let objects = try team.path("members", as: [TrackedObject].self)
        team.members = [employee]
        #expect(objects.value?.count == 1 && objects.value?.first === employee)
        #expect(throws: KeyValueError.self) { try team.path("members", as: [Address].self) }
        #expect(throws: KeyValueError.self) { try team.path("members", as: Set<Int>.self) }
    }

    @Test("one key, a long path, a derived key, an operator: its value and its changes") func kinds() throws {
        let team = Department()
        team.members = [Employee("a"), Employee("b")]
        let age = try person.path("age", as: Int.self)
        let city = try person.path("address.city", as: String.self)
        let name = try person.path("fullName")
        let sum = try team.path("members.@sum.salary", as: Int.self)
        var log: [String] = []
        age.observe(options: .new) { log.append("age \($0.newValue!)") }
        city.observe(options: .new) { log.append("\($0.keyPath) \($0.newValue ?? "none")") }
        name.onValue { log.append("\($0!)") }
        sum.onValue { log.append("\($0!)") }
        person.age = 3
        person.address = Address("Linz")
        person.lastName = "Ray"
        team.members[1].salary = 4
        expectEqual(log, ["Ann Lee", "0", "age 3", "address.city Linz", "Ann Ray", "4"])
        #expect(age.value == 3 && city.value == "Linz" && name.value as? String == "Ann Ray" && sum.value == 4)
        #expect(age.keyPath == "age" && city.keyPath == "address.city" && sum.object === team)
        person.address = nil
        #expect(city.value == nil)
    }

    @Test("values are converted, and Any without a type") func types() throws {
        let age = try person.path("age", as: Int?.self)
        let any: PropertyPath<Any> = try person.path("age")
        var ages: [Int?] = []
        age.observe(options: .new) { ages.append($0.newValue!) }
        person.age = 5
        #expect(ages == [5] && age.value == 5 && any.value as? Int == 5)
    }

    @Test("what a registration by name refuses throws") func errors() {
        for path in [
            "agee", "", "a..b", ".a", "address.town", "age.x", "friends.firstName", "friends.@no",
        ] {
            var registration: KeyValueError?
            #expect(throws: KeyValueError.self) { try person.path(path) }
            do { _ = try person.observe([path]) { _ in } } catch { registration = error }
            do { _ = try person.path(path) } catch {
                expectEqual(error.description, registration?.description, "\(path)")
            }
        }
        #expect(throws: KeyValueError.self) { try person.path("age|lastName") }
        #expect(throws: KeyValueError.self) { try person.path("age", as: String.self) }
        #expect(throws: KeyValueError.self) { try person.path("address.city", as: Int.self) }
        #expect(person.observations().isEmpty)
    }

    @Test("it has every verb of a handle") func verbs() async throws {
        let age = try person.path("age", as: Int.self)
        let panel = panel
        let first = age.addObserver(panel, options: .new) { panel, change in panel.log.append("\(change.newValue!)") }
        var token: ScopedObservation? = age.onChange { _ in panel.log.append("token") }
        let board = Log()
        let scheduler = SerialScheduler()
        age.observe(for: board, options: .new, on: scheduler) { board, change in board.log.add("\(change.newValue!)") }
        let values = age.values(options: .initial)
        let other = Person()
        other.$age.bind(to: age) { $0 ?? -1 }
        person.age = 7
        scheduler.runAll()
        #expect(panel.log == ["7", "token"] && board.log.messages == ["7"] && other.age == 7)
        token = nil
        var seen = values.makeAsyncIterator()
        await expectEqual([seen.next()!, seen.next()!], [0, 7])
        #expect(panel.stopObserving(age) == 1 && !first.isValid)
        expectEqual(age.removeObserver(board), 1)
        let scores = try person.path("scores", as: [Int].self)
        scores.observeElements(added: { panel.log.append("+\($0)") })
        person.$scores.append(1)
        expectEqual(panel.log, ["7", "token", "+1"])
        _ = token
    }

    @Test("it goes on by the handles of the object that it leads to", .needs(.blankObject)) func continued() throws {
        person.spouse = Person()
        person.spouse!.address = Address("Ulm")
        let city = try person.path("spouse.address", as: Address?.self).$city
        let zip = try person.path("spouse", as: Person.self).$address.$zip
        #expect(city.keyPath == "spouse.address.city" && zip.keyPath == "spouse.address.zip" && city.value == "Ulm")
        var cities: [String] = []
        city.observe(options: .new) { cities.append($0.newValue!) }
        person.spouse!.address!.city = "Graz"
        expectEqual(cities, ["Graz"])
    }

    @Test("removed and depended on by handle, as by name") func endings() throws {
        try person.observe("age") { _ in }
        person.$age.observe { _ in }
        let city = person.$address.$city
        try person.observe("address.city|age") { _ in }
        expectEqual(city.removeAllObservers(), 1)
        expectEqual(person.$age.removeAllObservers(), 3)
        #expect(person.observations().isEmpty)
        person.$age.observe(for: panel) { _ in }
        expectEqual(person.$age.removeObserver(panel), 1)
        expectEqual(person.$age.removeObserver(panel), 0)
        let other = Person("Bob")
        try panel.depend(on: [
            Dependency(person.$age), Dependency(other.$address.$city), Dependency(try other.path("fullName")),
        ]) {
            $0.log.append("draw")
        }
        person.age = 4
        other.address = Address("Linz")
        other.firstName = "Rob"
        expectEqual(panel.log, ["draw", "draw", "draw", "draw"])
        try panel.depend(on: [Dependency(person.$age)], named: "age") { $0.log.append("age") }
        person.age = 5
        expectEqual(panel.log.suffix(3), ["age", "draw", "age"])
    }

    @Test("a handle behind an operator stops with a sentence: a name would be of each element") func behindOperator()
        async
    {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            final class Scored: TrackedObject, Comparable {
                @Observed var name = ""
                @Observed var score = 0
                static func == (a: Scored, b: Scored) -> Bool { a === b }
                static func < (a: Scored, b: Scored) -> Bool { a.score < b.score }
            }
            final class Team: TrackedObject {
                @Observed var members: [Scored] = []
                override class var schema: Schema {
                    Schema(Team.self, extending: super.schema) { Key("members", \.members) }
                }
            }
            let team = Team()
            team.members = [Scored()]
            let least = try team.path("members.@min", as: Scored.self)
            precondition(least.value === team.members[0])
            _ = least.$name
        }
        expectEqual(missing("\"members.@min\" is followed by a handle", "Name the whole path", in: result), [])
    }
}
