import AutoKVO
import AutoKVOFoundation
import AutoKVOTestSupport
import Dispatch
import Testing

/// Delivery on dispatch queues.
struct DispatchQueueTests {
    @Test("changes arrive on the queue, in order") func serial() throws {
        let queue = DispatchQueue(label: "changes")
        let person = Person()
        let log = MessageLog()
        try person.observe("age", as: Int.self, options: [.new], on: queue) { change in
            dispatchPrecondition(condition: .onQueue(queue))
            log.add("\(change.newValue!)")
        }
        queue.suspend()
        for age in 1...3 { person.age = age }
        #expect(log.messages == [])
        queue.resume()
        drain(queue)
        #expect(log.messages == ["1", "2", "3"])
    }

    @Test("a change keeps its place among the other work of a serial queue") func place() throws {
        let queue = DispatchQueue(label: "changes")
        let person = Person()
        let log = MessageLog()
        let (inside, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try person.observe("age", as: Int.self, options: [.new], on: queue) { change in
            if change.newValue == 1 {
                inside.signal()
                goOn.wait()
            }
            log.add("\(change.newValue!)")
        }
        person.age = 1
        inside.wait()
        person.age = 2
        queue.async { log.add("work") }
        person.age = 3
        goOn.signal()
        queue.sync {}
        #expect(log.messages == ["1", "2", "work", "3"])
        for age in 4..<1000 {
            person.age = age
            queue.sync {}
            #expect(log.messages.count == age + 1)
        }
    }

    @Test("on a concurrent queue too, from several threads, one at a time") func concurrent() throws {
        let queue = DispatchQueue(label: "changes", attributes: .concurrent)
        let log = MessageLog()
        let people = (0..<4).map { _ in Person() }
        for (number, person) in people.enumerated() {
            try person.observe("age", as: Int.self, options: [.new], on: queue) { log.add("\(number) \($0.newValue!)") }
        }
        nonisolated(unsafe) let shared = people
        DispatchQueue.concurrentPerform(iterations: 4) { number in
            for age in 0..<250 { shared[number].age = age }
        }
        // The people live until then: what is under way when a target dies is dropped.
        withExtendedLifetime(people) { while log.messages.count < 1000 { drain(queue) } }
        for number in 0..<4 {
            let mine = log.messages.filter { $0.hasPrefix("\(number) ") }
            #expect(mine == (0..<250).map { "\(number) \($0)" })
        }
    }

    @Test("what is on its way when the target dies is dropped") func dropping() throws {
        let queue = DispatchQueue(label: "changes")
        let tracker = LifetimeTracker()
        let log = MessageLog()
        queue.suspend()
        do {
            let person = tracker.track(Person())
            let token = tracker.token()
            try person.observe("age", as: Int.self, on: queue) { _ in
                token.touch()
                log.add("call")
            }
            person.age = 1
        }
        queue.resume()
        drain(queue)
        #expect(log.messages == [])
        tracker.expectNoLeaks()
    }

    private func drain(_ queue: DispatchQueue) {
        queue.sync(flags: .barrier) {}
        queue.sync(flags: .barrier) {}
    }
}
