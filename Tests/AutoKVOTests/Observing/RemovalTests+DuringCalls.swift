import AutoKVO
import AutoKVOTestSupport
import Testing

extension RemovalTests {
    @Test("removal inside the initial call takes effect at once", arguments: [false, true]) func initialRemoval(
        group: Bool
    ) throws {
        let paths = group ? ["age", "firstName"] : ["age"]
        let observation = try person.observe(paths, options: [.initial]) { [recorder] change in
            recorder.record(change)
            change.observation.remove()
        }
        expectEqual(recorder.count, 1)
        #expect(!observation.isValid)
        person.age = 1
        person.firstName = "x"
        expectEqual(recorder.count, 1)
        #expect(person.observations().isEmpty)
    }

    @Test("removal by observer and path inside the initial call takes effect at once") func initialRemovalByPath()
        throws
    {
        try person.addObserver(panel, forKeyPath: "address.city", options: [.initial]) { panel, change in
            panel.log.append("called")
            expectEqual(change.target?.removeObserver(panel, forKeyPath: "address.city"), 1)
        }
        person.address = Address()
        expectEqual(panel.log, ["called"])
    }

    @Test("removal inside an ordinary call leaves the others alone") func insideCall() throws {
        for label in ["a", "b", "c"] {
            try person.observe("age") { [recorder] change in
                recorder.record(change, label)
                if label == "b" { change.observation.remove() }
            }
        }
        person.age = 1
        person.age = 2
        expectEqual(recorder.labels, ["a", "b", "c", "a", "c"])
    }

    @Test("removing and adding alternately during one delivery keeps everybody's place") func churn() throws {
        var made = 0
        func add() throws {
            made += 1
            let label = "\(made)"
            try person.observe("age") { [recorder] change in
                recorder.record(change, label)
                change.observation.remove()
                try! add()
            }
        }
        for _ in 0..<40 { try add() }
        person.age = 1
        expectEqual(recorder.labels, (1...40).map(String.init))
        recorder.clear()
        person.age = 2
        expectEqual(recorder.labels, (41...80).map(String.init))
        expectEqual(person.removeAllObservers(), 40)
    }

    @Test(
        "a handler that removes all others leaves each of them uncalled, however many there are",
        arguments: [2, 16, 17, 33, 500])
    func removesOthers(count: Int) throws {
        for index in 0..<count {
            try person.observe("age") { [recorder] change in
                recorder.record(change, "\(index)")
                expectEqual(person.removeAllObservers(), count)
            }
        }
        person.age = 1
        expectEqual(recorder.labels, ["0"])
        person.age = 2
        expectEqual(recorder.count, 1)
        #expect(person.observations().isEmpty)
    }
}
