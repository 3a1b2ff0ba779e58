#if DEBUG
    import Synchronization

    /// Finds out whether somebody runs the main queue, on which `.mainActor` delivers.
    @usableFromInline enum MainQueueCheck {
        private static let isUnderWay = Atomic(false)
        private static let hasReported = Atomic(false)

        /// Looks after a second whether what is put into the main queue now has run. One such look is under way at a time.
        @usableFromInline static func begin() {
            if hasReported.load(ordering: .relaxed) || isUnderWay.exchange(true, ordering: .relaxed) { return }
            let hasRun = Guarded(false)
            Task { @MainActor in hasRun.withLock { $0 = true } }
            Task.detached {
                // Nobody cancels this task, which is all that the sleep throws for.
                try? await Task.sleep(for: .seconds(1))
                isUnderWay.store(false, ordering: .relaxed)
                if hasRun.withLock({ $0 }) || hasReported.exchange(true, ordering: .relaxed) { return }
                Diagnostics.report(
                    "A change is to be delivered on .mainActor, and nobody has run the main queue for a second: in a program whose main "
                        + "thread is in another loop use a MainActorChangeScheduler for that loop")
            }
        }
    }
#endif
