#if DEBUG
    import AutoKVO
    import AutoKVOTestSupport
    import Testing

    /// An observation that is added while a change is made, or removed while it is added.
    struct AttachRaceTests: RaceSuite {
        let tracker = LifetimeTracker()

        @Test func observationAddedDuringADeliveryWaitsForTheNext() {
            let target = person()
            let (first, second) = (Counter(), Counter())
            // More than are called at once.
            for _ in 0..<17 { target.$age.observe { _ in first.add() } }
            TestPoint.beforeCall.whenReached { onAnotherThread { target.$age.observe { _ in second.add() } } }
            target.age = 1
            #expect((first.count, second.count) == (17, 0))
            target.age = 2
            #expect((first.count, second.count) == (34, 1))
        }

        @Test func observationAddedBetweenWillAndDidIsNotPartOfTheChange() {
            let target = person()
            let (first, second) = (Counter(), Counter())
            target.$age.observe(options: .prior) { _ in first.add() }
            TestPoint.begun.whenReached { onAnotherThread { target.$age.observe { _ in second.add() } } }
            target.age = 1
            #expect((first.count, second.count) == (2, 0))
        }

        ///     finds the observers concerned, and
        ///     that no observer needs the old value
        ///                                        an observer is added that needs it
        ///     stores; the old value is gone
        @Test func observerThatNeedsTheOldValueDoesNotMakeOthersMissTheChange() throws {
            let target = person()
            let (first, second) = (Counter(), Shared<[String?]>([]))
            try target.observe("fullName") { _ in first.add() }
            TestPoint.begun.whenReached {
                onAnotherThread {
                    _ = try! target.observe("fullName", options: .old) { second.value.append($0.oldValue as? String) }
                }
            }
            target.firstName = "Bea"
            expectEqual(first.count, 1)
            expectEqual(second.value, [], "it was added after the old value was discarded")
            target.firstName = "Cid"
            expectEqual(first.count, 2)
            expectEqual(second.value, ["Bea Lee"])
        }

        @Test func observerOfTheOldValueAddedDuringAnEditWaitsForTheNext() {
            let target = person()
            let (first, second) = (Counter(), Shared<[[Int]?]>([]))
            target.$scores.observe { _ in first.add() }
            TestPoint.written.whenReached {
                onAnotherThread { target.$scores.observe(options: .old) { second.value.append($0.oldValue) } }
            }
            target.scores.append(1)
            target.scores.append(2)
            expectEqual(first.count, 2)
            expectEqual(second.value, [[1]])
        }

        @Test func observerOfTheNewValueAddedDuringAnEditWaitsForTheNext() {
            let target = person()
            let (first, second) = (Counter(), Shared<[[Int]?]>([]))
            target.$scores.observe { _ in first.add() }
            TestPoint.written.whenReached {
                onAnotherThread { target.$scores.observe(options: .new) { second.value.append($0.newValue) } }
            }
            target.scores.append(1)
            target.scores.append(2)
            expectEqual(first.count, 2)
            expectEqual(second.value, [[1, 2]])
        }

        @Test("of several paths, too: it is not called without the value", arguments: [ObservingOptions.old, .new])
        func observerOfSeveralPathsAddedDuringAnEdit(option: ObservingOptions) throws {
            let target = person()
            let (first, second) = (Counter(), Shared<[[Int]?]>([]))
            target.$scores.observe { _ in first.add() }
            TestPoint.written.whenReached {
                onAnotherThread {
                    _ = try! target.observe(["scores", "age"], options: option) {
                        second.value.append((option == .new ? $0.newValue : $0.oldValue) as? [Int])
                    }
                }
            }
            target.scores.append(1)
            target.scores.append(2)
            expectEqual(first.count, 2)
            expectEqual(second.value, [option == .new ? [1, 2] : [1]])
        }

        ///     finds that only its own observers are
        ///     concerned, and stores
        ///                                        an observer is added that needs a prior call, and one of
        ///                                        what depends on the property
        @Test func writeIsToldWithItsValuesThoughObserversAreAddedThatNeedMore() throws {
            let target = person()
            let (first, later) = (Shared<[[String?]]>([]), Shared<[String?]>([]))
            target.$firstName.observe(options: [.old, .new]) { first.value.append([$0.oldValue, $0.newValue]) }
            TestPoint.written.whenReached {
                onAnotherThread {
                    target.$firstName.observe(options: .prior) { _ in }
                    _ = try! target.observe("fullName", options: .new) { later.value.append($0.newValue as? String) }
                }
            }
            target.firstName = "Bea"
            expectEqual(first.value, [["Ann", "Bea"]])
            expectEqual(later.value, ["Bea Lee"])
        }

        ///     held by its observer
        ///                                        the observer stops observing all targets
        ///     put into the target's list
        @Test func removalDuringTheRegistrationLeavesNothingBehind() throws {
            for keyPath in ["age", "address.city", "fullName"] {
                let (target, observer) = (person(), person())
                target.address = tracker.track(Address())
                TestPoint.attaching.whenReached { onAnotherThread { observer.stopObserving() } }
                let calls = Counter()
                let observation = try target.addObserver(observer, forKeyPath: keyPath) { (_: Person, _) in calls.add()
                }
                #expect(!observation.isValid)
                expectEqual(target.observations(), [])
                expectEqual(observer.observations(), [])
                target.age = 1
                target.address!.city = "Bonn"
                target.firstName = "Bea"
                expectEqual(calls.count, 0)
            }
            expectEqual(tracker.liveCount, 0)
        }

        /// The last observation of an untracked observer ends while another is being registered for it.
        @Test func untrackedObserverCanRegisterWhileItsLastObservationEnds() throws {
            let (target, observer) = (person(), PlainObserver(tracker))
            for round in 0..<50 {
                let last = try target.addObserver(observer, forKeyPath: "age") { (_: PlainObserver, _) in }
                concurrently(2) { number in
                    if number == 0 {
                        last.remove()
                    } else {
                        #expect(throws: Never.self, "round \(round)") {
                            try target.addObserver(observer, forKeyPath: "age") { (_: PlainObserver, _) in }
                        }
                    }
                }
                expectEqual(observer.stopObserving(), 1)
            }
        }

        @Test func untrackedObserverCanBeArmedAgain() throws {
            let (target, observer) = (person(), PlainObserver(tracker))
            let calls = Counter()
            let observation = try target.addObserver(observer, forKeyPath: "age", options: .once) {
                (_: PlainObserver, _) in calls.add()
            }
            target.age = 1
            try observation.rearm()
            target.age = 2
            expectEqual(calls.count, 2)
        }
    }
#endif
