// snippet: bindings.import
import AutoKVO
// end
import AutoKVOTestSupport
import Testing

/// The code of `Bindings-and-Dependencies.md`.
struct BindingsTests {
    // snippet: bindings.model
    class Person: TrackedObject {
        @Observed var firstName = "Ann"
        @Observed var lastName = "Lee"
        @Observed var age = 30
        @Observed var manager: Person?

        var fullName: String { "\(firstName) \(lastName)" }
        var chain: String { fullName + (manager.map { ", reports to \($0.fullName)" } ?? "") }

        override class var schema: Schema {
            Schema(Person.self, extending: super.schema) {
                Key("age", \.age)
                Key("fullName", \.fullName, affectedBy: "firstName", "lastName")
                Key("chain", \.chain, affectedBy: "fullName", "manager.fullName")
            }
        }
    }

    class Label: TrackedObject {
        @Observed var title = ""
        @Observed var isHidden = false
        @Observed var limit = 0

        override class var schema: Schema {
            Schema(Label.self, extending: super.schema) {
                Key("title", \.title)
                Key("isHidden", \.isHidden)
                Key("limit", \.limit)
            }
        }
    }
    // end

    @Test("derived keys") func derived() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: bindings.derived
        let person = Person()
        try person.observe("chain", as: String.self, options: .new) { change in print(change.newValue ?? "-") }
        person.firstName = "Bea"  // prints: Bea Lee
        person.manager = Person()  // prints: Bea Lee, reports to Ann Lee
        person.manager?.lastName = "Fox"  // prints: Bea Lee, reports to Ann Fox
        // end
        try output.expect("bindings.derived")
    }

    @Test("bind by handle", .needs(.blankObject)) func handle() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: bindings.handle
        let (person, label) = (Person(), Label())
        label.$title.bind(to: person.$firstName)
        print(label.title)  // prints: Ann
        person.firstName = "Bea"
        print(label.title)  // prints: Bea

        label.$title.bind(to: \.fullName, of: person) { $0.uppercased() }  // replaces the first binding
        print(label.title)  // prints: BEA LEE
        label.$title.bind(to: person.$manager.$lastName) { $0 ?? "no manager" }
        print(label.title)  // prints: no manager
        // end
        try output.expect("bindings.handle")
    }

    @Test("bind by name") func name() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: bindings.name
        let (person, label) = (Person(), Label())
        try label.bind("title", to: "manager.fullName", of: person, transform: .default("no manager"))
        try label.bind("isHidden", to: "manager", of: person, transform: .isNil)
        print(label.title, label.isHidden)  // prints: no manager true
        person.manager = Person()
        print(label.title, label.isHidden)  // prints: Ann Lee false
        print(label.unbind("title"), label.unbind("title"))  // prints: true false
        // end
        try output.expect("bindings.name")
    }

    @Test("transforms") func transforms() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: bindings.transforms
        let (person, label) = (Person(), Label())
        try label.bind("title", to: "age", of: person) { (age: Int) in "\(age) years" }
        try label.bind("limit", to: "title", of: label, transform: .init { (text: String) in text.count })
        print(label.title, label.limit)  // prints: 30 years 8

        let text = BindingTransform.default(0).then(.description)
        print(text(7) ?? "-", text(nil) ?? "-")  // prints: 7 0
        // end
        try output.expect("bindings.transforms")
    }

    @Test("bound to each other") func mutual() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: bindings.mutual
        let (a, b, field) = (Label(), Label(), Label())
        a.title = "first"
        b.$title.bindBothWays(to: a.$title)
        print(a.title, b.title)  // prints: first first
        b.title = "second"
        print(a.title, b.title)  // prints: second second

        field.$title.bindBothWays(to: a.$limit, transform: { "\($0)" }, inverse: { Int($0) ?? 0 })
        field.title = "12"
        print(a.limit)  // prints: 12
        // end
        try output.expect("bindings.mutual")
    }

    @Test("depend on many objects") func depend() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: bindings.depend
        let (ann, bea, label) = (Person(), Person(), Label())
        bea.firstName = "Bea"
        let dependencies = [Dependency(ann, ["fullName", "age"]), Dependency(bea, "age")]
        try label.depend(on: dependencies, named: "draw") { label in
            label.title = "\(ann.fullName) \(ann.age + bea.age)"
            print(label.title)
        }
        // prints: Ann Lee 60
        bea.age = 20  // prints: Ann Lee 50
        label.endDependency(named: "draw")
        bea.age = 21  // no call
        // end
        try output.expect("bindings.depend")
    }

    @Test("several changes as one") func coalesce() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: bindings.coalesce
        let person = Person()
        try person.observe("fullName", options: [.old, .new]) { change in
            print(change.oldValue ?? "-", "to", change.newValue ?? "-")
        }
        coalescingChanges {
            person.firstName = "Bea"
            person.lastName = "Fox"
            print("both are set")
        }
        // prints: both are set
        // prints: Ann Lee to Bea Fox
        // end
        try output.expect("bindings.coalesce")
    }
}
