#if DEBUG
    import AutoKVO
    import AutoKVOTestSupport
    import Testing

    /// A removal against a delivery, and one end of an observation against another.
    struct EndRaceTests: RaceSuite {
        let tracker = LifetimeTracker()

        @Test func removalBeforeTheCallPreventsIt() {
            let target = person()
            let calls = Counter()
            let observation = target.$age.observe { [token = tracker.token()] _ in
                token.touch()
                calls.add()
            }
            TestPoint.beforeCall.whenReached { onAnotherThread { observation.remove() } }
            target.age = 1
            expectEqual(calls.count, 0)
            expectEqual(tracker.liveCount, 1, "the closure is released when the delivery is over")
        }

        /// `remove()` returns while the call is being made: the closure stays until the call is over, and no longer.
        @Test func removalDuringTheCallLetsItFinish() {
            let target = person()
            let calls = Counter()
            let observation = target.$age.observe { [token = tracker.token()] _ in
                token.touch()
                calls.add()
            }
            TestPoint.beforeObserver.whenReached {
                onAnotherThread { observation.remove() }
                expectEqual(tracker.liveCount, 2)
            }
            target.age = 1
            expectEqual(calls.count, 1)
            expectEqual(tracker.liveCount, 1)
            target.age = 2
            expectEqual(calls.count, 1)
        }

        @Test(arguments: RaceEnding.allCases, RaceEnding.allCases)
        func observationEndsOnce(first: RaceEnding, second: RaceEnding) throws {
            guard first != second || first == .removal else { return }
            for keyPath in ["age", "address.city"] {
                let (target, observer) = (Shared<Person?>(person()), Shared<Person?>(person()))
                target.value!.address = tracker.track(Address())
                let ends = Counter()
                let observation = try target.value!.addObserver(observer.value!, forKeyPath: keyPath) {
                    [token = tracker.token()] (_: Person, _) in
                    token.touch()
                }
                observation.onEnd { _ in ends.add() }
                func end(_ ending: RaceEnding) {
                    switch ending {
                    case .removal: observation.remove()
                    case .observerDeath: observer.value = nil
                    case .targetDeath: target.value = nil
                    }
                }
                TestPoint.ending.whenReached { onAnotherThread { end(second) } }
                end(first)
                expectEqual(ends.count, 1)
                #expect(!observation.isValid)
            }
            expectEqual(tracker.liveCount, 0)
        }
    }
#endif
