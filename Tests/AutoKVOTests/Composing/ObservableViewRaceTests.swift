#if DEBUG
    import AutoKVO
    import AutoKVOTestSupport
    import Observation
    import Testing

    /// A member is read on one thread while another one registers, changes, removes or lets die.
    struct ObservableViewRaceTests: RaceSuite {
        let tracker = LifetimeTracker()

        private func read(_ person: Person, _ isExact: Bool) -> String {
            // The key of `Employee`'s key path to an inherited property is not known.
            isExact ? person.observable.$firstName : (person as! Employee).observable.firstName
        }

        private func employee() -> Shared<Employee> { Shared(tracker.track(Employee("Ann"))) }

        ///     registers the first observation
        ///                                        reads the same member: registers one, too, and tracks it
        ///     finds that one, and removes its own
        @Test(arguments: [false, true]) func firstReadsOfOneMemberRegisterOneObservation(isExact: Bool) {
            let (employee, calls) = (employee(), Counter())
            TestPoint.attaching.whenReached {
                onAnotherThread { _ = track({ read(employee.value, isExact) }, onChange: { calls.add() }) }
            }
            _ = track {
                read(employee.value, isExact)
            } onChange: {
                calls.add()
            }
            expectEqual(employee.value.observations().count, 1)
            employee.value.firstName = "Eve"
            expectEqual(calls.count, 2)
        }

        ///     begins a change, which nobody tracks
        ///                                        reads the old value: is not part of the change
        ///     stores
        @Test(arguments: [false, true]) func trackingThatBeginsInsideAChangeSeesTheNext(isExact: Bool) {
            let (employee, calls) = (employee(), Counter())
            employee.value.$firstName.observe(options: .prior) { _ in }
            TestPoint.begun.whenReached {
                onAnotherThread { _ = track({ read(employee.value, isExact) }, onChange: { calls.add() }) }
            }
            employee.value.firstName = "Eve"
            expectEqual(calls.count, 0)
            employee.value.firstName = "Ida"
            expectEqual(calls.count, 1)
        }

        ///     makes the prior call
        ///                                        removes all observations; the next read registers again
        ///     does not make the other call
        @Test(arguments: [false, true]) func removalInsideAChangeLeavesNothingOpen(isExact: Bool) {
            let (employee, calls) = (employee(), Counter())
            _ = track {
                read(employee.value, isExact)
            } onChange: {
                calls.add()
            }
            // Its prior call is behind the other one.
            _ = try! employee.value.observeAnyKey(options: .prior) { _ in
                onAnotherThread {
                    employee.value.removeAllObservers()
                    _ = track({ read(employee.value, isExact) }, onChange: { calls.add(10) })
                }
            }
            employee.value.firstName = "Eve"
            expectEqual(calls.count, 1)
            employee.value.firstName = "Ida"
            expectEqual(calls.count, 11)
        }

        ///     the referent dies; its holder is
        ///     about to be notified
        ///                                        reads the weak property, and tracks it
        ///     notifies
        @Test func trackingThatBeginsWhileTheReferentDiesIsSafe() {
            let (holder, parent, calls) = (Shared(person()), Shared<Person?>(person("Eve")), Counter())
            holder.value.parent = parent.value
            _ = holder.value.observable.parent
            TestPoint.referentDying.whenReached {
                onAnotherThread {
                    #expect(track({ holder.value.observable.parent?.firstName }, onChange: { calls.add() }) == nil)
                }
            }
            parent.value = nil
            expectEqual(calls.count, 1)
            expectEqual(tracker.liveCount, 1)
        }

        ///     delivers what was held back
        ///                                        the object dies
        @Test(arguments: [false, true]) func deathBeforeADelayedDeliveryIsSilent(isExact: Bool) {
            let (object, calls) = (Shared<Employee?>(tracker.track(Employee("Ann"))), Counter())
            _ = track {
                read(object.value!, isExact)
            } onChange: {
                calls.add()
            }
            TestPoint.coalesced.whenReached { onAnotherThread { object.value = nil } }
            coalescingChanges { object.value!.firstName = "Eve" }
            expectEqual(calls.count, 0)
            expectEqual(tracker.liveCount, 0)
        }
    }
#endif
