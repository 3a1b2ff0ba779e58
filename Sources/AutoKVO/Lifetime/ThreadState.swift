internal import CDeallocHook

/// What one thread needs while changes are under way on it: made when it is first asked for, freed when the thread ends.
///
/// Only its own thread ever touches it, so it has no lock. It is plain memory behind a pointer, not an object, because
/// it is read in every delivery and a reference would be retained and released each time.
struct ThreadState {
    /// Change contexts that no handler kept, linked through `nextSpare`, for the next delivery.
    var spareContexts: Unmanaged<ChangeContext>?
    /// The changes that have begun and not ended on this thread, the outermost first.
    var openChanges: [OpenChange] = []
    /// Changes that were announced by hand while nobody observed the object.
    var unobservedChanges: [UnobservedChange] = []
    /// Counts the events of this thread, to tell them apart.
    var serial: UInt = 0
    /// Observations that several roads lead to and that were called, in the deliveries under way.
    var calls = CallRegister()
    /// The outermost `coalescingChanges` under way, if any.
    var coalescing: CoalescedChanges?
    /// Routes that are to be started or ended when those being started or ended are done.
    var pathWork: [PathWork] = []
    var isDoingPathWork = false
    #if DEBUG
        var heldLocks = 0
        /// What tests have put at points that this thread comes to.
        var testPoints: [TestPoint: () -> Void] = [:]
    #endif

    @inline(__always)
    static var current: UnsafeMutablePointer<ThreadState> {
        if let pointer = cdh_thread_value() {
            return pointer.assumingMemoryBound(to: ThreadState.self)
        }
        return makeCurrent()
    }

    @inline(never)
    private static func makeCurrent() -> UnsafeMutablePointer<ThreadState> {
        let state = UnsafeMutablePointer<ThreadState>.allocate(capacity: 1)
        state.initialize(to: ThreadState())
        let stored = cdh_set_thread_value(state) { pointer in
            guard let state = pointer?.assumingMemoryBound(to: ThreadState.self) else { return }
            while let context = state.pointee.takeSpareContext() { context.release() }
            state.pointee.calls.deallocate()
            state.deinitialize(count: 1)
            state.deallocate()
        }
        precondition(stored, "AutoKVO could not get memory for the state of a thread.")
        return state
    }

    @inline(__always)
    private mutating func takeSpareContext() -> Unmanaged<ChangeContext>? {
        guard let context = spareContexts else { return nil }
        spareContexts = context._withUnsafeGuaranteedRef { $0.nextSpare }
        return context
    }

    @inline(__always)
    mutating func takeContext() -> Unmanaged<ChangeContext> {
        takeSpareContext() ?? Unmanaged.passRetained(ChangeContext())
    }

    /// Takes back a context that nobody else refers to.
    @inline(__always)
    mutating func giveBack(_ context: Unmanaged<ChangeContext>) {
        context._withUnsafeGuaranteedRef { $0.nextSpare = spareContexts }
        spareContexts = context
    }
}
