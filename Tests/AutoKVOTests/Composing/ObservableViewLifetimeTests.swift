import AutoKVO
import AutoKVOTestSupport
import Observation
import Testing

/// What the observable view keeps.
struct ObservableViewLifetimeTests {
    let tracker = LifetimeTracker()

    private func person(_ name: String = "Ann") -> Person { tracker.track(Person(name)) }

    @Test("nothing is registered before a member is read, and one observation a member then") func observations() {
        let person = person()
        let view = person.observable
        #expect(person.observations().isEmpty)
        for _ in 1...3 {
            _ = view.firstName
            _ = person.observable.firstName
        }
        expectEqual(person.observations().count, 1)
        _ = view.fullName
        expectEqual(person.observations().count, 2)
        expectEqual(person.observations().map(\.options), [.prior, .prior])
    }

    @Test("a member that is no key has an observation of its own") func computed() {
        let notebook = tracker.track(Notebook("Ann"))
        _ = notebook.observable.first
        _ = notebook.observable.initials
        _ = notebook.observable.firstName
        expectEqual(notebook.observations().count, 3)
    }

    @Test("what was removed is registered again by the next read") func removed() {
        let notebook = tracker.track(Notebook("Ann"))
        _ = (notebook.observable.first, notebook.observable.$lastName as String)
        expectEqual(notebook.removeAllObservers(), 2)
        expectNoCall(0) { notebook.firstName = "Eve" }
        expectCall(notebook.observable.first) {
            notebook.firstName = "Ida"
        }
        expectCall(notebook.observable.$lastName as String) {
            notebook.lastName = "Day"
        }
    }

    @Test("nothing keeps the object, tracked or not", arguments: [false, true]) func released(isExact: Bool) {
        let calls = Counter()
        do {
            let notebook = tracker.track(Notebook("Ann"))
            notebook.address = tracker.track(Address())
            _ = track {
                (
                    isExact ? notebook.observable.$firstName : notebook.observable.first,
                    notebook.observable.address?.city
                )
            } onChange: {
                calls.add()
            }
        }
        expectEqual(tracker.liveCount, 0)
        expectEqual(calls.count, 0)
    }

    @Test("a view that is kept keeps the object, and is usable") func kept() {
        var view: ObservableView<Person>?
        let calls = Counter()
        do {
            let person = person()
            view = person.observable
            _ = track {
                view!.firstName
            } onChange: {
                calls.add()
            }
        }
        expectEqual(tracker.liveCount, 1)
        expectEqual(view?.fullName, "Ann Lee")
        view = nil
        expectEqual(tracker.liveCount, 0)
        expectEqual(calls.count, 0)
    }

    @Test("what a tracking captures is released with the call") func captures() {
        let person = person()
        _ = track {
            person.observable.firstName
        } onChange: { [token = tracker.token()] in
            token.touch()
        }
        expectEqual(tracker.liveCount, 2)
        person.firstName = "Eve"
        expectEqual(tracker.liveCount, 1)
    }

    @Test("values are not kept between changes") func values() {
        let person = tracker.track(Notebook("Ann"))
        _ = person.observable.address?.city
        person.address = tracker.track(Address())
        person.address = nil
        expectEqual(tracker.liveCount, 1)
    }

    @Test("the object dies inside the call") func diesInside() {
        let object = Shared<Person?>(person())
        let calls = Counter()
        _ = track({ object.value!.observable.firstName }) {
            calls.add()
            object.value = nil
        }
        object.value!.firstName = "Eve"
        expectEqual(calls.count, 1)
        expectEqual(tracker.liveCount, 0)
    }

    private final class Manual: TrackedObject {
        @Observed var name = "Ann"
        override class var unregistersAutomatically: Bool { false }
    }

    @Test("observations of a class that unregisters by hand end with the object, too") func manualClass() {
        var manual: Manual? = Manual()
        weak let weakManual = manual
        _ = (manual!.observable.name, manual!.observable.$name as String)
        let observations = manual!.observations()
        expectEqual(observations.count, 2)
        manual = nil
        #expect(weakManual == nil)
        expectEqual(observations.map(\.isValid), [false, false])
    }

    // MARK: Threads

    @Test("a member is first read by several threads at once") func firstReads() {
        for _ in 0..<load(200) {
            let notebook = Shared(tracker.track(Notebook("Ann")))
            let calls = Counter()
            concurrently(4) { number in
                _ = track {
                    ((notebook.value as Person).observable.firstName, notebook.value.observable.first)
                } onChange: {
                    calls.add()
                }
            }
            expectEqual(notebook.value.observations().count, 2)
            notebook.value.firstName = "Eve"
            expectEqual(calls.count, 4)
        }
        expectEqual(tracker.liveCount, 0)
    }

    @Test("one thread reads a property while another one writes others") func readsWhileOthersAreWritten() {
        let person = Shared(person())
        let calls = Counter()
        concurrently(2) { number in
            for count in 0..<load(2000) {
                if number == 0 {
                    _ = track {
                        person.value.observable.$firstName as String
                    } onChange: {
                        calls.add()
                    }
                    person.value.firstName = "\(count)"
                } else {
                    _ = person.value.observable.$age as Int
                    person.value.age = count
                }
            }
        }
        expectEqual(calls.count, load(2000))
    }

    @Test("one thread reads while the observations are removed on another") func readsWhileRemoved() {
        let notebook = Shared(tracker.track(Notebook("Ann")))
        concurrently(2) { number in
            for _ in 0..<load(1000) {
                if number == 0 {
                    _ = (notebook.value.observable.$firstName as String, notebook.value.observable.first)
                } else {
                    notebook.value.removeAllObservers()
                }
            }
        }
        expectCall(notebook.value.observable.first) {
            notebook.value.firstName = "Eve"
        }
    }

    @Test("the object that a weak property refers to dies on another thread while the property is read")
    func weakDeath() {
        for _ in 0..<load(300) {
            let (holder, parent) = (Shared(person()), Shared<Person?>(person("Eve")))
            holder.value.parent = parent.value
            let calls = Counter()
            concurrently(2) { number in
                if number == 0 {
                    _ = track {
                        holder.value.observable.parent?.firstName
                    } onChange: {
                        calls.add()
                    }
                } else {
                    parent.value = nil
                }
            }
            #expect(holder.value.observable.parent == nil)
        }
        expectEqual(tracker.liveCount, 0)
    }

    @Test("the last reference goes on one thread while a view is used on another") func deathWhileRead() {
        for _ in 0..<load(300) {
            let object = Shared<Person?>(person())
            let view = Shared<ObservableView<Person>?>(object.value!.observable)
            concurrently(2) { number in
                if number == 0 {
                    object.value = nil
                } else {
                    _ = track {
                        view.value!.fullName
                    } onChange: {
                    }
                    view.value = nil
                }
            }
        }
        expectEqual(tracker.liveCount, 0)
    }
}
