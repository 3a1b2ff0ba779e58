import AutoKVO
import AutoKVOTestSupport
import Observation
import Testing

/// Checked by the compiler.
struct TypedTests {
    let employee = Employee("E")
    let recorder = Recorder<String>()

    @Test("an inherited property is reached by the base class's key path, by the handle's key path, and by the handle")
    func inherited() {
        var seen: [String] = []
        employee.observe(\Person.firstName, options: [.new]) { person, change in
            seen.append("1 \(change.newValue!) \(person.firstName)")
        }
        employee.observe(\.$firstName, options: [.new]) { (person: Employee, change: Change<String>) in
            seen.append("2 \(change.newValue!) \(person.salary)")
        }
        employee.$firstName.observe(options: [.new]) { change in seen.append("3 \(change.newValue!)") }
        employee.observe(\.salary, options: [.old]) { _, change in seen.append("4 \(change.oldValue!)") }
        employee.firstName = "F"
        employee.salary = 2
        expectEqual(seen, ["1 F F", "2 F 0", "3 F", "4 0"])
        employee.removeAllObservers()
    }

    @Test("a handle's key path that was formed on a superclass, in every form, for inherited and own properties")
    func superclass() async throws {
        let panel = PlainObserver()
        let seen = Shared<[String]>([])
        employee.address = Address("Oslo")
        employee.observe(\Person.$firstName, options: .new) { person, change in
            seen.value.append("1 \(change.newValue!) \(person.firstName)")
        }
        employee.observe(\Employee.$firstName, options: .new) { employee, change in
            seen.value.append("2 \(change.newValue!) \(employee.salary)")
        }
        panel.observe(\Person.$firstName, of: employee, options: .new) { panel, change in
            panel.log.append(change.newValue!)
        }
        employee[keyPath: \Person.$firstName].observe(options: .new, on: InlineScheduler()) {
            seen.value.append("3 \($0.newValue!)")
        }
        employee.$firstName.observe(options: .new, on: InlineScheduler()) { seen.value.append("4 \($0.newValue!)") }
        employee.$salary.observe(options: .new, on: InlineScheduler()) { seen.value.append("5 \($0.newValue!)") }
        employee.observe(\Person.$address.$city, options: .new) { _, change in
            seen.value.append("6 \(change.newValue ?? "nil")")
        }
        employee.firstName = "F"
        employee.salary = 2
        employee.address = Address("Rome")
        #expect(seen.value == ["1 F F", "2 F 0", "3 F", "4 F", "5 2", "6 Rome"] && panel.log == ["F"])
        expectEqual(employee.observations().count, 7)
        // The class is found out at run time: a Person that is an Employee has an Employee's properties.
        let person: Person = employee
        person.observe(\Employee.$salary, options: .new) { employee, change in
            seen.value.append("7 \(change.newValue!) \(employee.salary)")
        }
        employee.salary = 3
        expectEqual(seen.value.last, "7 3 3")
        let label = Person()
        label.$firstName.bind(to: employee.$firstName)
        employee.firstName = "G"
        expectEqual(label.firstName, "G")
        employee.removeAllObservers()
    }

    @Test(
        "an inherited handle, and a superclass's plain key path, in the forms for an observer, for each element and for bindings",
        .needs(.blankObject))
    func inheritedElsewhere() {
        final class Staff: Model {
            @Observed var members: [Employee] = []
            @Observed var boss: Employee?
        }
        let (panel, staff) = (PlainObserver(), Staff())
        (staff.members, staff.boss) = ([employee], employee)
        var seen: [String] = []
        employee.observe(\.$firstName, for: panel, options: .new) { panel, change in panel.log.append(change.newValue!)
        }
        employee.observe(\Person.fullName.count, options: .new) { _, change in seen.append("count \(change.newValue!)")
        }
        panel.observe(\Person.age, of: employee, options: .new) { panel, change in
            panel.log.append("\(change.newValue!)")
        }
        staff.$members.observeEach(\.$age, options: .new) { member, change in seen.append("each \(change.newValue!)") }
        staff.$members.observeEach(\.$address.$city, options: .new) { _, change in
            seen.append("each \(change.newValue ?? "nil")")
        }
        let label = Person()
        label.$lastName.bind(to: \Person.fullName, of: employee)
        label.$age.bind(to: \Person.$age, of: employee) { $0 * 2 }
        employee.firstName = "Georg"
        employee.age = 4
        employee.address = Address("Rome")
        #expect(seen == ["count 9", "each 4", "each Rome"] && panel.log == ["Georg", "4"])
        #expect(label.lastName == "Georg Lee" && label.age == 8)
        staff.members = []
        employee.removeAllObservers()
    }

