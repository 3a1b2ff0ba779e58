import AutoKVO
import AutoKVOTestSupport
import Testing

/// Only its title can be written by name.
private final class Label: Model {
    @Observed var title = ""
    @Observed var note: String?
    @Observed var count = 0
    @Observed var ratio = 0.0
    @Observed var list: [Int] = []
    @Observed var checked = 0 { didSet { checkedWrites += 1 } }
    @ObservedWeak var friend: Person?
    var checkedWrites = 0

    override class var schema: Schema {
        Schema(Label.self, extending: super.schema) { Key("title", \.title) }
    }
}

/// Bindings by handle.
struct HandleBindingTests {
    let person = Person()
    private let label = Label()
    let tracker = LifetimeTracker()

    @Test("a property follows another one, an optional one too, and a function of another one") func handles() {
        label.$title.bind(to: person.$firstName)
        label.$note.bind(to: person.$lastName)
        label.$count.bind(to: person.$friends) { $0.count }
        #expect(label.title == "Ann" && label.note == "Lee" && label.count == 0)
        person.firstName = "Eve"
        person.lastName = "Ray"
        person.$friends.append(Person())
        #expect(label.title == "Eve" && label.note == "Ray" && label.count == 1)
        label.$note.bind(to: person.$nickname)
        #expect(label.note == nil)
        person.nickname = "E"
        expectEqual(label.note, "E")
    }

    @Test("an optional property follows a path, another one with a transform", .needs(.blankObject)) func paths() {
        label.$note.bind(to: person.$address.$city)
        label.$title.bind(to: person.$spouse.$address.$city) { $0 ?? "nowhere" }
        #expect(label.note == nil && label.title == "nowhere")
        person.address = Address("Linz")
        person.spouse = Person()
        person.spouse!.address = person.address
        #expect(label.note == "Linz" && label.title == "Linz")
        person.address!.city = "Graz"
        #expect(label.note == "Graz" && label.title == "Graz")
        person.address = nil
        person.spouse = nil
        #expect(label.note == nil && label.title == "nowhere")
    }

    @Test("by the key path of a key, also a derived one") func keyPaths() {
        label.$title.bind(to: \.fullName, of: person)
        label.$note.bind(to: \.greeting, of: person) { $0.isEmpty ? nil : $0 }
        label.$count.bind(to: person.$age)
        label.$ratio.bind(to: person.$scores) { Double($0.reduce(0, +)) }
        person.lastName = "Ray"
        person.age = 4
        person.$scores.append(contentsOf: [1, 2])
        #expect(label.title == "Ann Ray" && label.note == "Hello Ann Ray" && label.count == 4 && label.ratio == 3)
        let employee = Employee("E")
        label.$title.bind(to: \Person.fullName, of: employee)
        expectEqual(label.title, "E Lee")
    }

    @Test("it writes through the storage, and not when the value is equal") func storage() {
        let recorder = Recorder<Int>()
        label.$checked.observe(options: [.new], recorder.handler())
        label.$checked.bind(to: person.$age)
        person.age = 3
        person.age = 3
        #expect(label.checked == 3 && label.checkedWrites == 0)
        expectEqual(recorder.entries.map(\.new), [3])
    }

    @Test("a weak property follows, and is not kept by it") func weak() {
        label.$friend.bind(to: person.$spouse)
        person.spouse = tracker.track(Person("S"))
        #expect(label.friend === person.spouse)
        person.spouse = nil
        #expect(label.friend == nil)
        tracker.expectNoLeaks()
    }

    @Test("a property has one binding at a time, by whatever way it was made") func replaces() throws {
        let other = Person("Bob")
        let first = label.$title.bind(to: person.$firstName)
        let second = try label.bind("title", to: "firstName", of: other)
        #expect(!first.isValid && second.isValid && label.title == "Bob")
        let third = label.$title.bind(to: \.fullName, of: person)
        #expect(!second.isValid && third.isValid && label.title == "Ann Lee")
        expectEqual(label.observations().count, 1)
        #expect(label.unbind("title"))
        #expect(!third.isValid)
    }

    @Test("properties that follow each other stop at the first equal value") func mutual() {
        let other = Person("Bob")
        person.$firstName.bind(to: other.$firstName)
        other.$firstName.bind(to: person.$firstName)
        person.firstName = "Eve"
        expectEqual(other.firstName, "Eve")
        other.firstName = "Ida"
        expectEqual(person.firstName, "Ida")
    }

    @Test("a circle in which no value becomes equal is left, and reported") func circle() {
        let other = Label()
        let told = messages {
            label.$count.bind(to: other.$count) { $0 + 1 }
            other.$count.bind(to: label.$count) { $0 + 1 }
        }
        expectEqual(told.count, 1)
        expectEqual(told.first?.contains("Label.count is bound in a circle"), true)
    }

    @Test("it ends with either side, keeps neither, and gives up its transform") func deaths() {
        do {
            var source: Person? = tracker.track(Person())
            let (target, token) = (tracker.track(Label()), tracker.token())
            let observation = target.$count.bind(to: source!.$age) { age in
                token.touch()
                return age
            }
            source!.age = 2
            expectEqual(target.count, 2)
            source = nil
            #expect(!observation.isValid)
        }
        tracker.expectNoLeaks()
        do {
            var target: Label? = tracker.track(Label())
            let token = tracker.token()
            let observation = target!.$title.bind(to: \.fullName, of: person) { name in
                token.touch()
                return name
            }
            target = nil
            #expect(!observation.isValid)
            person.firstName = "Eve"
        }
        tracker.expectNoLeaks()
        do {
            let (a, b) = (tracker.track(Label()), tracker.track(Label()))
            a.$list.bind(to: b.$list)
            b.$list.bind(to: a.$list)
            a.$ratio.bind(to: a.$count) { Double($0) }
            a.$list.append(1)
            expectEqual(b.list, [1])
        }
        tracker.expectNoLeaks()
    }

    @Test("a source that changes on one thread while its follower dies on another", arguments: 0..<load(40))
    func race(_: Int) {
        let (source, target) = (Shared(Person()), Shared<Label?>(tracker.track(Label())))
        target.value!.$count.bind(to: source.value.$age)
        concurrently(2) { number in
            if number == 0 { for age in 1...50 { source.value.age = age } } else { target.value = nil }
        }
        tracker.expectNoLeaks()
        #expect(source.value.observations().isEmpty)
    }

    @Test("a key path that no key is declared with is followed by what it reads") func undeclared() {
        let (label, person) = (Label(), Person("Ann"))
        label.$count.bind(to: \.firstName.count, of: person)
        person.firstName = "Angela"
        expectEqual(label.count, 6)
    }
}
