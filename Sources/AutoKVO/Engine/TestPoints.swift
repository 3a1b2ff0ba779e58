/// Places in the library where a test can make something else happen first, to bring about a race that chance seldom does.
///
/// Debug builds only: a release build compiles every trace of them away.
package enum TestPoint: Hashable, Sendable {
    /// An observation has been put among what its observer holds and not yet into its target's list.
    case attaching
    /// An observation's state says that it has ended, and both sides still have it.
    case ending
    /// An observation's state says that it has fired, and both sides still have it.
    case firing
    /// A walk is about to ask an observation whether to call it.
    case beforeCall
    /// A walk has found an observation live, and is about to ask for its observer.
    case beforeObserver
    /// A walk has unlinked nodes that left while it held them and has not yet released them.
    case lettingGo
    /// A value has been written without announcing it, since nobody wanted to know before, and nobody was told yet.
    case written
    /// A change has begun: old values are read, prior calls are made.
    case begun
    /// The links of a path are about to be moved, and those there were have been taken away.
    case relinking
    /// A link of a path is in its list, and its property has not been read.
    case linked
    /// Somebody has read what a weak property refers to and whether it is observed, and is about to act on it.
    case updatingWatch
    /// What a weak property refers to has been read, and the object has not been asked for.
    case readingWeak
    /// The object a weak property refers to is dying, and its holder has not been told.
    case referentDying
    /// An object's record is marked as dying, and nothing has ended yet.
    case tearingDown
    /// What was held back by `coalescingChanges` is about to be told.
    case coalesced
    /// Routes behind a derived key have been taken over and are about to be started or ended.
    case updatingDerivedKeyRoutes

    #if DEBUG
        /// Runs an action when this thread gets to the point, the first time only.
        package func whenReached(_ action: @escaping () -> Void) {
            ThreadContext.current.value.testPoints[self] = action
        }
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
