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
        wait {
            word.load(ordering: .relaxed) == 0
                && word.weakCompareExchange(
                    expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed
                ).exchanged
        }
    }
}

/// Spins, then yields, then sleeps, until a condition is true.
@inline(__always)
private func wait(until condition: () -> Bool) {
    var attempt: UInt32 = 0
    while !condition() {
        csr_back_off(attempt)
        attempt &+= 1
    }
}

/// The lock of one record: never two at a time.
///
/// Most objects are used by one thread only. The lock belongs to the thread that made the record: as long as no other asks for
/// it, the owner takes it and gives it back with plain stores, without an atomic operation. The first other thread makes it
/// shared, for good, and from then on it is a spin lock for everybody.
///
///     the owner                               another thread
///     writes "I am in"                        takes the spin lock
///     reads that it is the owner: it has it   writes "nobody owns it"
///                                             has all threads execute a fence
///                                             waits until the owner is not in: it has it
///
/// If the owner read before the fence, its "I am in" was written before and is seen; if it reads after, it sees that it owns
/// nothing, takes its word back, and queues up for the spin lock. docs/model/bias.pml is this, with the owner's writes on
/// their way.
package struct ShortLock: ~Copyable {
    /// The number of the thread it belongs to, or nobody's.
    private let owner = Atomic<UInt32>(csr_owner())
    private let spin = SpinLock()
    private let ownerIsIn = Atomic<Bool>(false)

    /// How a lock was taken, to give it back.
    package struct Hold {
        fileprivate let isOwners: Bool
    }

    package init() {}

    deinit {
        if owner.load(ordering: .relaxed) != CSR_NOBODY { csr_disown() }
    }

    @inline(__always)
    package borrowing func lock() -> Hold {
        let hold = Hold(isOwners: lockAsOwner())
        if !hold.isOwners {
            spin.lock()
            if owner.load(ordering: .relaxed) != CSR_NOBODY { share() }
        }
        #if DEBUG
            LockOrder.didLock()
        #endif
        return hold
    }

    @inline(__always)
    package borrowing func unlock(_ hold: Hold) {
        #if DEBUG
            LockOrder.willUnlock()
        #endif
        if hold.isOwners { leave() } else { spin.unlock() }
    }

    @inline(__always)
    package borrowing func withLock<R: ~Copyable>(_ body: () -> R) -> R {
        let hold = lock()
        defer { unlock(hold) }
        return body()
    }

    /// Takes the lock if this thread is its owner, and says whether it is.
    @inline(__always)
    private borrowing func lockAsOwner() -> Bool {
        let thread = csr_thread_number()
        guard owner.load(ordering: .relaxed) == thread else { return false }
        ownerIsIn.store(true, ordering: .relaxed)
        csr_compiler_barrier()
        if owner.load(ordering: .acquiring) == thread { return true }
        leave()
        return false
    }

    /// With the barriers that `SpinLock.unlock` tells of.
    @inline(__always)
    private borrowing func leave() {
        csr_compiler_barrier()
        ownerIsIn.store(false, ordering: .releasing)
        csr_compiler_barrier()
    }

    /// Takes the lock from its owner. Under the spin lock, which keeps all others out until the owner is.
    @inline(never)
    private borrowing func share() {
        assert(owner.load(ordering: .relaxed) != csr_thread_number(), "The owner wants its lock, and does not take it.")
        owner.store(CSR_NOBODY, ordering: .relaxed)
        csr_disown()
        csr_fence_all_threads()
        wait { !ownerIsIn.load(ordering: .acquiring) }
    }
}

/// A value that several threads use, one at a time, for a moment: no user code runs in the closures it is given to.
package final class Guarded<Value>: @unchecked Sendable {
    private let spin = SpinLock()
    /// Guarded by `spin`.
    @exclusivity(unchecked) private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        spin.lock()
        defer { spin.unlock() }
        return try body(&value)
    }
}

#if DEBUG
    /// Asserts the one rule of lock order there is: a thread holds at most one record's lock.
    enum LockOrder {
        static func didLock() {
            assert(csr_add_held_locks(1) == 1, "A record's lock was taken while another was held.")
        }

        static func willUnlock() {
            _ = csr_add_held_locks(-1)
        }

        /// Called where user code is about to run.
        static func assertNoLockHeld() {
            assert(csr_add_held_locks(0) == 0, "User code was about to run under a record's lock.")
        }
    }
#endif
