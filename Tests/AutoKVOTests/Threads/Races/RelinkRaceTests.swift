#if DEBUG
    import AutoKVO
    import AutoKVOTestSupport
    import Testing

    /// The links of a path that move while the path, its objects or its observation change.
    struct RelinkRaceTests: RaceSuite {
        let tracker = LifetimeTracker()

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
            expectEqual(cities.value, ["yes"])
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
                expectEqual(calls.count, 0)
                expectEqual(tracker.liveCount, 3)
            }
        }

        @Test func observerThatDiesDuringASwapIsNotNotified() throws {
            let target = person()
            let observer = Shared<Person?>(person())
            target.address = tracker.track(Address())
            let calls = Counter()
            try target.addObserver(observer.value!, forKeyPath: "address.city") { (_: Person, _) in calls.add() }
            TestPoint.relinking.whenReached { onAnotherThread { observer.value = nil } }
            target.address = tracker.track(Address())
            expectEqual(calls.count, 0)
            expectEqual(tracker.liveCount, 2)
        }

        /// A leaf changes on another thread after it has been linked and before the observers are notified of the swap.
        @Test func leafChangeDuringASwapIsNotified() throws {
            let target = person()
            target.address = tracker.track(Address())
            let next = tracker.track(Address("next"))
            let cities = Shared<[String]>([])
            try target.observe("address.city", options: .new) { cities.value.append($0.newValue as? String ?? "nil") }
            TestPoint.linked.whenReached { onAnotherThread { next.city = "changed" } }
            target.address = next
            expectEqual(cities.value, ["changed", "changed"])
        }

        ///     sets the city, and an observer of
        ///     it has .prior: has found who is
        ///     concerned
        ///                                        a path comes to lead there, and reads the city
        ///     stores: the path's observers hear it
        @Test(arguments: [[], .old, .prior] as [ObservingOptions])
        func swapToAnObjectWhoseObserversHaveBeenFoundIsNotified(options: ObservingOptions) throws {
            let target = person()
            let leaf = tracker.track(Address("before"))
            target.address = tracker.track(Address())
            let cities = Shared<[String]>([])
            try target.observe("address.city", options: [.initial, .new]) {
                cities.value.append($0.newValue as? String ?? "nil")
            }
            leaf.$city.observe(options: options) { _ in }
            // So that a plain write has more than one subject.
            let other = person()
            other.address = leaf
            try other.observe("address.city") { _ in }
            TestPoint.subjectsFound.whenReached { onAnotherThread { target.address = leaf } }
            leaf.city = "after"
            expectEqual(cities.value.suffix(2), ["before", "after"])
            TestPoint.subjectsFound.whenReached { onAnotherThread { target.address = nil } }
            leaf.withMutation(of: "city") { leaf.city = "last" }
            expectEqual(cities.value.last, "nil")
        }

        /// The path comes to lead to an object while a change of that object is open: observers are notified of its end.
        @Test func swapToAnObjectInAChangeIsNotified() throws {
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
            expectEqual(cities.value.last, "after")
        }
    }
#endif
