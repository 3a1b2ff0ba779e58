import AutoKVOTestSupport
import Testing

@testable import AutoKVO

/// Slots for a value of any type.
struct ValueSlotTests {
    @Test("an empty slot has no value, a filled one has it at one address") func filling() {
        var slot = ValueSlot()
        defer { slot.deallocate() }
        #expect(!slot.isFilled && slot.pointer == nil)
        slot.set("text")
        let address = slot.pointer
        expectEqual(address?.load(as: Any.self) as? String, "text")
        expectEqual(slot.take() as? String, "text")
        #expect(!slot.isFilled && slot.pointer == nil)
        slot.fill { $0.initialize(to: 7) }
        expectEqual(slot.pointer, address)
        expectEqual(slot.take() as? Int, 7)
    }

    @Test("a value that is taken out is the caller's to release") func release() {
        let tracker = LifetimeTracker()
        var slot = ValueSlot()
        slot.set(tracker.token())
        do {
            let taken = slot.take()
            expectEqual(tracker.liveCount, 1)
            withExtendedLifetime(taken) {}
        }
        tracker.expectNoLeaks()
        slot.deallocate()
    }
}
