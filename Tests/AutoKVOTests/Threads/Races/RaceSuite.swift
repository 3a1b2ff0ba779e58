#if DEBUG
    import AutoKVO
    import AutoKVOTestSupport

    /// A suite of races. In each test two threads meet, and one of them stops at a named place in the library until the other
    /// has done something: one test for each pair of actions. In the comments the left column is the thread that stops.
    protocol RaceSuite {
        var tracker: LifetimeTracker { get }
    }

    extension RaceSuite {
        func person(_ name: String = "Ann") -> Person { tracker.track(Person(name)) }

        /// Runs an action when this thread reaches a point for that time, counted from 0.
        func onOccurrence(_ occurrence: Int, of point: TestPoint, _ action: @escaping () -> Void) {
            point.whenReached {
                if occurrence == 0 { action() } else { onOccurrence(occurrence - 1, of: point, action) }
            }
        }
    }

    /// The ways in which an observation ends.
    enum RaceEnding: CaseIterable { case removal, observerDeath, targetDeath }
#endif
