#if DEBUG
    import AutoKVO
    import AutoKVOTestSupport
    import Testing

    /// An observation with `.once` that fires while it is armed again, removed, or its target dies.
    struct OnceRaceTests: RaceSuite {
        let tracker = LifetimeTracker()

        ///     fires: the state says so
        ///                                        rearm(): active again, is in the list still
        ///     takes it out of the list           puts it in a second time
        @Test func rearmBeforeTheFiringIsOverKeepsItArmed() throws {
            let target = person()
            let observer = person()
            let calls = Counter()
            let observation = try target.addObserver(observer, forKeyPath: "age", options: .once) { (_: Person, _) in
                calls.add()
            }
            for round in 1...3 {
                TestPoint.firing.whenReached { onAnotherThread { try! observation.rearm() } }
                target.age = round
                expectEqual(calls.count, round)
                #expect(observation.isValid)
                expectEqual(target.observations(), [observation])
                expectEqual(observer.observations(), [observation])
            }
            target.age = 10
            #expect(!observation.isValid)
            expectEqual(target.observations(), [])
        }

        @Test func rearmOfAPathBeforeTheFiringIsOverKeepsItArmed() throws {
            let target = person()
            target.address = tracker.track(Address())
            let calls = Counter()
            let observation = try target.observe("address.city", options: .once) { _ in calls.add() }
            for round in 1...3 {
                TestPoint.firing.whenReached { onAnotherThread { try! observation.rearm() } }
                target.address!.city = "\(round)"
                expectEqual(calls.count, round)
                expectEqual(target.observations(), [observation])
            }
            target.address!.city = "last"
            target.address!.city = "more"
            expectEqual(calls.count, 4)
        }

        ///     fires, calls the handler
        ///     rearm()
        ///                                        fires again, calls the handler
        ///     the first call is over: the second
        ///     one has fired, and is not over
        @Test(arguments: ["age", "address.city"])
        func aCallThatIsOverDoesNotEndTheNextOne(path: String) throws {
            let target = person()
            target.address = tracker.track(Address())
            let (ends, calls, isCalled, mayReturn) = (Counter(), Counter(), Door(), Door())
            func write() { if path == "age" { target.age += 1 } else { target.address!.city += "." } }
            var other: Thread?
            let own = Shared<KeyValueObservation?>(nil)
            own.value = try target.observe(path, options: .once) { _ in
                if calls.add() == 2 {
                    isCalled.open()
                    return mayReturn.wait()
                }
                try! own.value!.rearm()
                other = Thread { write() }
                isCalled.wait()
            }
            own.value!.onEnd { _ in ends.add() }
            write()
            expectEqual([calls.count, ends.count], [2, 1])
            mayReturn.open()
            other!.join()
            expectEqual([calls.count, ends.count], [2, 2])
            own.value = nil
        }

        ///     made the prior call of a path
        ///                                        removes the path
        ///     is about to make the call after it
        @Test func pathRemovedBehindItsPriorCallLeavesTheCallToAnother() throws {
            let target = person()
            target.address = tracker.track(Address())
            var calls: [String] = []
            let observation = try target.observe(["address.city", "age"], options: [.once, .prior]) {
                calls.append("\($0.isPrior ? "prior" : "after") \($0.keyPath)")
            }
            target.address!.withMutation(of: "city") {
                TestPoint.beforeCall.whenReached {
                    onAnotherThread { [weak observation] in _ = observation?.remove(keyPath: "address.city") }
                }
            }
            expectEqual(calls, ["prior address.city"])
            target.age = 1
            #expect(calls.suffix(2) == ["prior age", "after age"] && !observation.isValid)
        }

        ///     the traversal unlinks what it pinned
        ///     and has yet to release it
        ///                                        rearm(): links it again, behind others
        ///     goes on along its links, now those
        ///     of the list
        @Test func rearmWhileTheTraversalUnpinsLeavesTheListWhole() throws {
            let target = person()
            let calls = (0..<40).map { _ in Counter() }
            let observations = try calls.map { calls in
                try target.observe("age", options: .once) { [token = tracker.token()] _ in
                    token.touch()
                    calls.add()
                }
            }
            for round in 1...3 {
                TestPoint.lettingGo.whenReached {
                    onAnotherThread { for o in observations.prefix(16) { try! o.rearm() } }
                }
                target.age = round
                for observation in observations { try observation.rearm() }
                #expect(calls.allSatisfy { $0.count == round })
                expectEqual(Set(target.observations()), Set(observations))
            }
            for observation in observations { observation.remove() }
            expectEqual(tracker.liveCount, 1)
        }

        @Test func removalWhileFiringEndsIt() throws {
            let target = person()
            let calls = Counter()
            let observation = try target.observe("age", options: .once) { [token = tracker.token()] _ in
                token.touch()
                calls.add()
            }
            TestPoint.firing.whenReached { onAnotherThread { observation.remove() } }
            target.age = 1
            expectEqual(calls.count, 1)
            #expect(throws: KeyValueError.self) { try observation.rearm() }
            expectEqual(tracker.liveCount, 1)
        }

        @Test func rearmAgainstTheTargetsDeathThrows() throws {
            for keyPath in ["age", "address.city"] {
                let target = Shared<Person?>(person())
                target.value!.address = tracker.track(Address())
                let observation = try target.value!.observe(keyPath, options: .once) { _ in }
                if keyPath == "age" { target.value!.age = 1 } else { target.value!.address!.city = "Bonn" }
                TestPoint.attaching.whenReached { onAnotherThread { target.value = nil } }
                #expect(throws: KeyValueError.self) { try observation.rearm() }
                #expect(!observation.isValid)
            }
            expectEqual(tracker.liveCount, 0)
        }

        ///     rearm(): it has not fired
        ///                                        fires
        ///     it has fired: arms it, and its
        ///     `onEnd` has not run
        @Test func endActionsRunForEachTimeThatItFiresWhileAnotherThreadArmsIt() throws {
            let source = RaceSource()
            let (calls, ends, stop) = (Counter(), Counter(), Counter())
            let observation = try source.observe("value", options: .once) { _ in calls.add() }
            observation.onEnd { if $0 == .fired { ends.add() } }
            concurrently(2) { number in
                if number == 1 {
                    while stop.count == 0 { try! observation.rearm() }
                } else {
                    for value in 1...load(40_000) {
                        source.value = value
                        if value % 2 == 0 { try! observation.rearm() }
                    }
                    stop.add()
                }
            }
            expectEqual(calls.count, ends.count)
            observation.remove()
        }

        ///     rearm(): the routes are made
        ///                                        a target dies, and finds no observation
        ///     links the routes: that one cannot be
        @Test(arguments: ["age", "address.city"], [ObservingOptions.once, [.once, .unregisterManually]])
        func targetThatDiesBeforeItsRouteIsLinkedKeepsNothing(path: String, options: ObservingOptions) throws {
            let (first, closure) = (Shared<Person?>(person()), LifetimeTracker())
            let second = Shared<Person?>(person())
            let observer = Shared<Person?>(person())
            for target in [first, second] { target.value!.address = tracker.track(Address()) }
            let observation = Shared<KeyValueObservation?>(
                try [first.value!, second.value!].addObserver(observer.value!, forKeyPath: path, options: options) {
                    [token = closure.token()] (_: Person, _) in token.touch()
                })
            first.value!.age += 1
            first.value!.address!.city += "."
            TestPoint.attaching.whenReached { onAnotherThread { second.value = nil } }
            try observation.value!.rearm()
            (first.value, observer.value, observation.value) = (nil, nil, nil)
            expectEqual(closure.liveCount, 0)
            expectEqual(tracker.liveCount, 0)
        }
    }
#endif