    @Test("a superclass's key path on the main actor and on an actor") @MainActor func superclassElsewhere() async {
        actor Desk {
            var log: [String] = []
            func note(_ text: String) { log.append(text) }
        }
        let (desk, main) = (Desk(), Shared<[String]>([]))
        employee[keyPath: \Person.$firstName].observe(options: .new, on: .mainActor) {
            main.value.append("1 \($0.newValue!)")
        }
        employee.$firstName.observe(options: .new, on: .mainActor) { main.value.append("2 \($0.newValue!)") }
        employee[keyPath: \Person.$firstName].observe(options: .new, on: desk) { desk, change in
            desk.log.append("3 \(change.newValue!)")
        }
        employee.$firstName.observe(options: .new, on: desk) { desk, change in
            desk.log.append("4 \(change.newValue!)")
        }
        employee.firstName = "F"
        await expectEqual(desk.log, ["3 F", "4 F"])
        await eventually("both arrive") { main.value.count == 2 }
        expectEqual(main.value, ["1 F", "2 F"])
        employee.removeAllObservers()
    }

    @Test("a key path of another class traps with a sentence that names the call") func otherClassTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Person().observe(\Employee.$salary) { _, _ in }
        }
        expectEqual(missing("Person has no properties of Employee", "TypedTests.swift", in: result), [])
    }

    @Test("a computed, derived property by key path") func derived() {
        let person = Person()
        var seen: [String?] = []
        person.observe(\.fullName, options: [.old, .new]) { seen += [$1.oldValue, $1.newValue] }
        person.lastName = "Ray"
        expectEqual(seen, ["Ann Lee", "Ann Ray"])
    }

    @Test("a handle knows its key and value") func handle() {
        let person = Person()
        expectEqual(person.$age.key, "age")
        expectEqual(person.$age.value, 0)
        person.age = 4
        expectEqual(person.$age.value, 4)
        expectEqual(employee.$lastName.key, "lastName")
        expectEqual(person.$parent.key, "parent")
        #expect(person.$parent.value == nil)
    }

    @Test("a handle with an observer, all options and user info") func handleObserver() {
        let person = Person()
        let panel = PlainObserver()
        let observation = person.$age.addObserver(panel, options: [.initial, .prior, .old, .new], userInfo: "u") {
            panel, change in
            panel.log.append(
                "\(change.isPrior) \(change.oldValue ?? -1) \(change.newValue ?? -1) \(change.userInfo ?? "-")")
        }
        person.age = 1
        expectEqual(panel.log, ["false -1 0 u", "true 0 -1 u", "false 0 1 u"])
        expectEqual(observation.keyPaths, ["age"])
        #expect(observation.observer === panel)
        expectEqual(person.removeObserver(panel, forKeyPath: "age"), 1)
    }

    @Test("the target of a typed handler is of the receiver's class") func targetType() {
        var salary = 0
        employee.observe(\.salary) { (target: Employee, _) in salary = target.salary }
        employee.salary = 9
        expectEqual(salary, 9)
    }

    @Test("typed observations are removed like all others") func removal() {
        let person = Person()
        person.observe(\.age) { _, _ in Issue.record("called") }
        person.$age.observe { _ in Issue.record("called") }
        expectEqual(person.observations().count, 2)
        expectEqual(person.removeAllObservers(forKeyPath: "age"), 2)
        person.age = 1
    }

    @Test("a weak property by handle and by key path") func weak() {
        let person = Person()
        var count = 0
        person.$parent.observe { _ in count += 1 }
        person.observe(\.parent) { _, _ in count += 1 }
        do {
            let parent = Person()
            person.parent = parent
            expectEqual(count, 2)
        }
        expectEqual(count, 4)
    }

    private final class Home: Model {
        @Observed var city = "Ulm"
    }
    private final class Tenant: Model {
        @Observed var home = Home()
    }

    @Test("the view for Observation follows it as any other key path") func handleOfAnotherInView() {
        let (tenant, changes) = (Tenant(), MessageLog())
        func track() {
            withObservationTracking {
                _ = tenant.observable[dynamicMember: \.home.$city] as String
            } onChange: {
                changes.add("changed")
            }
        }
        track()
        tenant.home = Home()
        tenant.home.city = "Linz"
        track()
        tenant.home.city = "Graz"
        expectEqual(changes.messages, ["changed", "changed"])
    }

    private final class Style: TrackedObject {
        @Observed var color = "red"
        @Observed var parent: Style?
        var effective: Style { parent ?? self }
    }

    @Test("the view follows it also if it is the object's own at first") func handleOfAnotherLater() {
        let (style, parent, changes) = (Style(), Style(), MessageLog())
        func track() {
            withObservationTracking {
                _ = style.observable[dynamicMember: \.effective.$color] as String
            } onChange: {
                changes.add("changed")
            }
        }
        track()
        style.color = "green"
        track()
        style.parent = parent
        track()
        parent.color = "blue"
        expectEqual(changes.messages, ["changed", "changed", "changed"])
    }
}
