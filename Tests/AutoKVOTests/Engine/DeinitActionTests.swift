import AutoKVO
import AutoKVOTestSupport
import Testing

/// Code at death.
struct DeinitActionTests {
    let log = MessageLog()

    @Test("it runs once, in the order in which it was left") func order() {
        do {
            let person = Person()
            for name in ["a", "b", "c"] { person.onDeinit { log.add(name) } }
            expectEqual(log.messages, [])
        }
        expectEqual(log.messages, ["a", "b", "c"])
    }

    @Test("it runs after observations ended and before stored properties go") func moment() throws {
        final class Door: TrackedObject {
            final class Part {
                let log: MessageLog
                init(_ log: MessageLog) { self.log = log }
                deinit { log.add("part") }
            }
            let part: Part
            @Observed var age = 0
            init(_ log: MessageLog) { part = Part(log) }
            deinit { part.log.add("deinit") }
            override class var schema: Schema { Schema(Door.self, extending: super.schema) { Key("age", \.age) } }
        }
        var door: Door? = Door(log)
        try door!.observe("age") { _ in }.onEnd { _ in log.add("observation") }
        door!.onDeinit { log.add("action") }
        door = nil
        expectEqual(log.messages, ["deinit", "observation", "action", "part"])
    }

    @Test("it can be taken back once, and then neither runs nor is kept") func cancelling() {
        let tracker = LifetimeTracker()
        let action: DeinitAction
        do {
            let person = Person()
            let token = tracker.token()
            action = person.onDeinit { token.touch() }
            let other = person.onDeinit { log.add("other") }
            _ = consume token
            #expect(action.cancel())
            #expect(!action.cancel())
            #expect(action != other)
            tracker.expectNoLeaks()
        }
        expectEqual(log.messages, ["other"])
        #expect(!action.cancel())
    }

    @Test("it may take back what was to run after it, and leave more for other objects") func reentrant() {
        let other = Person("Other")
        do {
            let person = Person()
            let later = DeinitActions()
            person.onDeinit {
                log.add("first")
                later.all.forEach { $0.cancel() }
                other.onDeinit { log.add("other") }
            }
            let second = person.onDeinit { log.add("second") }
            // The optimizer may release the object at its last use.
            withExtendedLifetime(person) { later.all.append(second) }
        }
        expectEqual(log.messages, ["first"])
    }

    @Test("its closure is released when it has run") func leaks() {
        let tracker = LifetimeTracker()
        do {
            let person = tracker.track(Person())
            let token = tracker.token()
            person.onDeinit { token.touch() }
        }
        tracker.expectNoLeaks()
    }

    @Test("left on an object whose deinit has begun it does not run, and that is reported") func dying() {
        final class Late: TrackedObject {
            let log: MessageLog
            init(_ log: MessageLog) { self.log = log }
            deinit { onDeinit { [log] in log.add("too late") } }
        }
        let told = messages { _ = Late(log) }
        expectEqual(told.count, 1)
        expectEqual(log.messages, [])
    }
}

private final class DeinitActions { var all: [DeinitAction] = [] }
