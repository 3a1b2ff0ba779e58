// snippet: start.import
import AutoKVO
// end
import AutoKVOTestSupport
import Testing

/// The code of `Getting-Started.md`.
@Suite(.needs(.blankObject)) struct GettingStartedTests {
    // snippet: start.model
    class Person: TrackedObject {
        @Observed var firstName = "Ann"
        @Observed var lastName = "Lee"
        @Derived({ (person: Person) in "\(person.firstName) \(person.lastName)" }) var fullName: String
    }
    // end

    // snippet: start.company
    class Company: TrackedObject {
        @Observed var city = "Ulm"
    }

    class Employee: Person {
        @Observed var employer: Company?
        @Observed var friends: [Person] = []
    }
    // end

    // snippet: start.label
    final class Label: KeyValueObserver {
        var text = ""
    }
    // end

    // snippet: start.schema
    class Account: TrackedObject {
        @Observed var limit = 100
        @Observed var password = ""

        override class var schema: Schema {
            Schema(Account.self, extending: super.schema) {
                Key("limit", \.limit) { _, limit in limit = max(limit, 0) }
                Hidden("password")
            }
        }
    }
    // end

    @Test("a class, an observation, a change") func first() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: start.first
        let ann = Person()
        ann.$fullName.observe(options: [.old, .new]) { change in
            print(change.oldValue ?? "-", "is now", change.newValue ?? "-")
        }
        ann.firstName = "Bea"  // prints: Ann Lee is now Bea Lee
        // end
        try output.expect("start.first")
    }

    @Test("handles") func typed() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: start.typed
        let bob = Employee()
        bob.$friends.observe(options: .new) { change in
            print(change.kind, (change.newValue ?? []).map(\.firstName))
        }
        bob.$friends.append(Person())  // prints: insertion ["Ann"]

        bob.$employer.$city.observe(options: .new) { change in print(change.newValue as Any) }
        bob.employer = Company()  // prints: Optional("Ulm")
        bob.employer?.city = "Linz"  // prints: Optional("Linz")
        bob.employer = nil  // prints: nil
        // end
        try output.expect("start.typed")
    }

    @Test("an observer, and the end of what it observes") func observer() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: start.observer
        let (cleo, label) = (Person(), Label())
        cleo.$fullName.observe(for: label, options: .new) { label, change in label.text = change.newValue ?? "" }
        cleo.lastName = "Fox"
        print(label.text)  // prints: Ann Fox
        // end
        // snippet: start.end
        let observation = cleo.$firstName.observe { _ in print("changed") }
        observation.remove()
        print(label.stopObserving(of: cleo), label.stopObserving(of: cleo))  // prints: 1 0
        cleo.firstName = "Eve"
        print(cleo.observations().count)  // prints: 0
        // end
        try output.expect("start.observer", "start.end")
    }

    @Test("observe by name") func observe() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        let label = Label()
        // snippet: start.observe
        let dan = Employee()
        try dan.addObserver(label, forKeyPath: "fullName", options: [.old, .new]) { label, change in
            label.text = "\(change.oldValue ?? "-"), now \(change.newValue ?? "-")"
        }
        dan.firstName = "Dan"
        print(label.text)  // prints: Ann Lee, now Dan Lee
        // end
        try output.expect("start.observe")
    }

    @Test("observe through objects") func path() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: start.path
        let eva = Employee()
        try eva.observe("employer.city", as: String?.self, options: .new) { change in
            if let city = change.newValue { print(city ?? "nowhere") }
        }
        eva.employer = Company()  // prints: Ulm
        eva.employer = nil  // prints: nowhere
        // end
        try output.expect("start.path")
    }

    @Test("observe several paths") func several() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: start.several
        let fay = Person()
        try fay.observe(["firstName", "fullName"], options: [.old, .new]) { change in
            print(change.keyPath, change.oldValue ?? "-", "to", change.newValue ?? "-")
        }
        fay.firstName = "Fay"
        // prints: firstName Ann to Fay
        // prints: fullName Ann Lee to Fay Lee
        // end
        try output.expect("start.several")
    }

    @Test("handle what may be wrong") func error() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: start.error
        do {
            try Person().observe("frstName") { _ in }
        } catch {
            print(error)  // prints: unknown key "frstName": Person has no key "frstName", did you mean "firstName"?
        }
        // end
        try output.expect("start.error")
    }

    @Test("a schema") func schema() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: start.setting
        let account = Account()
        account.$limit.observe(options: .new) { change in print("limit", change.newValue ?? 0) }
        try account.setValues(["limit": -5], validating: true)  // prints: limit 0
        // end
        try output.expect("start.setting")
    }
}
