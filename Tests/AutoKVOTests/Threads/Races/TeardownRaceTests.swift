#if DEBUG
    import AutoKVO
    import AutoKVOTestSupport
    import Testing

    /// A target or an observer that dies while the other side is used.
    struct TeardownRaceTests: RaceSuite {
        let tracker = LifetimeTracker()

        @Test(arguments: [false, true])
        func observerThatDiesBeforeTheCallIsNotCalled(isTracked: Bool) throws {
            let target = person()
            let calls = Counter()
            let observer = Shared<AnyObject?>(isTracked ? person() : PlainObserver(tracker))
            let observation = try target.addObserver(observer.value!, forKeyPath: "age") { _, _ in calls.add() }
            TestPoint.beforeObserver.whenReached { onAnotherThread { observer.value = nil } }
            target.age = 1
            expectEqual(calls.count, 0)
            #expect(!observation.isValid)
            expectEqual(tracker.liveCount, 1)
        }

        ///     fires: the state says so, and it is
        ///     taken out of its lists
        ///                                        the observer dies
        ///     finds it dead: the change is missed,
        ///     so it has not fired after all
        @Test(arguments: ["age", "age|firstName", "address.city"], [false, true])
        func manualOnceWhoseObserverDiesBeforeTheCallIsFoundAgain(path: String, isTracked: Bool) throws {
            let target = person()
            target.address = tracker.track(Address())
            let (calls, ends) = (Counter(), Counter())
            let observer = Shared<AnyObject?>(isTracked ? person() : PlainObserver(tracker))
            let observation = try target.addObserver(
                observer.value!, forKeyPath: path, options: [.once, .unregisterManually]
            ) { [token = tracker.token()] _, _ in
                token.touch()
                calls.add()
            }
            observation.onEnd { if $0 != .removed { ends.add() } }
            TestPoint.beforeObserver.whenReached { onAnotherThread { observer.value = nil } }
            let lines = messages {
                for round in 1...2 {
                    if path == "address.city" { target.address!.city += "." } else { target.age = round }
                    expectEqual(target.observations(), [observation])
                    #expect(observation.isValid)
                }
            }
            expectEqual(lines.count, 1)
            observation.remove()
            expectEqual(target.observations(), [])
            expectEqual([calls.count, ends.count], [0, 0])
            expectEqual(tracker.liveCount, 2)
        }

        /// The observer's deinit has begun on another thread and has not ended the observation: the call is not made.
        @Test func observerInItsDeinitIsNotCalled() throws {
            let target = person()
            let calls = Counter()
            let observer = Shared<Person?>(person())
            let ends = Counter()
            let observation = try target.addObserver(observer.value!, forKeyPath: "age") { (_: Person, _) in calls.add()
            }
            observation.onEnd {
                expectEqual($0, .observerDeinitialized)
                ends.add()
            }
            onAnotherThread {
                TestPoint.tearingDown.whenReached {
                    onAnotherThread { target.age = 1 }
                    expectEqual(ends.count, 0, "it ends in the deinit, not on the thread that writes")
                }
                observer.value = nil
                expectEqual(ends.count, 1)
            }
            expectEqual(calls.count, 0)
            #expect(!observation.isValid)
        }

        @Test func observerIsAliveThroughoutItsCall() throws {
            let target = person()
            let observer = Shared<Person?>(person("Bob"))
            let name = Shared("")
            try target.addObserver(observer.value!, forKeyPath: "age") { (called: Person, _) in
                // The last reference but the delivery's own goes while the handler runs.
                onAnotherThread { observer.value = nil }
                expectEqual(tracker.liveCount, 2)
                name.value = called.firstName
            }
            target.age = 1
            expectEqual(name.value, "Bob")
            expectEqual(tracker.liveCount, 1)
        }

        /// The root of a path dies on one thread while its leaf changes on another.
        @Test func targetThatIsLetGoOfBeforeTheCallDiesBehindIt() throws {
            let root = Shared<Person?>(person())
            let leaf = tracker.track(Address())
            root.value!.address = leaf
            let calls = Counter()
            let ends = Counter()
            try root.value!.observe("address.city") { _ in calls.add() }.onEnd { _ in ends.add() }
            TestPoint.beforeCall.whenReached { onAnotherThread { root.value = nil } }
            // The route is entered before the point, so the root is held there, and the call is made with a living target.
            leaf.city = "Bonn"
            expectEqual([calls.count, ends.count], [1, 1])
            leaf.city = "Trier"
            expectEqual(calls.count, 1)
            expectEqual(tracker.liveCount, 1)
        }

        /// Target and observer of a manual observation die at once: the observation is released, and nothing leaks.
        @Test func manualObservationIsFreedWhenBothSidesDieAtOnce() throws {
            for keyPath in ["age", "address.city"] {
                for targetFirst in [true, false] {
                    let (target, observer) = (Shared<Person?>(person()), Shared<Person?>(person()))
                    target.value!.address = tracker.track(Address())
                    try target.value!.addObserver(observer.value!, forKeyPath: keyPath, options: .unregisterManually) {
                        [token = tracker.token()] (_: Person, _) in token.touch()
                    }
                    TestPoint.tearingDown.whenReached {
                        onAnotherThread { if targetFirst { observer.value = nil } else { target.value = nil } }
                    }
                    if targetFirst { target.value = nil } else { observer.value = nil }
                    expectEqual(tracker.liveCount, 0)
                }
            }
        }

        ///     one removes a path                  the target dies
        ///     takes the part out of its route
        ///                                         finds the part in the list: unlinks it, and does not wait
        ///     finds nothing to unlink
        @Test(
            "a teardown unlinks what another thread has taken and not unlinked", .timeLimit(.minutes(1)),
            arguments: [[], .unregisterManually] as [ObservingOptions])
        func teardownDoesNotWaitForAPart(options: ObservingOptions) throws {
            let target = Shared<Person?>(person())
            let other = person()
            let calls = Counter()
            let observation = try [target.value!, other].observe("age", options: options) { _ in calls.add() }
            let (taken, dead) = (Door(), Door())
            let remover = Thread {
                TestPoint.endingPart.whenReached {
                    taken.open()
                    dead.wait()
                }
                observation.remove()
            }
            taken.wait()
            target.value = nil
            dead.open()
            remover.join()
            other.age = 1
            #expect(calls.count == 0 && !observation.isValid)
            expectEqual(tracker.liveCount, 1)
        }
    }
#endif
