import AutoKVO
import AutoKVOTestSupport
import Foundation
import Testing

private final class Seat: Model {
    @Observed var age = 0
}

private final class Panel: Model, @unchecked Sendable {}

/// Is no tracked object.
private final class View: @unchecked Sendable {
    let whenFreed: @Sendable () -> Void
    init(_ whenFreed: @escaping @Sendable () -> Void) { self.whenFreed = whenFreed }
    deinit { whenFreed() }
}

/// Calls a closure, once, between the change and its delivery, on a thread of its own.
private final class Interrupting: ChangeScheduler, @unchecked Sendable {
    var action: (() -> Void)?
    func schedule(_ operation: @escaping @Sendable () -> Void) {
        action.take()?()
        operation()
    }
}

/// Changes that a scheduler has, and for which nobody is called any more.
struct DroppedOnceTests {
    @Test(
        "an observation with .once whose change is dropped with its target waits for the next change of the others",
        arguments: [true, false], [true, false])
    func waits(isDeath: Bool, ignoresChange: Bool) {
        let (scheduler, panel) = (SerialScheduler(), Panel())
        var seats: [Seat] = [Seat(), Seat()]
        nonisolated(unsafe) var calls = 0
        var reasons: [KeyValueObservation.EndReason] = []
        let handles = seats.map(\.$age)
        let observation =
            ignoresChange
            ? handles.observe(for: panel, options: .once, on: scheduler) { _ in calls += 1 }
            : handles.observe(for: panel, options: .once, on: scheduler) { _, _ in calls += 1 }
        observation.onEnd { reasons.append($0) }
        _ = consume handles
        seats[0].age = 1
        #expect(!observation.isValid)
        if isDeath { seats.remove(at: 0) } else { panel.stopObserving(seats.removeFirst().$age) }
        scheduler.runAll()
        #expect(calls == 0 && reasons.isEmpty && observation.isValid)
        seats[0].age = 1
        scheduler.runAll()
        seats[0].age = 2
        scheduler.runAll()
        expectEqual(calls, 1)
        expectEqual(reasons, [.fired])
    }

    @Test(
        "a call that is dropped before the change comes to the next path is made for that one, with .once too",
        arguments: [true, false])
    func droppedInTheChange(isOnce: Bool) {
        let (scheduler, panel, seats) = (Interrupting(), Panel(), [Seat(), Seat()])
        nonisolated(unsafe) var calls = 0
        let observation = seats.map(\.$age).observe(for: panel, options: isOnce ? .once : [], on: scheduler) { _ in
            calls += 1
        }
        scheduler.action = { [unowned panel] in panel.stopObserving(seats[0].$age) }
        coalescingChanges { for seat in seats { seat.age = 1 } }
        expectEqual(calls, 1)
        expectEqual(observation.isValid, !isOnce)
        seats[1].age = 2
        expectEqual(calls, isOnce ? 1 : 2)
    }

    @Test("the thread of a change does not release the observer", arguments: 0..<4) func releasedElsewhere(form: Int) {
        let (seat, scheduler) = (Seat(), Interrupting())
        nonisolated(unsafe) let own = Foundation.Thread.current
        let isFreedHere = OnceFlag()
        nonisolated(unsafe) var view: View? = View { isFreedHere.set(Foundation.Thread.current === own) }
        nonisolated(unsafe) var calls = 0
        switch form {
        case 0: seat.$age.observe(for: view!, on: scheduler) { _, _ in calls += 1 }
        case 1: seat.$age.observe(for: view!, on: scheduler) { _ in calls += 1 }
        case 2: seat.$age.onValue(for: view!, on: scheduler) { _, _ in calls += 1 }
        default: [seat.$age, seat.$age].observe(for: view!, on: scheduler) { _, _ in calls += 1 }
        }
        let atFirst = calls
        // This thread lets go of the view while another one is inside of its change.
        let (isSending, isReleased) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        scheduler.action = {
            isSending.signal()
            isReleased.wait()
        }
        nonisolated(unsafe) let changed = seat
        let isDone = DispatchSemaphore(value: 0)
        Foundation.Thread.detachNewThread {
            changed.age = 1
            isDone.signal()
        }
        isSending.wait()
        view = nil
        isReleased.signal()
        isDone.wait()
        expectEqual(isFreedHere.value, true)
        expectEqual(calls, atFirst)
    }
}

private final class OnceFlag: @unchecked Sendable {
    private(set) var value: Bool?
    func set(_ value: Bool) { self.value = value }
}
