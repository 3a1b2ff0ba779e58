#if DEBUG
    extension ChangeContext {
        /// The places of registration that were reported, each with its option.
        private static let reported = Guarded(Set<String>())

        /// Reports once for each place of registration. Not where there is no such value whatever the options are: in initial calls, before
        /// a change, for the old value of an insertion and the new value of a removal.
        @usableFromInline @inline(never)
        final func reportNotAsked(for option: ObservingOptions) {
            let (change, isOld) = (event.value, option == .old)
            if change.isInitial || change.isPrior && !isOld || change.kind == (isOld ? .insertion : .removal) { return }
            let (place, name) = (currentObservation.registrationSite, isOld ? "old" : "new")
            guard Self.reported.withLock({ $0.insert("\(place) \(name)").inserted }) else { return }
            Diagnostics.report(
                "\(name)Value of \(quoted(keyPath)) is read, which the registration at \(place) did not ask for, and is nil: add "
                    + ".\(name) to its options")
        }
    }
#endif
