#if DEBUG
    import AutoKVO
    import AutoKVOTestSupport
    import Testing

    /// Changes that `coalescingChanges` holds back while sides die, observers are added, or other threads make changes.
    struct CoalescingRaceTests: RaceSuite {
        let tracker = LifetimeTracker()

        @Test(arguments: RaceEnding.allCases)
        func endedObservationIsNotNotifiedOfCoalescedChanges(ending: RaceEnding) throws {
            for keyPath in ["age", "address.zip"] {
                let (target, observer) = (Shared<Person?>(person()), Shared<Person?>(person()))
                let address = tracker.track(Address())
                target.value!.address = address
                let calls = Counter()
                let observation = try target.value!.addObserver(observer.value!, forKeyPath: keyPath) {
                    (_: Person, _) in calls.add()
                }
                TestPoint.coalesced.whenReached {
                    onAnotherThread {
                        switch ending {
                        case .removal: observation.remove()
                        case .observerDeath: observer.value = nil
                        case .targetDeath: target.value = nil
                        }
                    }
                }
                coalescingChanges {
                    target.value!.age = 1
                    address.zip = 1
                }
                expectEqual(calls.count, 0)
                #expect(!observation.isValid)
            }
        }

        /// A manual observation outlives its target; a change that was held back is then dropped.
        @Test func coalescedChangeOfADeadTargetIsNotNotified() {
            let target = Shared<Person?>(person())
            let calls = Counter()
            let observation = target.value!.observe(\Person.age, options: .unregisterManually) { (_: Person, _) in
                calls.add()
            }
            coalescingChanges {
                target.value!.age = 1
                target.value = nil
            }
            expectEqual(calls.count, 0)
            observation.remove()
            expectEqual(tracker.liveCount, 0)
        }

        @Test func observationAddedWhileChangesAreCoalescedIsNotifiedOfLaterChangesOnly() {
            let target = person()
            let (first, second) = (Shared<[Int]>([]), Shared<[Int]>([]))
            target.$age.observe(options: .old) { first.value.append($0.oldValue!) }
            coalescingChanges {
                target.age = 1
                onAnotherThread { target.$age.observe(options: .old) { second.value.append($0.oldValue!) } }
                target.age = 2
            }
            expectEqual(first.value, [0])
            expectEqual(second.value, [1])
        }

        @Test func changesOfOtherThreadsAreNotCoalesced() {
            let target = person()
            let calls = Counter()
            target.$age.observe { _ in calls.add() }
            coalescingChanges {
                onAnotherThread { target.age = 1 }
                expectEqual(calls.count, 1)
            }
            expectEqual(calls.count, 1)
        }
    }
#endif
