import AutoKVO
import AutoKVOTestSupport
import Observation
import Testing

/// The observable view of a tracked object.
struct ObservableViewTests {
    let tracker = LifetimeTracker()

    private func person(_ name: String = "Ann") -> Person { tracker.track(Person(name)) }
    private func notebook() -> Notebook { tracker.track(Notebook("Ann")) }

    // MARK: What is seen

    @Test("a declared property is seen, and a change of another one is not") func own() {
        let person = person()
        expectEqual(person.observable.firstName, "Ann")
        expectCall(person.observable.firstName) {
            person.firstName = "Eve"
        }
        expectNoCall(person.observable.firstName) {
            person.lastName = "Day"
        }
        expectCall(person.observable.scores) {
            person.$scores.append(1)
        }
        expectNoCall(person.observable.scores) {
            person.$tags.insert("a")
        }
    }

    @Test("what a subscript was called with may read the view when it is looked up") func subscripted() {
        final class Grid: Model {
            struct Cell: Hashable {
                unowned let grid: Grid
                let (x, y): (Int, Int)
                var index: Int { y * grid.observable.width + x }
                static func == (a: Cell, b: Cell) -> Bool { a.index == b.index }
                func hash(into hasher: inout Hasher) { hasher.combine(index) }
            }
            @Observed var width = 2
            @Observed var values = [1, 2, 3, 4]
            subscript(cell: Cell) -> Int { values[cell.index] }
        }
        let grid = Grid()
        // Not inside of `withObservationTracking`, whose own set of key paths does not stand that.
        for y in [0, 1, 0, 1] {
            expectEqual(grid.observable[dynamicMember: \.[Grid.Cell(grid: grid, x: 1, y: y)]], 2 + 2 * y)
        }
    }

    @Test("a handle names its property exactly, also where two have equal values") func handles() {
        let notebook = notebook()
        notebook.lastName = "Ann"
        let name: String = notebook.observable.$firstName
        expectEqual(name, "Ann")
        expectCall(notebook.observable.$firstName as String) {
            notebook.firstName = "Eve"
        }
        notebook.lastName = "Eve"
        expectNoCall(notebook.observable.$firstName as String) {
            notebook.lastName = "Day"
        }
        notebook.address = Address("Ulm")
        expectCall(notebook.observable.$address?.$city as String?) {
            notebook.address!.city = "Bonn"
        }
    }

    @Test("an inherited property is seen through a view of the subclass, and of the superclass") func inherited() {
        let employee = tracker.track(Employee("Ann"))
        expectCall(employee.observable.firstName) {
            employee.firstName = "Eve"
        }
        expectNoCall(employee.observable.firstName) {
            employee.lastName = "Day"
        }
        expectNoCall(employee.observable.firstName) {
            employee.salary = 3
        }
        let person: Person = employee
        expectCall(person.observable.firstName) {
            person.firstName = "Ida"
        }
        expectNoCall(person.observable.firstName) {
            person.lastName = "Low"
        }
    }

    @Test("a derived key is seen, over other objects too") func derived() {
        let person = person()
        expectCall(person.observable.fullName) {
            person.lastName = "Day"
        }
        expectNoCall(person.observable.fullName) {
            person.age = 1
        }
        person.address = Address("Ulm")
        expectCall(person.observable.cityLine) {
            person.address!.city = "Bonn"
        }
        expectCall(person.observable.cityLine) {
            person.address = nil
        }
    }

    @Test("a computed property that the schema does not declare is seen") func undeclared() {
        let notebook = notebook()
        expectEqual(notebook.observable.initials, "AL")
        expectCall(notebook.observable.initials) {
            notebook.lastName = "Day"
        }
        // Called before the change, so before it is known that the initials stay the same.
        expectCall(notebook.observable.initials) {
            notebook.lastName = "Dunn"
        }
        expectNoCall(notebook.observable.initials) {
            notebook.age = 1
        }
        expectCall(notebook.observable.first) {
            notebook.firstName = "Eve"
        }
        expectNoCall(notebook.observable.first) {
            notebook.nickname = "E"
        }
    }

