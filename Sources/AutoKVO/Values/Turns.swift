/// The turns of the threads that tell of one property's changes, and read its value for that. Two threads may do so at once, and the older value
/// would be handed over last:
///
///     one sets a, takes a turn, and reads the sum
///                                                    another sets b, takes a turn, reads the sum, and hands it over
///     hands over the sum without b
///
/// So who has been overtaken reads again, and hands that over, too. No lock is held meanwhile: what is handed over may be used at once, by code
/// that changes the property again. A turn that the same thread takes inside of its own does not overtake: it has handed over what is newer.
@usableFromInline final class Turns: Sendable {
    /// The last one that was taken, the thread that has taken the last ones, and the first of these.
    private let turns = Guarded((last: 0, thread: UInt(0), first: 0))

    @usableFromInline init() {}

    /// Hands over the value that a change leads to, in a handler of the change; and again where another thread has overtaken this one meanwhile.
    ///
    /// - Parameters:
    ///   - value: Reads it; nil if there is none to hand over.
    ///   - isNeeded: Whether it may be handed over once more.
    @export(implementation) func hand<Value>(
        _ value: @autoclosure () -> Value?, while isNeeded: @autoclosure () -> Bool, to body: (Value) -> Void
    ) {
        var (turn, current): (Int, Value?) = (take(), nil)
        repeat {
            repeat { current = value() } while isOvertaken(&turn)
            guard let current else { return }
            body(current)
        } while isOvertaken(&turn) && isNeeded()
    }

    /// The next turn. Behind the change, and before the value is read.
    @usableFromInline func take() -> Int {
        turns.withLock {
            $0.last += 1
            if $0.thread != thisThread() { ($0.thread, $0.first) = (thisThread(), $0.last) }
            return $0.last
        }
    }

    /// Whether what was read in a turn may be outdated: another thread has taken one since. Then the turn becomes the last one that was taken.
    @usableFromInline func isOvertaken(_ turn: inout Int) -> Bool {
        turns.withLock {
            if $0.last == turn || $0.thread == thisThread() && $0.first <= turn { return false }
            turn = $0.last
            return true
        }
    }
}
