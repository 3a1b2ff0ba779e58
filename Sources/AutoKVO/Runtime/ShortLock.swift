internal import CSwiftRuntime
import Synchronization

/// A lock for sections of a few dozen instructions in which no user code runs.
///
/// Taking it is one atomic operation and giving it back is a plain release store, half the price of a futex mutex
/// (5.2 ns against 10.0 ns a pair). A waiter spins a moment, then yields, then sleeps, so a holder that was put off
/// the processor gets to run whatever the priorities are. `Synchronization.Mutex` is not used besides: under contention
/// it leaves the instrumented code, and the thread sanitizer then reports races that are none.
struct SpinLock: ~Copyable {
    // A byte, since every observed object has one.
    private let word = Atomic<UInt8>(0)

    @inline(__always)
    borrowing func lock() {
        let (taken, _) = word.compareExchange(
            expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed)
        if !taken { lockSlowly() }
    }

    /// Gives it back, between two barriers. Swift's optimizer (6.3.1, release builds) knows that an atomic store releases no
    /// object, and so moves the retain of what was read under the lock behind it, to where the reference is first used:
    ///
    ///     reads a reference, unlocks
    ///                                        replaces it, and releases the object
    ///     retains freed memory
    ///
    /// In the same way a release that comes after could be moved up, into the section.
    @inline(__always)
    borrowing func unlock() {
        csr_compiler_barrier()
        word.store(0, ordering: .releasing)
        csr_compiler_barrier()
    }

    @inline(never)
    private borrowing func lockSlowly() {
        var attempt: UInt32 = 0
        while word.load(ordering: .relaxed) != 0
            || !word.weakCompareExchange(
                expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed
            ).exchanged
        {
            csr_back_off(attempt)
            attempt &+= 1
        }
    }
}

/// The lock of one record: never two at a time, which debug builds check.
package struct ShortLock: ~Copyable {
    private let spin = SpinLock()

    package init() {}

    @inline(__always)
    package borrowing func lock() {
        spin.lock()
        #if DEBUG
            assert(csr_add_held_locks(1) == 1, "A record's lock was taken while another was held.")
        #endif
    }

    @inline(__always)
    package borrowing func unlock() {
        #if DEBUG
            _ = csr_add_held_locks(-1)
        #endif
        spin.unlock()
    }

    @inline(__always)
    package borrowing func withLock<R: ~Copyable>(_ body: () -> R) -> R {
        lock()
        defer { unlock() }
        return body()
    }
}

/// A value that several threads use, one at a time, for a moment: no user code runs in the closures it is given to.
package final class Guarded<Value>: @unchecked Sendable {
    private let spin = SpinLock()
    /// Guarded by `spin`.
    @exclusivity(unchecked) private var value: Value

    package init(_ value: Value) { self.value = value }

    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        spin.lock()
        defer { spin.unlock() }
        return try body(&value)
    }
}

/// Called where user code is about to run. Debug builds look. The one rule of lock order there is, that a thread holds at most one record's lock,
/// `ShortLock` asserts.
func assertNoLockHeld() { assert(csr_add_held_locks(0) == 0, "User code was about to run under a record's lock.") }