    @Test("members that are tracked objects are views, so each step of a chain is seen") func nested() {
        let person = person()
        #expect(person.observable.address?.city == nil)
        expectCall(person.observable.address?.city) {
            person.address = Address("Ulm")
        }
        expectEqual(person.observable.address?.city, "Ulm")
        expectCall(person.observable.address?.city) {
            person.address!.city = "Bonn"
        }
        expectNoCall(person.observable.address?.city) {
            person.address!.zip = 1
        }
        let old = person.address!
        person.address = Address("Linz")
        expectNoCall(person.observable.address?.city) {
            old.city = "Graz"
        }
        expectCall(person.observable.address?.city) {
            person.address = nil
        }
    }

    @Test("each step of a longer chain is seen through handles, or from the view of a step") func longChain() {
        let (person, spouse) = (person(), person("Bob"))
        person.spouse = spouse
        spouse.address = Address("Ulm")
        expectCall(person.observable.$spouse?.$address?.$city as String?) {
            spouse.address!.city = "Bonn"
        }
        expectCall(person.observable.$spouse?.$address?.$city as String?) {
            spouse.address = Address("Linz")
        }
        expectCall(person.observable.$spouse?.$address?.$city as String?) {
            person.spouse = nil
        }
        let view = spouse.observable
        expectCall(view.address?.city) {
            spouse.address!.city = "Graz"
        }
    }

    @Test("a weak property is seen, and the death of its object") func weak() {
        let person = person()
        var parent: Person? = self.person("Eve")
        expectCall(person.observable.parent?.firstName) {
            person.parent = parent
        }
        expectEqual(person.observable.parent?.firstName, "Eve")
        expectCall(person.observable.parent?.firstName) {
            parent = nil
        }
        #expect(person.observable.parent == nil)
    }

    @Test("a property that is announced by hand is seen") func manual() {
        let person = person()
        expectCall(person.observable.token) {
            person.withMutation(of: "token") { person.token = 1 }
        }
        expectNoCall(person.observable.token) {
            person.token = 2
        }
    }

    @Test("hidden and undeclared stored properties are seen") func hidden() {
        let safe = Safe()
        expectCall(safe.observable.code) { safe.code = 1 }
        expectCall(safe.observable.$code as Int) { safe.code = 2 }
        expectCall(safe.observable.label) { safe.label = "one" }
        expectNoCall(safe.observable.label) { safe.code = 3 }
        expectNoCall(safe.observable.code) { safe.label = "two" }
        expectCall(safe.observable.owner?.firstName) { safe.give(to: person()) }
        expectCall(safe.observable.$owner?.firstName) { safe.owner?.firstName = "Eve" }
    }

    // MARK: When

    @Test("it is called before the value changes", arguments: [false, true]) func before(isExact: Bool) {
        let (notebook, seen) = (notebook(), Shared<[String]>([]))
        let object = Shared(notebook)
        func read() -> String { isExact ? notebook.observable.$firstName : notebook.observable.first }
        _ = track(read) { seen.value.append(object.value.firstName) }
        notebook.firstName = "Eve"
        expectEqual(seen.value, ["Ann"])
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
        expectEqual(calls.count, 3)
    }

    @Test("a tracking that begins inside the call waits for the next change") func again() {
        let (object, calls) = (Shared<Person?>(person()), Counter())
        @Sendable func follow() {
            _ = track {
                object.value!.observable.fullName
            } onChange: {
                calls.add()
                follow()
            }
        }
        follow()
        object.value!.firstName = "Eve"
        object.value!.lastName = "Day"
        expectEqual(calls.count, 2)
        // The tracking refers to it, as it would to an `@Observable` object.
        object.value = nil
    }

    @Test("what is read inside of an open change is called at its end, if it was read before, too") func inside() {
        let (object, calls) = (Shared(person()), Counter())
        _ = object.value.observable.age
        @Sendable func follow() {
            _ = track {
                object.value.observable.age
            } onChange: {
                calls.add()
            }
        }
        object.value.withMutation(of: "age") {
            object.value.age = 1
            follow()
            object.value.age = 2
        }
        expectEqual(calls.count, 1)
        follow()
        object.value.age = 3
        expectEqual(calls.count, 2)
        object.value.$age.observe(options: .prior) { if $0.isPrior { follow() } }
        object.value.age = 4
        expectEqual(calls.count, 3)
        object.value.removeAllObservers()
    }

