/// Points in the library at which a test can run code of its own, to cause a race that seldom happens by chance.
///
/// Only in debug builds: a release build has no code for them.
package enum TestPoint: Hashable, Sendable {
    /// An observation is in its observer's list and not yet in its target's.
    case attaching
    /// An observation's state says that it has ended, and it is still in both lists.
    case ending
    /// An observation's state says that it has fired, and it is still in both lists.
    case firing
    /// A traversal is about to check whether to call an observation.
    case beforeCall
    /// A traversal has found an observation live, and is about to retain its observer.
    case beforeObserver
    /// A traversal has unlinked observations that were removed while it pinned them, and has not released them.
    case lettingGo
    /// A value has been written without a transaction, since no observer needed one, and no observer has been called yet.
    case written
    /// The subjects of a change have been found, and no value has been read.
    case subjectsFound
    /// A change has begun: old values are read, prior calls are made.
    case begun
    /// The links of a path are about to be moved, and the old ones have been removed.
    case relinking
    /// A link of a path is in its list, and its property has not been read.
    case linked
    /// The object that a weak property refers to, and whether the property is observed, have been read, and the watch is about
    /// to be updated.
    case updatingWatch
    /// The address of the object that a weak property refers to has been read, and the object has not been retained.
    case readingWeak
    /// The object a weak property refers to is dying, and its holder has not been notified.
    case referentDying
    /// An object's record is marked as dying, and nothing has ended yet.
    case tearingDown
    /// A change has been taken out of the queue of its scheduler, and its observation has not been asked whether it has ended.
    case taken
    /// A route has ended, and its part is still in the list of its key.
    case endingPart
    /// The changes that `coalescingChanges` held back are about to be delivered.
    case coalesced
    /// An expression that is marked is about to be looked at, for the first time or behind one that it read.
    case checking
    /// An expression is about to be evaluated, and has no mark.
    case evaluating
    /// An expression has been evaluated, and its value is not kept yet.
    case evaluated
    /// Routes of a derived key have been added or removed, and are about to be started or ended.
    case updatingDerivedKeyRoutes

    #if DEBUG
        /// Runs an action when this thread reaches the point, the first time only.
        package func whenReached(_ body: @escaping () -> Void) { ThreadContext.current.value.testPoints[self] = body }
    #endif

    @inline(__always)
    func reach() {
        #if DEBUG
            let thread = ThreadContext.current
            if thread.value.testPoints.isEmpty { return }
            thread.value.testPoints.removeValue(forKey: self)?()
        #endif
    }
}
