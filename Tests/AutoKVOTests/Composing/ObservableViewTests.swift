import AutoKVO
import AutoKVOTestSupport
import Observation
import Testing

@Suite("The observable view of a tracked object") struct ObservableViewTests {
    let tracker = LifetimeTracker()

    private func person(_ name: String = "Ann") -> Person { tracker.track(Person(name)) }
    private func notebook() -> Notebook { tracker.track(Notebook("Ann")) }

    // MARK: What is seen

    @Test("a declared property is seen, and a change of another one is not") func own() {
        let person = person()
        #expect(person.observable.firstName == "Ann")
        #expect(
            isCalled {
                person.observable.firstName
            } for: {
                person.firstName = "Eve"
            })
        #expect(
            !isCalled {
                person.observable.firstName
            } for: {
                person.lastName = "Day"
            })
        #expect(
            isCalled {
                person.observable.scores
            } for: {
                person.$scores.append(1)
            })
        #expect(
            !isCalled {
                person.observable.scores
            } for: {
                person.$tags.insert("a")
            })
    }

    @Test("a handle names its property exactly, also where two have equal values") func handles() {
        let notebook = notebook()
        notebook.lastName = "Ann"
        let name: String = notebook.observable.$firstName
        #expect(name == "Ann")
        #expect(
            isCalled {
                notebook.observable.$firstName as String
            } for: {
                notebook.firstName = "Eve"
            })
        notebook.lastName = "Eve"
        #expect(
            !isCalled {
                notebook.observable.$firstName as String
            } for: {
                notebook.lastName = "Day"
            })
        notebook.address = Address("Ulm")
        #expect(
            isCalled {
                notebook.observable.$address?.$city as String?
            } for: {
                notebook.address!.city = "Bonn"
            })
    }

    @Test("an inherited property is seen through a view of the subclass, and of the superclass") func inherited() {
        let employee = tracker.track(Employee("Ann"))
        #expect(
            isCalled {
                employee.observable.firstName
            } for: {
                employee.firstName = "Eve"
            })
        #expect(
            !isCalled {
                employee.observable.firstName
            } for: {
                employee.lastName = "Day"
            })
        #expect(
            !isCalled {
                employee.observable.firstName
            } for: {
                employee.salary = 3
            })
        let person: Person = employee
        #expect(
            isCalled {
                person.observable.firstName
            } for: {
                person.firstName = "Ida"
            })
        #expect(
            !isCalled {
                person.observable.firstName
            } for: {
                person.lastName = "Low"
            })
    }

    @Test("a derived key is seen, over other objects too") func derived() {
        let person = person()
        #expect(
            isCalled {
                person.observable.fullName
            } for: {
                person.lastName = "Day"
            })
        #expect(
            !isCalled {
                person.observable.fullName
            } for: {
                person.age = 1
            })
        person.address = Address("Ulm")
        #expect(
            isCalled {
                person.observable.cityLine
            } for: {
                person.address!.city = "Bonn"
            })
        #expect(
            isCalled {
                person.observable.cityLine
            } for: {
                person.address = nil
            })
    }

    @Test("a computed property that the schema does not declare is seen") func undeclared() {
        let notebook = notebook()
        #expect(notebook.observable.initials == "AL")
        #expect(
            isCalled {
                notebook.observable.initials
            } for: {
                notebook.lastName = "Day"
            })
        #expect(
            !isCalled {
                notebook.observable.initials
            } for: {
                notebook.lastName = "Dunn"
            })
        #expect(
            !isCalled {
                notebook.observable.initials
            } for: {
                notebook.age = 1
            })
        #expect(
            isCalled {
                notebook.observable.first
            } for: {
                notebook.firstName = "Eve"
            })
        #expect(
            !isCalled {
                notebook.observable.first
            } for: {
                notebook.nickname = "E"
            })
    }

    @Test("members that are tracked objects are views, so each step of a chain is seen") func nested() {
        let person = person()
        #expect(person.observable.address?.city == nil)
        #expect(
            isCalled {
                person.observable.address?.city
            } for: {
                person.address = Address("Ulm")
            })
        #expect(person.observable.address?.city == "Ulm")
        #expect(
            isCalled {
                person.observable.address?.city
            } for: {
                person.address!.city = "Bonn"
            })
        #expect(
            !isCalled {
                person.observable.address?.city
            } for: {
                person.address!.zip = 1
            })
        let old = person.address!
        person.address = Address("Linz")
        #expect(
            !isCalled {
                person.observable.address?.city
            } for: {
                old.city = "Graz"
            })
        #expect(
            isCalled {
                person.observable.address?.city
            } for: {
                person.address = nil
            })
    }

    @Test("a weak property is seen, and the death of its object") func weak() {
        let person = person()
        var parent: Person? = self.person("Eve")
        #expect(
            isCalled {
                person.observable.parent?.firstName
            } for: {
                person.parent = parent
            })
        #expect(person.observable.parent?.firstName == "Eve")
        #expect(
            isCalled {
                person.observable.parent?.firstName
            } for: {
                parent = nil
            })
        #expect(person.observable.parent == nil)
    }

    @Test("a property that is announced by hand is seen") func manual() {
        let person = person()
        #expect(
            isCalled {
                person.observable.token
            } for: {
                person.withMutation(of: "token") { person.token = 1 }
            })
        #expect(
            !isCalled {
                person.observable.token
            } for: {
                person.token = 2
            })
    }

    // MARK: When

    @Test("it is called before the value changes", arguments: [false, true]) func before(isExact: Bool) {
        let (notebook, seen) = (notebook(), Shared<[String]>([]))
        let object = Shared(notebook)
        func read() -> String { isExact ? notebook.observable.$firstName : notebook.observable.first }
        _ = track(read) { seen.value.append(object.value.firstName) }
        notebook.firstName = "Eve"
        #expect(seen.value == ["Ann"])
    }

    @Test("it is called once each time it is tracked, an equal value too") func once() {
        let person = person()
        let calls = Counter()
        for _ in 1...3 {
            _ = track {
                person.observable.fullName
            } onChange: {
                calls.add()
            }
            person.firstName = "Ann"
            person.firstName = "Eve"
        }
        #expect(calls.count == 3)
    }

    @Test("a tracking that begins inside the call waits for the next change") func again() {
        let (person, calls) = (Shared(person()), Counter())
        @Sendable func follow() {
            _ = track {
                person.value.observable.fullName
            } onChange: {
                calls.add()
                follow()
            }
        }
        follow()
        person.value.firstName = "Eve"
        person.value.lastName = "Day"
        #expect(calls.count == 2)
        person.value.removeAllObservers()
    }

    @Test("what several trackings read calls each") func several() {
        let person = person()
        let calls = Counter()
        _ = track {
            person.observable.firstName
        } onChange: {
            calls.add()
        }
        _ = track {
            person.observable.fullName
        } onChange: {
            calls.add()
        }
        _ = track {
            person.observable.lastName
        } onChange: {
            calls.add(100)
        }
        person.firstName = "Eve"
        #expect(calls.count == 2)
    }

    @Test("changes that are held back are seen at their end", arguments: [false, true]) func coalesced(isExact: Bool) {
        let notebook = notebook()
        let calls = Counter()
        func read() -> String { isExact ? notebook.observable.$firstName : notebook.observable.first }
        _ = track(read) { calls.add() }
        coalescingChanges {
            notebook.firstName = "Eve"
            notebook.firstName = "Ida"
            #expect(calls.count == 0)
        }
        #expect(calls.count == 1)
    }

    @Test("nested announcements are one change") func nestedAnnouncements() {
        let person = person()
        let calls = Counter()
        person.willChangeValue(forKey: "firstName")
        _ = track {
            person.observable.firstName
        } onChange: {
            calls.add()
        }
        person.willChangeValue(forKey: "firstName")
        person.firstName = "Eve"
        person.didChangeValue(forKey: "firstName")
        person.didChangeValue(forKey: "firstName")
        #expect(
            isCalled {
                person.observable.firstName
            } for: {
                person.willChangeValue(forKey: "firstName")
                person.firstName = "Ida"
                person.didChangeValue(forKey: "firstName")
            })
    }

    @Test("Observations gives a value for each transaction") @MainActor func observations() async {
        let person = Person("Ann")
        let (values, continuation) = AsyncStream.makeStream(of: String.self)
        let task = Task { @MainActor in
            for await value in Observations({ person.observable.fullName }) { continuation.yield(value) }
        }
        var seen = values.makeAsyncIterator()
        #expect(await seen.next() == "Ann Lee")
        // The sequence has to wait for the next change by now.
        for _ in 0..<10 { await Task.yield() }
        person.firstName = "Eve"
        person.lastName = "Day"
        #expect(await seen.next() == "Eve Day")
        task.cancel()
    }
}