    @Test("so it is if the change is made in the call of another one", arguments: [false, true])
    func insideOfACall(isElsewhere: Bool) {
        let (object, calls) = (Shared(person()), Counter())
        _ = object.value.observable.age
        @Sendable func change() {
            object.value.withMutation(of: "age") {
                object.value.age = 1
                _ = track {
                    object.value.observable.age
                } onChange: {
                    calls.add()
                }
                object.value.age = 2
            }
        }
        _ = track {
            object.value.observable.firstName
        } onChange: {
            if isElsewhere { onAnotherThread { change() } } else { change() }
        }
        object.value.firstName = "Eve"
        expectEqual(calls.count, 1)
    }

    @Test("so it is if what has been read before is read in the call of a change made inside") func readInACall() {
        let (object, calls) = (Shared(person()), Counter())
        _ = object.value.observable.age
        _ = track {
            object.value.observable.firstName
        } onChange: {
            _ = track {
                object.value.observable.age
            } onChange: {
                calls.add()
            }
        }
        object.value.withMutation(of: "age") {
            object.value.age = 1
            object.value.firstName = "Eve"
            object.value.age = 2
        }
        expectEqual(calls.count, 1)
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
        expectEqual(calls.count, 2)
    }

    @Test("changes that are held back are seen at their end", arguments: [false, true]) func coalesced(isExact: Bool) {
        let notebook = notebook()
        let calls = Counter()
        func read() -> String { isExact ? notebook.observable.$firstName : notebook.observable.first }
        _ = track(read) { calls.add() }
        coalescingChanges {
            notebook.firstName = "Eve"
            notebook.firstName = "Ida"
            expectEqual(calls.count, 0)
        }
        expectEqual(calls.count, 1)
    }

    @Test("nested announcements are one change") func nestedAnnouncements() {
        let person = person()
        let calls = Counter()
        _ = track {
            person.observable.firstName
        } onChange: {
            calls.add()
        }
        person.willChangeValue(forKey: "firstName")
        expectEqual(calls.count, 1)
        person.willChangeValue(forKey: "firstName")
        person.firstName = "Eve"
        person.didChangeValue(forKey: "firstName")
        person.didChangeValue(forKey: "firstName")
        expectEqual(calls.count, 1)
        expectCall(person.observable.firstName) {
            person.willChangeValue(forKey: "firstName")
            person.firstName = "Ida"
            person.didChangeValue(forKey: "firstName")
        }
    }

    @Test("Observations gives a value for each transaction") @MainActor func observations() async {
        let person = Person("Ann")
        let (values, continuation) = AsyncStream.makeStream(of: String.self)
        let task = Task { @MainActor in
            for await value in Observations({ person.observable.fullName }) { continuation.yield(value) }
        }
        var seen = values.makeAsyncIterator()
        await expectEqual(seen.next(), "Ann Lee")
        // The sequence has to wait for the next change by now.
        for _ in 0..<10 { await Task.yield() }
        person.firstName = "Eve"
        person.lastName = "Day"
        await expectEqual(seen.next(), "Eve Day")
        task.cancel()
        await task.value
    }
    @Test("a change in coalescingChanges notifies the view, also if the change before it left the value equal")
    func afterNoChange() {
        final class Level: TrackedObject {
            @Observed var value = 1
            @Derived({ (level: Level) in level.value / 10 }) var tens: Int
        }
        let level = Level()
        // A prior call without another one: the value is computed, and equal.
        expectCall(level.observable.tens) { level.value = 2 }
        expectEqual(level.tens, 0)
        expectCall(level.observable.tens) { coalescingChanges { level.value = 20 } }
    }

    @Test(
        "a member that is read inside of the call for another one's change is seen to change", arguments: [true, false])
    func readInsideOfAnother(isCoalescing: Bool) {
        let person = person()
        let calls = Counter()
        _ = person.observable.firstName
        nonisolated(unsafe) let tracked = person
        _ = track({ person.observable.lastName }) {
            _ = track({ tracked.observable.firstName }) { calls.add() }
        }
        person.$firstName.observe(options: .prior) { [unowned person] in if $0.isPrior { person.lastName = "x" } }
        person.$age.observe { [unowned person] _ in person.firstName = "y" }
        if isCoalescing { coalescingChanges { person.age = 1 } } else { person.age = 1 }
        expectEqual(calls.count, 1)
    }
}
