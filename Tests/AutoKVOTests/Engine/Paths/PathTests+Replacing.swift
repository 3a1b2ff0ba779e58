import AutoKVO
import AutoKVOTestSupport
import Testing

/// Holds an address that it does not announce.
private final class Silent: Model {
    var address: Address?
    override class var schema: Schema {
        Schema(Silent.self, extending: super.schema) { Key("address", \.address, notifiesAutomatically: false) }
    }
}

extension PathTests {
    @Test("a replaced intermediate is not kept alive") func replacedIsFreed() throws {
        try person.observe("spouse.address.city", options: [.old, .new], recorder.handler())
        do {
            let spouse = tracker.track(Person())
            spouse.address = tracker.track(Address())
            person.spouse = spouse
        }
        expectEqual(tracker.liveCount, 2)
        recorder.clear()
        person.spouse = nil
        recorder.clear()
        tracker.expectNoLeaks()
    }

    @Test("an intermediate that is replaced without a word: no trap, and removal takes all links")
    func silentIntermediate() throws {
        let (first, second) = (Address("a"), Address("b"))
        let holder = Silent()
        holder.address = first
        let observation = try holder.observe("address.city", options: [.old, .new], recorder.handler())
        holder.address = second
        expectEqual(recorder.count, 0)
        holder.withMutation(of: "address") {}
        second.city = "c"
        expectEqual(recorder.last?.new as? String, "c")
        holder.address = nil
        observation.remove()
        #expect(first.observations().isEmpty && second.observations().isEmpty)
        first.city = "x"
        second.city = "x"
        expectEqual(recorder.count, 2)
    }

    @Test("thousands of swaps leave every link where it belongs") func thousandsOfSwaps() throws {
        var random = SplitMix64(seed: 2)
        let people = (0..<6).map { tracker.track(Person("\($0)")) }
        let addresses = (0..<4).map { tracker.track(Address("\($0)")) }
        let path = "spouse.spouse.address.city"
        var heard: [String?] = []
        try person.observe(path, options: [.new]) { heard.append($0.newValue as? String) }
        func current() -> String? { person.spouse?.spouse?.address?.city }
        for step in 0..<4000 {
            let subject = Bool.random(using: &random) ? person : people.randomElement(using: &random)!
            let before = current()
            heard = []
            let leaf = person.spouse?.spouse?.address
            switch Int.random(in: 0..<4, using: &random) {
            case 0: subject.spouse = nil
            case 1: subject.spouse = people.randomElement(using: &random)
            case 2: subject.address = addresses.randomElement(using: &random)
            default:
                let address = addresses.randomElement(using: &random)!
                address.city = "\(step)"
                if address !== leaf { expectEqual(heard, [], "step \(step)") }
            }
            #expect(heard.count <= 1)
            if current() != before { expectEqual(heard, [current()], "step \(step)") }
            #expect(heard.allSatisfy { $0 == current() })
        }
        for subject in people + [person] { subject.spouse = nil }
        #expect(people.allSatisfy { $0.observations().isEmpty })
        expectEqual(person.observations().count, 1)
    }

    @Test("intermediates that die while the path is observed elsewhere leave nothing behind") func chainDies() throws {
        var head: Person? = tracker.track(Person("0"))
        var last = head!
        for index in 1..<5 {
            let next = tracker.track(Person("\(index)"))
            last.spouse = next
            last = next
        }
        let observation = try head!.observe("spouse.spouse.spouse.spouse.age", recorder.handler())
        last.age = 1
        expectEqual(recorder.count, 1)
        last = Person()
        head = nil
        #expect(!observation.isValid)
        tracker.expectNoLeaks()
    }

    @Test("the leaf may outlive the root, and the root the leaf") func leafAndRoot() throws {
        let address = tracker.track(Address())
        do {
            let root = tracker.track(Person())
            root.address = address
            try root.observe("address.city", recorder.handler())
            address.city = "a"
        }
        address.city = "b"
        expectEqual(recorder.count, 1)
        expectEqual(tracker.liveCount, 1)
    }

    @Test("a handler that swaps the path's head while a leaf change is delivered") func swapInHandler() throws {
        person.address = Address("a")
        var isSwapped = false
        try person.observe("address.city", options: [.new]) { [recorder] change in
            recorder.record(change, "1")
            if !isSwapped {
                isSwapped = true
                (change.target as! Person).address = Address("c")
            }
        }
        try person.observe("address.city", options: [.new], recorder.handler("2"))
        person.address!.city = "b"
        expectEqual(recorder.labels.filter { $0 == "1" }.count, 2)
        #expect(recorder.entries.filter { $0.label == "2" }.contains { $0.new as? String == "c" })
        recorder.clear()
        person.address!.city = "d"
        expectEqual(recorder.news(String.self), ["d", "d"])
    }
}
