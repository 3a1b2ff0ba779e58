import AutoKVO
import AutoKVOTestSupport
import Testing

@Suite("Streams of values") struct StreamTests {
    @Test("values come in order, the current one first if asked for, and end with the target") func order() async throws
    {
        var person: Person? = Person()
        let all = try person!.values(of: "age", as: Int.self, options: [.initial])
        let later = person!.$age.values
        person!.age = 1
        person!.age = 2
        person = nil
        var seen: [Int] = []
        for await age in all { seen.append(age) }
        #expect(seen == [0, 1, 2])
        seen = []
        for await age in later { seen.append(age) }
        #expect(seen == [1, 2])
    }

    @Test("a stream with .once ends with its one value, be it the current one") func once() async throws {
        let person = Person()
        let values = try person.values(of: "age", as: Int.self, options: .once)
        let current = person.$age.values(options: [.once, .initial])
        person.age = 1
        person.age = 2
        var seen: [Int] = []
        for await age in values { seen.append(age) }
        for await age in current { seen.append(age) }
        #expect(seen == [1, 0])
        #expect(person.observations().isEmpty)
    }

    // 7.07
    @Test("a path's values, nil if the type is optional, left out if it is not") func paths() async throws {
        var person: Person? = Person()
        let optional = try person!.values(of: "address.city", as: String?.self, options: [.initial])
        let bare = try person!.values(of: "address.city", as: String.self, options: [.initial])
        person!.address = Address("Linz")
        person!.address!.city = "Graz"
        person = nil
        var all: [String?] = []
        for await city in optional { all.append(city) }
        #expect(all == [nil, "Linz", "Graz"])
        var some: [String] = []
        for await city in bare { some.append(city) }
        #expect(some == ["Linz", "Graz"])
    }

    // 11.09
    @Test("values that nobody takes are kept or dropped as asked") func pressure() async throws {
        var person: Person? = Person()
        let newest = try person!.values(of: "age", as: Int.self, bufferingPolicy: .bufferingNewest(2))
        let oldest = person!.$age.values(options: [.initial], bufferingPolicy: .bufferingOldest(2))
        for age in 1...5 { person!.age = age }
        person = nil
        var seen: [Int] = []
        for await age in newest { seen.append(age) }
        for await age in oldest { seen.append(age) }
        #expect(seen == [4, 5, 0, 1])
    }

    // 9.05
    @Test("many sets on another thread, and then the target's death there: every value, and the end") func thread()
        async throws
    {
        let target = Shared<Person?>(Person())
        let stream = try target.value!.values(of: "age", as: Int.self)
        let thread = Thread {
            for age in 1...5000 { target.value!.age = age }
            target.value = nil
        }
        var last = 0
        for await age in stream {
            #expect(age == last + 1)
            last = age
        }
        #expect(last == 5000)
        thread.join()
    }

    @Test("dropping the stream, or leaving its loop, ends the observation") func dropping() async throws {
        let person = Person()
        do {
            let stream = try person.values(of: "age", as: Int.self, options: [.initial])
            #expect(person.observations().count == 1)
            for await _ in stream { break }
        }
        #expect(person.observations().isEmpty)
    }

    @Test("cancelling the task that iterates ends the observation") func cancelling() async throws {
        let person = Person()
        let stream = try person.values(of: "age", as: Int.self)
        let seen = Counter()
        let task = Task { for await _ in stream { seen.add() } }
        person.age = 1
        await eventually("the first value") { seen.count == 1 }
        task.cancel()
        await task.value
        #expect(person.observations().isEmpty)
        person.age = 2
        #expect(seen.count == 1)
    }

    @Test("removing the observation, and .once, end the stream") func ending() async throws {
        let person = Person()
        let removed = try person.values(of: "age", as: Int.self)
        person.age = 1
        person.removeAllObservers()
        var seen: [Int] = []
        for await age in removed { seen.append(age) }
        let once = try person.values(of: "age", as: Int.self, options: [.once])
        person.age = 2
        person.age = 3
        for await age in once { seen.append(age) }
        #expect(seen == [1, 2])
    }

    @Test("a wrong path or type throws") func errors() {
        let person = Person()
        #expect(throws: KeyValueError.self) { try person.values(of: "agee", as: Int.self) }
        #expect(throws: KeyValueError.self) { try person.values(of: "age", as: String.self) }
        #expect(person.observations().isEmpty)
    }

    @Test("neither target nor values are kept") func leaks() async throws {
        let tracker = LifetimeTracker()
        do {
            let person = tracker.track(Person())
            let stream = try person.values(of: "age", as: Int.self, options: [.initial])
            let values = person.$age.values
            person.age = 1
            _ = (stream, values)
        }
        tracker.expectNoLeaks()
    }
}
