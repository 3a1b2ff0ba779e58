#if DEBUG
    import AutoKVO
    import AutoKVOTestSupport
    import Testing

    /// The routes behind a derived key, which begin with its first observer and end with its last.
    struct DerivedKeyRaceTests: RaceSuite {
        let tracker = LifetimeTracker()

        ///     the last observer goes, the routes
        ///     behind the key are to be ended
        ///                                        another comes, and starts routes of its own
        ///     ends
        @Test func observerOfADerivedKeyAddedWhileTheLastIsRemovedIsNotified() throws {
            let target = person()
            target.address = tracker.track(Address())
            let calls = Counter()
            let last = try target.observe("cityLine") { _ in }
            TestPoint.updatingDerivedKeyRoutes.whenReached {
                onAnotherThread { try! target.observe("cityLine") { _ in calls.add() } }
            }
            last.remove()
            target.address!.city = "Bonn"
            expectEqual(calls.count, 1)
            target.address = tracker.track(Address())
            target.address!.city = "Trier"
            expectEqual(calls.count, 3)
        }

        ///     is the first: routes are to be started
        ///                                        removes it, ends the routes
        ///     starts them
        @Test func routesOfADerivedKeyThatIsNoLongerObservedStayEnded() throws {
            let (target, observer) = (person(), person())
            target.address = tracker.track(Address())
            for _ in 0..<3 {
                TestPoint.updatingDerivedKeyRoutes.whenReached {
                    onAnotherThread { observer.stopObserving() }
                }
                try target.addObserver(observer, forKeyPath: "cityLine") { (_: Person, _) in }
            }
            let calls = Counter()
            try target.observe("cityLine") { _ in calls.add() }
            target.address!.city = "Bonn"
            expectEqual(calls.count, 1)
        }
    }
#endif
