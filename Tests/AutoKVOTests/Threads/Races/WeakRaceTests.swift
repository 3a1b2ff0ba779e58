#if DEBUG
    import AutoKVO
    import AutoKVOTestSupport
    import Testing

    /// The referent of a weak property that dies while the property is set, observed or no longer observed.
    struct WeakRaceTests: RaceSuite {
        let tracker = LifetimeTracker()

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
            expectEqual(calls.count, 1)
            #expect(holder.value!.parent === next)
        }

        ///     sets the property to another object
        ///                                        the former one dies: it is not referred to any more
        @Test func deathOfTheFormerReferentIsNoChange() {
            for isNil in [true, false] {
                let (holder, parent, calls) = holderAndParent()
                let next = person()
                holder.value!.$parent.observe { _ in calls.add() }
                TestPoint.updatingWatch.whenReached { onAnotherThread { parent.value = nil } }
                holder.value!.parent = isNil ? nil : next
                expectEqual(calls.count, 1)
                #expect(holder.value!.parent === (isNil ? nil : next))
            }
        }

        @Test func removalAgainstTheReferentsDeathPreventsTheCall() {
            let (holder, parent, calls) = holderAndParent()
            let observation = holder.value!.$parent.observe { _ in calls.add() }
            TestPoint.referentDying.whenReached { onAnotherThread { observation.remove() } }
            parent.value = nil
            expectEqual(calls.count, 0)
        }

        @Test func holderThatDiesWithItsReferentIsNotNotified() {
            let (holder, parent, calls) = holderAndParent()
            holder.value!.$parent.observe { _ in calls.add() }
            TestPoint.referentDying.whenReached { onAnotherThread { holder.value = nil } }
            parent.value = nil
            expectEqual(calls.count, 0)
            expectEqual(tracker.liveCount, 0)
        }

        ///     the last observer goes: nobody
        ///     observes the property
        ///                                        another comes, and puts a watch in place
        ///     takes the watch away
        @Test func observerAddedWhileTheLastIsRemovedIsNotifiedOfTheDeath() {
            let (holder, parent, calls) = holderAndParent()
            let last = holder.value!.$parent.observe { _ in }
            TestPoint.updatingWatch.whenReached {
                onAnotherThread { holder.value!.$parent.observe { _ in calls.add() } }
            }
            last.remove()
            parent.value = nil
            expectEqual(calls.count, 1)
        }

        private final class Pupil: Model {
            @Observed var number = 0
            @ObservedWeak var friend: Pupil?
            var friendNumber: Int { friend?.number ?? -1 }

            override class var schema: Schema {
                Schema(Pupil.self, extending: super.schema) {
                    Key("friendNumber", \.friendNumber, affectedBy: "friend.number")
                }
            }
        }

        ///     adds the first observer; retains the
        ///     referent, to watch it
        ///                                        adds another observer; releases the referent
        ///     releases the referent, which dies
        @Test(arguments: ["friend", "friend.number", "friendNumber"])
        func observerAddedWhileTheFirstOneIsAddedIsNotifiedOfADeathOnThatThread(path: String) throws {
            let (pupil, friend, first, calls) = (Pupil(), Shared<Pupil?>(Pupil()), Counter(), Counter())
            pupil.friend = friend.value
            TestPoint.updatingWatch.whenReached {
                onAnotherThread {
                    try! pupil.observe(path) { _ in calls.add() }
                    friend.value = nil
                }
            }
            try pupil.observe(path) { _ in first.add() }
            #expect(pupil.friend == nil)
            expectEqual(calls.count, 1)
            expectEqual(first.count, 0)
        }

        /// Found by the model test. The dying object is the root of a path that leads back through the weak property: ending that
        /// path read the property, found it empty, and removed the watch before it had notified the observers of the death.
        @Test func deathIsNotifiedThoughAPathFromTheDyingObjectEndsFirst() throws {
            let child = person()
            var parent: Person? = person()
            parent!.spouse = child
            child.parent = parent
            let calls = Counter()
            try parent!.observe("spouse.parent.age") { _ in }
            try child.observe("parent.age") { _ in calls.add() }
            parent = nil
            expectEqual(calls.count, 1)
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
            expectEqual(calls.count, 2, "the death and the set")
            next.value = nil
            expectEqual(calls.count, 3)
            #expect(holder.value!.parent == nil)
            expectEqual(tracker.liveCount, 1)
        }

        /// The handle's reading takes the same lock as the property's:
        ///
        ///     reads the reference
        ///                                        sets the property; the reference is freed
        ///     retains freed memory
        @Test func setOfTheWeakPropertyWhileItsHandleIsReadIsSafe() {
            let (holder, parent, _) = holderAndParent()
            let next = Shared<Person?>(person())
            let handle = holder.value!.$parent
            handle.observe { _ in }
            TestPoint.readingWeak.whenReached { onAnotherThread { holder.value!.parent = next.value } }
            #expect(handle.value === parent.value)
            #expect(handle.value === next.value)
        }
    }
#endif
