// snippet: start.import
import AutoKVO
// end
import Testing

/// The code of `Getting-Started.md`.
@Suite("Getting started") struct GettingStartedTests {
    // snippet: start.model
    class Person: TrackedObject {
        @Observed var firstName = "Ann"
        @Observed var lastName = "Lee"
        @Observed var employer: Company?
        @Observed var friends: [Person] = []

        @Derived({ (person: Person) in "\(person.firstName) \(person.lastName)" }) var fullName: String
    }

    class Company: TrackedObject {
        @Observed var city = "Ulm"
    }

    final class Label: KeyValueObserver {
        var text = ""
    }
    // end

    @Test("observe by name") func observe() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: start.observe
        let person = Person()
        let label = Label()
        try person.addObserver(label, forKeyPath: "fullName", options: [.old, .new]) { label, change in
            label.text = "\(change.oldValue ?? "-"), now \(change.newValue ?? "-")"
        }
        person.firstName = "Bea"
        print(label.text)  // prints: Ann Lee, now Bea Lee
        // end
        try output.expect("start.observe")
    }

    @Test("observe several paths") func several() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: start.several
        let person = Person()
        try person.observe(["firstName", "fullName"], options: [.old, .new]) { change in
            print(change.keyPath, change.oldValue ?? "-", "to", change.newValue ?? "-")
        }
        person.firstName = "Bea"
        // prints: firstName Ann to Bea
        // prints: fullName Ann Lee to Bea Lee
        // end
        try output.expect("start.several")
    }

    @Test("observe through objects") func path() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: start.path
        let person = Person()
        try person.observe("employer.city", as: String?.self, options: .new) { change in
            if let city = change.newValue { print(city ?? "nowhere") }
        }
        person.employer = Company()  // prints: Ulm
        person.employer?.city = "Linz"  // prints: Linz
        person.employer = nil  // prints: nowhere
        // end
        try output.expect("start.path")
    }

    @Test("let the compiler check") func typed() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: start.typed
        let person = Person()
        person.observe(\.$firstName, options: [.old, .new]) { person, change in
            if let old = change.oldValue, let new = change.newValue { print(old.count, "letters, then", new.count) }
        }
        person.firstName = "Barbara"  // prints: 3 letters, then 7

        person.$friends.observe(options: .new) { change in
            print(change.kind, (change.newValue ?? []).map(\.firstName))
        }
        person.$friends.append(Person())  // prints: insertion ["Ann"]
        // end
        try output.expect("start.typed")
    }

    @Test("let it go") func end() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: start.end
        let person = Person()
        let label = Label()
        let observation = try person.observe("firstName") { _ in print("changed") }
        try label.observe("lastName", of: person) { _, _ in print("changed") }

        observation.remove()
        print(label.stopObserving(of: person), label.stopObserving(of: person))  // prints: 1 0
        person.firstName = "Eve"
        person.lastName = "Fox"
        // end
        try output.expect("start.end")
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
}
