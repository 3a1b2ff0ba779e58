import AutoKVO
import AutoKVOTestSupport
import Testing

/// References that pin an object's memory.
struct PinnedReferenceTests {
    /// Asks a reference to itself in its deinit.
    private final class Dying {
        var reference: PinnedReference<Dying>?
        var onDeinit: ((Dying?) -> Void)?
        deinit { onDeinit?(reference?.object) }
    }

    @Test("it gives the object while that is alive, does not keep it alive, and is nil from then on") func life() {
        let tracker = LifetimeTracker()
        var token: LifetimeToken? = tracker.token()
        let reference = PinnedReference(token!)
        #expect(reference.object === token)
        token = nil
        tracker.expectNoLeaks()
        #expect(reference.object == nil)
    }

    @Test("it is nil as soon as the object's deinit has begun") func dying() {
        var wasNil: Bool?
        do {
            let object = Dying()
            object.reference = PinnedReference(object)
            object.onDeinit = { wasNil = $0 == nil }
        }
        expectEqual(wasNil, true)
    }

    @Test("it is the reference of no other object, though its own is dead") func identity() {
        let tracker = LifetimeTracker()
        var first: LifetimeToken? = tracker.token()
        let reference = PinnedReference(first!)
        #expect(reference.isReference(to: first!))
        first = nil
        let others = (0..<1000).map { _ in tracker.token() }
        #expect(!others.contains { reference.isReference(to: $0) })
    }

    @Test("threads may ask for the object while another releases it") func threads() {
        let tracker = LifetimeTracker()
        for _ in 0..<load(400) {
            let last = Shared<LifetimeToken?>(tracker.token())
            let reference = PinnedReference(last.value!)
            concurrently(3) { number in
                if number == 0 {
                    last.value = nil
                } else {
                    reference.object?.touch()
                }
            }
            #expect(reference.object == nil)
        }
        tracker.expectNoLeaks()
    }
}
