#if DEBUG
    import AutoKVO
    import AutoKVOTestSupport
    import Testing

    /// Two threads, one of which stops at a named place in the library until the other has done something: one test for each
    /// pair of things that may meet. In the comments the left column is the thread that stops.
    @Suite struct RaceTests {
        private let tracker = LifetimeTracker()

        private func person(_ name: String = "Ann") -> Person { tracker.track(Person(name)) }

        // MARK: A set against …

        @Test func removalBeforeTheCallPreventsIt() {
            let target = person()
            let calls = Counter()
            let observation = target.$age.observe { [token = tracker.token()] _ in
                token.touch()
                calls.add()
            }
            TestPoint.beforeCall.whenReached { onAnotherThread { observation.remove() } }
            target.age = 1
            #expect(calls.count == 0)
            #expect(tracker.liveCount == 1, "the closure is released when the delivery is over")
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
                #expect(tracker.liveCount == 2)
            }
            target.age = 1
            #expect(calls.count == 1)
            #expect(tracker.liveCount == 1)
            target.age = 2
            #expect(calls.count == 1)
        }

        @Test(arguments: [false, true])
        func observerThatDiesBeforeTheCallIsNotCalled(isTracked: Bool) throws {
            let target = person()
            let calls = Counter()
            let observer = Shared<AnyObject?>(isTracked ? person() : PlainObserver(tracker))
            let observation = try target.addObserver(observer.value!, forKeyPath: "age") { _, _ in calls.add() }
            TestPoint.beforeObserver.whenReached { onAnotherThread { observer.value = nil } }
            target.age = 1
            #expect(calls.count == 0)
            #expect(!observation.isValid)
            #expect(tracker.liveCount == 1)
        }

        /// The observer's deinit has begun on another thread and has not ended the observation: the call is not made.
        @Test func observerInItsDeinitIsNotCalled() throws {
            let target = person()
            let calls = Counter()
            let observer = Shared<Person?>(person())
            let observation = try target.addObserver(observer.value!, forKeyPath: "age") { (_: Person, _) in calls.add()
            }
            onAnotherThread {
                TestPoint.tearingDown.whenReached { onAnotherThread { target.age = 1 } }
                observer.value = nil
            }
            #expect(calls.count == 0)
            #expect(!observation.isValid)
        }

        @Test func observerIsAliveThroughoutItsCall() throws {
            let target = person()
            let observer = Shared<Person?>(person("Bob"))
            let name = Shared("")
            try target.addObserver(observer.value!, forKeyPath: "age") { (observer: Person, _) in
                onAnotherThread { [box = self.tracker] in _ = box.liveCount }
                name.value = observer.firstName
            }
            // The last reference but the delivery's own goes while the handler runs.
            let release = target.$age.observe { _ in onAnotherThread { observer.value = nil } }
            target.age = 1
            #expect(name.value == "Bob")
            #expect(tracker.liveCount == 1)
            release.remove()
        }

        @Test func observationAddedDuringADeliveryWaitsForTheNext() {
            let target = person()
            let (first, second) = (Counter(), Counter())
            target.$age.observe { _ in first.add() }
            TestPoint.beforeCall.whenReached { onAnotherThread { target.$age.observe { _ in second.add() } } }
            target.age = 1
            #expect((first.count, second.count) == (1, 0))
            target.age = 2
            #expect((first.count, second.count) == (2, 1))
        }

        @Test func observationAddedBetweenWillAndDidIsNotPartOfTheChange() {
            let target = person()
            let (first, second) = (Counter(), Counter())
            target.$age.observe(options: .prior) { _ in first.add() }
            TestPoint.begun.whenReached { onAnotherThread { target.$age.observe { _ in second.add() } } }
            target.age = 1
            #expect((first.count, second.count) == (2, 0))
        }

        ///     finds whom the change concerns, and
        ///     that nobody asks for the old value
        ///                                        an observer is added that asks for it
        ///     stores; the old value is gone
        @Test func observerThatAsksForMoreDoesNotMakeOthersMissTheChange() throws {
            let target = person()
            let (first, second) = (Counter(), Shared<[String?]>([]))
            try target.observe("fullName") { _ in first.add() }
            TestPoint.begun.whenReached {
                onAnotherThread {
                    _ = try! target.observe("fullName", options: .old) { second.value.append($0.oldValue as? String) }
                }
            }
            target.firstName = "Bea"
            #expect(first.count == 1)
            #expect(second.value == [], "it came too late to be told what was before")
            target.firstName = "Cid"
            #expect(first.count == 2)
            #expect(second.value == ["Bea Lee"])
        }

        @Test func observerOfTheOldValueThatComesDuringAnEditWaitsForTheNext() {
            let target = person()
            let (first, second) = (Counter(), Shared<[[Int]?]>([]))
            target.$scores.observe { _ in first.add() }
            TestPoint.written.whenReached {
                onAnotherThread { target.$scores.observe(options: .old) { second.value.append($0.oldValue) } }
            }
            target.scores.append(1)
            target.scores.append(2)
            #expect(first.count == 2)
            #expect(second.value == [[1]])
        }

        @Test func observerOfTheNewValueThatComesDuringAnEditWaitsForTheNext() {
            let target = person()
            let (first, second) = (Counter(), Shared<[[Int]?]>([]))
            target.$scores.observe { _ in first.add() }
            TestPoint.written.whenReached {
                onAnotherThread { target.$scores.observe(options: .new) { second.value.append($0.newValue) } }
            }
            target.scores.append(1)
            target.scores.append(2)
            #expect(first.count == 2)
            #expect(second.value == [[1, 2]])
        }

        /// The root of a path dies on one thread while its leaf changes on another.
        @Test func targetThatDiesBeforeTheCallIsNotTold() throws {
            let root = Shared<Person?>(person())
            let leaf = tracker.track(Address())
            root.value!.address = leaf
            let calls = Counter()
            let ends = Counter()
            try root.value!.observe("address.city") { _ in calls.add() }.onEnd { _ in ends.add() }
            TestPoint.beforeCall.whenReached { onAnotherThread { root.value = nil } }
            // The route is entered before the point, so the root is held there, and the call is made with a living target.
            leaf.city = "Bonn"
            #expect(calls.count <= 1)
            #expect(ends.count == 1)
            leaf.city = "Trier"
            #expect(calls.count <= 1)
            #expect(tracker.liveCount == 1)
        }

        // MARK: .once and rearm()

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
                #expect(calls.count == round)
                #expect(observation.isValid)
                #expect(target.observations() == [observation])
                #expect(observer.observations() == [observation])
            }
            target.age = 10
            #expect(!observation.isValid)
            #expect(target.observations() == [])
        }

        @Test func rearmOfAPathBeforeTheFiringIsOverKeepsItArmed() throws {
            let target = person()
            target.address = tracker.track(Address())
            let calls = Counter()
            let observation = try target.observe("address.city", options: .once) { _ in calls.add() }
            for round in 1...3 {
                TestPoint.firing.whenReached { onAnotherThread { try! observation.rearm() } }
                target.address!.city = "\(round)"
                #expect(calls.count == round)
                #expect(target.observations() == [observation])
            }
            target.address!.city = "last"
            target.address!.city = "more"
            #expect(calls.count == 4)
        }

        ///     the walk unlinks what it held and
        ///     has yet to release it
        ///                                        rearm(): links it again, behind others
        ///     goes on along its links, now those
        ///     of the list
        @Test func rearmWhileTheWalkLetsGoLeavesTheListWhole() throws {
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
                #expect(Set(target.observations()) == Set(observations))
            }
            for observation in observations { observation.remove() }
            #expect(tracker.liveCount == 1)
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
            #expect(calls.count == 1)
            #expect(throws: KeyValueError.self) { try observation.rearm() }
            #expect(tracker.liveCount == 1)
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
            #expect(tracker.liveCount == 0)
        }

        // MARK: Registration against removal

        ///     held by its observer
        ///                                        the observer stops observing all targets
        ///     put into the target's list
        @Test func removalDuringTheRegistrationLeavesNothingBehind() throws {
            for keyPath in ["age", "address.city", "fullName"] {
                let (target, observer) = (person(), person())
                target.address = tracker.track(Address())
                TestPoint.attaching.whenReached { onAnotherThread { observer.stopObservingAllTargets() } }
                let calls = Counter()
                let observation = try target.addObserver(observer, forKeyPath: keyPath) { (_: Person, _) in calls.add()
                }
                #expect(!observation.isValid)
                #expect(target.observations() == [])
                #expect(observer.observations() == [])
                target.age = 1
                target.address!.city = "Bonn"
                target.firstName = "Bea"
                #expect(calls.count == 0)
            }
            #expect(tracker.liveCount == 0)
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
                #expect(observer.stopObservingAllTargets() == 1)
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
            #expect(calls.count == 2)
        }

        // MARK: Ends against ends

        enum Ending: CaseIterable { case removal, observerDeath, targetDeath }

        @Test(arguments: Ending.allCases, Ending.allCases)
        func observationEndsOnce(first: Ending, second: Ending) throws {
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
                func end(_ ending: Ending) {
                    switch ending {
                    case .removal: observation.remove()
                    case .observerDeath: observer.value = nil
                    case .targetDeath: target.value = nil
                    }
                }
                TestPoint.ending.whenReached { onAnotherThread { end(second) } }
                end(first)
                #expect(ends.count == 1)
                #expect(!observation.isValid)
            }
            #expect(tracker.liveCount == 0)
        }

        // MARK: A dying weak referent against …

        private func holderAndParent() -> (Shared<Person?>, Shared<Person?>, Counter) {
            let (holder, parent) = (Shared<Person?>(person()), Shared<Person?>(person()))
            holder.value!.parent = parent.value
            return (holder, parent, Counter())
        }

        @Test func setOfTheWeakPropertyIsTheOnlyChange() {
            let (holder, parent, calls) = holderAndParent()
            let next = person()
            holder.value!.$parent.observe { _ in calls.add() }
            TestPoint.referentDying.whenReached { onAnotherThread { holder.value!.parent = next } }
            parent.value = nil
            #expect(calls.count == 1)
            #expect(holder.value!.parent === next)
        }

        @Test func removalAgainstTheReferentsDeathPreventsTheCall() {
            let (holder, parent, calls) = holderAndParent()
            let observation = holder.value!.$parent.observe { _ in calls.add() }
            TestPoint.referentDying.whenReached { onAnotherThread { observation.remove() } }
            parent.value = nil
            #expect(calls.count == 0)
        }

        @Test func holderThatDiesWithItsReferentIsNotTold() {
            let (holder, parent, calls) = holderAndParent()
            holder.value!.$parent.observe { _ in calls.add() }
            TestPoint.referentDying.whenReached { onAnotherThread { holder.value = nil } }
            parent.value = nil
            #expect(calls.count == 0)
            #expect(tracker.liveCount == 0)
        }

        ///     the last observer goes: nobody
        ///     observes the property
        ///                                        another comes, and puts a watch in place
        ///     takes the watch away
        @Test func observerThatComesAsTheLastGoesIsToldOfTheDeath() {
            let (holder, parent, calls) = holderAndParent()
            let last = holder.value!.$parent.observe { _ in }
            TestPoint.updatingWatch.whenReached {
                onAnotherThread { holder.value!.$parent.observe { _ in calls.add() } }
            }
            last.remove()
            parent.value = nil
            #expect(calls.count == 1)
        }

        /// Found by the model test. The dying object is the root of a path that leads back through the weak property: ending that
        /// path looked at the property, found it empty, and took the watch away before it had told of the death.
        @Test func deathIsToldThoughAPathFromTheDyingObjectEndsFirst() throws {
            let child = person()
            var parent: Person? = person()
            parent!.spouse = child
            child.parent = parent
            let calls = Counter()
            try parent!.observe("spouse.parent.age") { _ in }
            try child.observe("parent.age") { _ in calls.add() }
            parent = nil
            #expect(calls.count == 1)
        }

        ///     its referent dies: reads what the
        ///     property refers to
        ///                                        sets the property: the reference that was there is
        ///                                        released, and a watch put on the new referent
        ///     asks the reference for its object,
        ///     takes the watch away
        @Test func setOfTheWeakPropertyWhileItsReferentDiesIsSafeAndWatched() {
            let (holder, parent, calls) = holderAndParent()
            let next = Shared<Person?>(person())
            holder.value!.$parent.observe { _ in calls.add() }
            TestPoint.readingWeak.whenReached { onAnotherThread { holder.value!.parent = next.value } }
            parent.value = nil
            #expect(holder.value!.parent === next.value)
            #expect(calls.count == 2, "the death and the set")
            next.value = nil
            #expect(calls.count == 3)
            #expect(holder.value!.parent == nil)
            #expect(tracker.liveCount == 1)
        }

        ///     reads the handle of the property
        ///                                        sets the property: the reference that was there is
        ///                                        released
        ///     asks the reference for its object
        @Test func setOfTheWeakPropertyWhileItsHandleIsReadIsSafe() {
            let (holder, parent, _) = holderAndParent()
            let next = Shared<Person?>(person())
            let handle = holder.value!.$parent
            handle.observe { _ in }
            TestPoint.readingWeak.whenReached { onAnotherThread { holder.value!.parent = next.value } }
            #expect(handle.value === parent.value)
            #expect(handle.value === next.value)
        }

        // MARK: Paths

        ///     swaps a.b; has linked the new b
        ///                                        swaps b.c, takes over
        ///     sees that, and stops
        @Test func laterSwapOfAPathWins() throws {
            let target = person()
            let (old, new) = (person(), person())
            old.address = tracker.track(Address("old"))
            new.address = tracker.track(Address("first"))
            let last = tracker.track(Address("last"))
            target.spouse = old
            let cities = Shared<[String]>([])
            try target.observe("spouse.address.city", options: .new) {
                cities.value.append($0.newValue as? String ?? "nil")
            }
            TestPoint.linked.whenReached { onAnotherThread { new.address = last } }
            target.spouse = new
            cities.value = []
            last.city = "yes"
            old.address!.city = "no"
            #expect(cities.value == ["yes"])
        }

        @Test func pathRemovedDuringASwapLeavesNoLinks() throws {
            let target = person()
            let (old, new) = (tracker.track(Address()), tracker.track(Address()))
            target.address = old
            let calls = Counter()
            for point in [TestPoint.relinking, .linked] {
                target.address = old
                let observation = try target.observe("address.city") { [token = tracker.token()] _ in
                    token.touch()
                    calls.add()
                }
                point.whenReached { onAnotherThread { observation.remove() } }
                target.address = new
                new.city = "\(point)"
                #expect(calls.count == 0)
                #expect(tracker.liveCount == 3)
            }
        }

        @Test func observerThatDiesDuringASwapIsNotTold() throws {
            let target = person()
            let observer = Shared<Person?>(person())
            target.address = tracker.track(Address())
            let calls = Counter()
            try target.addObserver(observer.value!, forKeyPath: "address.city") { (_: Person, _) in calls.add() }
            TestPoint.relinking.whenReached { onAnotherThread { observer.value = nil } }
            target.address = tracker.track(Address())
            #expect(calls.count == 0)
            #expect(tracker.liveCount == 2)
        }

        /// A leaf changes on another thread after it has been linked and before the swap is told.
        @Test func leafChangeDuringASwapIsTold() throws {
            let target = person()
            target.address = tracker.track(Address())
            let next = tracker.track(Address("next"))
            let cities = Shared<[String]>([])
            try target.observe("address.city", options: .new) { cities.value.append($0.newValue as? String ?? "nil") }
            TestPoint.linked.whenReached { onAnotherThread { next.city = "changed" } }
            target.address = next
            #expect(cities.value == ["changed", "changed"])
        }

        /// The path comes to lead to an object while a change of that object is open: its end is told.
        @Test func swapToAnObjectInAChangeIsTold() throws {
            let target = person()
            let leaf = tracker.track(Address("before"))
            target.address = leaf
            let cities = Shared<[String]>([])
            try target.observe("address.city", options: .new) { cities.value.append($0.newValue as? String ?? "nil") }
            leaf.$city.observe(options: .prior) { _ in }
            leaf.willChangeValue(forKey: "city")
            onAnotherThread {
                target.address = nil
                target.address = leaf
            }
            leaf.city = "after"
            leaf.didChangeValue(forKey: "city")
            #expect(cities.value.last == "after")
        }

        // MARK: Derived keys over other objects

        ///     the last observer goes, the routes
        ///     behind the key are to be ended
        ///                                        another comes, and starts routes of its own
        ///     ends
        @Test func observerOfADerivedKeyThatComesAsTheLastGoesIsTold() throws {
            let target = person()
            target.address = tracker.track(Address())
            let calls = Counter()
            let last = try target.observe("cityLine") { _ in }
            TestPoint.updatingDerivedKeyRoutes.whenReached {
                onAnotherThread { try! target.observe("cityLine") { _ in calls.add() } }
            }
            last.remove()
            target.address!.city = "Bonn"
            #expect(calls.count == 1)
            target.address = tracker.track(Address())
            target.address!.city = "Trier"
            #expect(calls.count == 3)
        }

        ///     is the first: routes are to be started
        ///                                        removes it, ends the routes
        ///     starts them
        @Test func routesOfADerivedKeyThatNobodyObservesAnyMoreStayEnded() throws {
            let (target, observer) = (person(), person())
            target.address = tracker.track(Address())
            for _ in 0..<3 {
                TestPoint.updatingDerivedKeyRoutes.whenReached {
                    onAnotherThread { observer.stopObservingAllTargets() }
                }
                try target.addObserver(observer, forKeyPath: "cityLine") { (_: Person, _) in }
            }
            let calls = Counter()
            try target.observe("cityLine") { _ in calls.add() }
            target.address!.city = "Bonn"
            #expect(calls.count == 1)
        }

        // MARK: Coalescing against …

        @Test(arguments: Ending.allCases)
        func endedObservationIsNotToldOfWhatWasHeldBack(ending: Ending) throws {
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
                #expect(calls.count == 0)
                #expect(!observation.isValid)
            }
        }

        /// A manual observation outlives its target; a change that was held back has nobody to be told of any more.
        @Test func heldBackChangeOfADeadTargetIsNotTold() {
            let target = Shared<Person?>(person())
            let calls = Counter()
            let observation = target.value!.observe(\Person.age, options: .unregisterManually) { (_: Person, _) in
                calls.add()
            }
            coalescingChanges {
                target.value!.age = 1
                target.value = nil
            }
            #expect(calls.count == 0)
            observation.remove()
            #expect(tracker.liveCount == 0)
        }

        @Test func observationAddedDuringACoalescingIsToldOfLaterChangesOnly() {
            let target = person()
            let (first, second) = (Shared<[Int]>([]), Shared<[Int]>([]))
            target.$age.observe(options: .old) { first.value.append($0.oldValue!) }
            coalescingChanges {
                target.age = 1
                onAnotherThread { target.$age.observe(options: .old) { second.value.append($0.oldValue!) } }
                target.age = 2
            }
            #expect(first.value == [0])
            #expect(second.value == [1])
        }

        @Test func otherThreadsAreNotHeldBackByACoalescing() {
            let target = person()
            let calls = Counter()
            target.$age.observe { _ in calls.add() }
            coalescingChanges {
                onAnotherThread { target.age = 1 }
                #expect(calls.count == 1)
            }
            #expect(calls.count == 1)
        }

        // MARK: Manual observations

        /// Target and observer of a manual observation die at once: nobody is left to release it, and nothing leaks.
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
                    #expect(tracker.liveCount == 0)
                }
            }
        }
    }
#endif
