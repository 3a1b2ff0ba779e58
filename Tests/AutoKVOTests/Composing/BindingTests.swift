import AutoKVO
import AutoKVOTestSupport
import Testing

/// A class with properties of many types to bind.
private final class BoundForm: Model {
    @Observed var title = ""
    @Observed var count = 0
    @Observed var ratio = 0.0
    @Observed var isOn = false
    @Observed var note: String?
    @Observed var span = Span(low: 0, high: 0)
    @Observed var limited = 0 {
        didSet { if limited > 10 { limited = 10 } }
    }
    @Observed var source: Address?
    @ObservedWeak var weak: Address?
    var plain = 0
    let fixed = 1

    /// Not `Equatable`.
    struct Span { var low, high: Int }

    override class var schema: Schema {
        Schema(BoundForm.self, extending: super.schema) {
            Key("title", \.title)
            Key("count", \.count)
            Key("ratio", \.ratio)
            Key("isOn", \.isOn)
            Key("note", \.note)
            Key("span", \.span)
            Key("limited", \.limited)
            Key("source", \.source)
            Key("weak", \.weak)
            // Affected by a key that is left alone, so that only a write by name announces it.
            Key("plain", \.plain, affectedBy: "ratio")
            Key("fixed", \.fixed, notifiesAutomatically: false)
        }
    }
}

/// Bindings.
struct BindingTests {
    let person = Person()
    private let form = BoundForm()

    @Test("a bound property is set at once and follows every change") func follows() throws {
        let observation = try form.bind("title", to: "fullName", of: person)
        expectEqual(form.title, "Ann Lee")
        person.lastName = "Ray"
        expectEqual(form.title, "Ann Ray")
        #expect(observation.isValid && observation.observer === form)
        #expect(form.unbind("title"))
        #expect(!form.unbind("title"))
        person.lastName = "Moe"
        expectEqual(form.title, "Ann Ray")
    }

    private final class Layered: Model {
        @Observed var layers: Int?? = 1
        @Observed var next: Layered?
        override class var schema: Schema {
            Schema(Layered.self, extending: super.schema) {
                Key("layers", \.layers)
                Key("next", \.next)
            }
        }
    }

    @Test(
        "a property that is optional twice has each value of another one at once",
        arguments: ["layers", "next.layers"], [nil, .some(nil), 1] as [Int??])
    func optionalTwice(path: String, first: Int??) throws {
        let (own, other) = (Layered(), Layered())
        other.next = other
        other.layers = .some(nil)
        own.layers = first
        try own.bind("layers", to: path, of: other)
        #expect(own.layers == .some(nil))
        for value in [nil, .some(nil), 3, .some(nil)] as [Int??] {
            other.layers = value
            #expect(own.layers == value)
            own.unbind("layers")
            own.layers = first
            try own.bind("layers", to: path, of: other)
            #expect(own.layers == value)
        }
        other.next = nil
        #expect(own.layers == (path == "layers" ? .some(nil) : nil))
        own.unbind("layers")
    }

    @Test(
        "the end of a path that is optional twice has each value of another property at once",
        arguments: [nil, .some(nil), 1] as [Int??])
    func endOptionalTwice(first: Int??) throws {
        let (own, other, source) = (Layered(), Layered(), Layered())
        own.next = other
        for value in [.some(nil), nil, 3, .some(nil)] as [Int??] {
            other.layers = first
            try own.bind("next.layers", to: "layers", of: source)
            source.layers = value
            #expect(other.layers == value)
            own.unbind("next.layers")
            other.layers = first
            try own.bind("next.layers", to: "layers", of: source)
            #expect(other.layers == value)
        }
        source.layers = 4
        try own.bind("next.layers", to: "next.layers", of: source)
        #expect(other.layers == nil)
        own.unbind("next.layers")
    }

    @Test("a change that goes through a binding is one call at its end, and an equal value none") func chain() throws {
        let recorder = Recorder<Any>()
        try form.bind("count", to: "age", of: person)
        try form.observe("count", options: [.new], recorder.handler())
        person.age = 3
        person.age = 3
        expectEqual(recorder.news(Int.self), [3])
    }

    @Test("a path by name is set by the property's own setter") func pathByName() throws {
        final class Window: Model {
            @Observed var form: BoundForm?
            override class var schema: Schema {
                Schema(Window.self, extending: super.schema) { Key("form", \.form) }
            }
        }
        let window = Window()
        window.form = form
        try window.bind("form.limited", to: "age", of: person)
        var calls = 0
        form.$limited.observe { _ in calls += 1 }
        person.age = 7
        person.age = 7
        expectEqual(calls, 1, "an equal value is not set")
        person.age = 40
        expectEqual(form.limited, 10)
    }

    @Test("binding a key again replaces what it followed") func replaces() throws {
        let other = Person("Bob")
        let first = try form.bind("title", to: "firstName", of: person)
        try form.bind("title", to: "firstName", of: other)
        expectEqual(form.title, "Bob")
        #expect(!first.isValid)
        person.firstName = "Eve"
        expectEqual(form.title, "Bob")
        expectEqual(form.observations().count, 1)
    }

    @Test("a wrong name or type throws, binds nothing, and leaves the binding there was") func throwing() throws {
        try form.bind("title", to: "firstName", of: person)
        func refuses(_ key: String, _ path: String, _ transform: BindingTransform = .identity) {
            #expect(throws: KeyValueError.self) { try form.bind(key, to: path, of: person, transform: transform) }
        }
        refuses("titel", "firstName")
        refuses("title", "firstNam")
        refuses("title", "age")
        refuses("title", "age", .negated)
        refuses("title", "age", .default("none"))
        refuses("title", "firstName", .number(Int.self))
        refuses("fixed", "age")
        refuses("count", "firstName")
        refuses("title", "nickname")
        expectEqual(form.title, "Ann")
        person.firstName = "Eve"
        expectEqual(form.title, "Eve")
        expectEqual(person.observations().count, 1)
    }

    @Test("ready transforms") func transforms() throws {
        try form.bind("isOn", to: "nickname", of: person, transform: .isNil)
        #expect(form.isOn)
        try form.bind("isOn", to: "nickname", of: person, transform: .isNotNil)
        #expect(!form.isOn)
        person.nickname = "A"
        #expect(form.isOn)
        try form.bind("title", to: "nickname", of: person, transform: .default("none"))
        expectEqual(form.title, "A")
        person.nickname = nil
        expectEqual(form.title, "none")
        try form.bind("title", to: "age", of: person, transform: .description)
        person.age = 4
        expectEqual(form.title, "4")
        let other = BoundForm()
        try other.bind("isOn", to: "isOn", of: form, transform: .negated)
        #expect(other.isOn)
        form.isOn = true
        #expect(!other.isOn)
        try form.bind("ratio", to: "age", of: person, transform: .number(Double.self))
        expectEqual(form.ratio, 4)
        try form.bind("count", to: "firstName", of: person, transform: .number(Int.self).then(.default(-1)))
        expectEqual(form.count, -1)
        person.firstName = "12"
        expectEqual(form.count, 12)
        try other.bind("count", to: "ratio", of: form, transform: .number(Int.self))
        expectEqual(other.count, 4)
        form.ratio = 4.9
        expectEqual(other.count, 4)
        form.ratio = 5.5
        expectEqual(other.count, 5)
    }

    @Test("numbers go from type to type where they fit, and the one that does not is reported") func numbers() throws {
        try form.bind("ratio", to: "age", of: person)
        person.age = 7
        expectEqual(form.ratio, 7)
        let other = BoundForm()
        let told = try messages {
            try other.bind("count", to: "ratio", of: form)
            expectEqual(other.count, 7)
            form.ratio = 7.5
        }
        expectEqual(other.count, 7)
        expectEqual(told.count, 1)
    }

    @Test("a value that does not equal itself passes round a circle once") func notANumber() throws {
        let (other, recorder) = (BoundForm(), Recorder<Any>())
        try form.bind("ratio", to: "ratio", of: other)
        try other.bind("ratio", to: "ratio", of: form)
        try form.observe("ratio", options: [.new], recorder.handler())
        let told = messages { other.ratio = .nan }
        #expect(form.ratio.isNaN && other.ratio.isNaN && told == [])
        #expect(recorder.entries.count <= 2)
        other.ratio = 1
        expectEqual(form.ratio, 1)
    }

    @Test("a hundred objects that follow each other have each value, also of optional and class types") func hundred()
        throws
    {
        let forms = [form] + (0..<100).map { _ in BoundForm() }
        for (source, follower) in zip(forms, forms.dropFirst()) {
            for key in ["title", "note", "source", "span"] { try follower.bind(key, to: key, of: source) }
        }
        form.title = "a title of more than fifteen bytes"
        form.note = "n"
        form.source = Address("Linz")
        form.span = BoundForm.Span(low: 1, high: 2)
        let last = forms[100]
        #expect(last.title == form.title && last.note == "n" && last.source === form.source && last.span.high == 2)
        form.note = nil
        form.source = nil
        #expect(last.note == nil && last.source == nil)
        withExtendedLifetime(forms) {}
    }

    @Test("a function as a transform is typed and is not asked about nil") func functions() throws {
        try form.bind("title", to: "age", of: person) { (age: Int) in "\(age) years" }
        expectEqual(form.title, "0 years")
        try form.bind("note", to: "nickname", of: person) { (name: String) in name + "!" }
        #expect(form.note == nil)
        person.nickname = "A"
        expectEqual(form.note, "A!")
        try form.bind("title", to: "nickname", of: person) { (name: String?) in name ?? "nobody" }
        person.nickname = nil
        expectEqual(form.title, "nobody")
    }

    @Test("a nil to a property that cannot be nil throws at first and is reported later, unless there is a default")
    func nils() throws {
        #expect(throws: KeyValueError.self) { try form.bind("title", to: "nickname", of: person) }
        person.nickname = "A"
        let told = try messages {
            try form.bind("title", to: "nickname", of: person)
            person.nickname = nil
        }
        expectEqual(told.count, 1)
        expectEqual(form.title, "A")
        person.address = Address()
        try form.bind("count", to: "address.zip", of: person, transform: .default(42))
        person.address = nil
        expectEqual(form.count, 42)
    }

    @Test("the death of a weak object on the way makes the other side nil, or the default") func weakIntermediate()
        throws
    {
        let source = BoundForm()
        var address: Address? = Address("Linz")
        source.weak = address
        try form.bind("note", to: "weak.city", of: source)
        try form.bind("count", to: "weak.zip", of: source, transform: .default(5))
        #expect(form.note == "Linz" && form.count == 0)
        address = nil
        #expect(form.note == nil)
        expectEqual(form.count, 5)
    }

    @Test("properties bound to each other stop at the first equal value") func mutual() throws {
        let other = Person("Bob")
        let recorder = Recorder<Any>()
        try person.bind("firstName", to: "firstName", of: other)
        try other.bind("firstName", to: "firstName", of: person)
        expectEqual(person.firstName, "Bob")
        try person.observe("firstName", recorder.handler("person"))
        try other.observe("firstName", recorder.handler("other"))
        person.firstName = "Eve"
        expectEqual(other.firstName, "Eve")
        other.firstName = "Ida"
        expectEqual(person.firstName, "Ida")
        expectEqual(recorder.count, 4)
    }

    @Test("mutual bindings of values that cannot be compared stop when they come back") func mutualIncomparable() throws
    {
        let other = BoundForm()
        try form.bind("span", to: "span", of: other)
        try other.bind("span", to: "span", of: form)
        form.span = .init(low: 1, high: 2)
        expectEqual(other.span.high, 2)
        other.span.low = 7
        expectEqual(form.span.low, 7)
    }

    @Test("a circle in which no value becomes equal is left, and reported") func circle() throws {
        let other = BoundForm()
        let told = try messages {
            try form.bind("count", to: "count", of: other) { (count: Int) in count + 1 }
            try other.bind("count", to: "count", of: form) { (count: Int) in count + 1 }
        }
        expectEqual(told.count, 1)
    }

    @Test("a setter that alters its argument settles both sides") func altering() throws {
        try form.bind("limited", to: "age", of: person)
        try person.bind("age", to: "limited", of: form)
        person.age = 25
        expectEqual(form.limited, 10)
        expectEqual(person.age, 10)
    }

    @Test("a property that is not observed itself can be bound, and its observers are told") func plainProperty() throws
    {
        let recorder = Recorder<Any>()
        try form.observe("plain", options: [.new], recorder.handler())
        try form.bind("plain", to: "age", of: person)
        person.age = 3
        expectEqual(form.plain, 3)
        expectEqual(recorder.news(Int.self), [3])
    }

    @Test("bindings by handle are checked by the compiler") func handles() {
        form.$title.bind(to: person.$firstName)
        expectEqual(form.title, "Ann")
        form.$count.bind(to: person.$friends) { $0.count }
        person.friends.append(Person())
        expectEqual(form.count, 1)
        #expect(form.unbind("count"))
    }

    @Test("either death ends a binding, which keeps nobody alive and gives up its transform") func deaths() throws {
        let tracker = LifetimeTracker()
        do {
            var source: Person? = tracker.track(Person())
            let target = tracker.track(BoundForm())
            let token = tracker.token()
            let observation = try target.bind("count", to: "age", of: source!) { (age: Int) in
                token.touch()
                return age
            }
            source = nil
            #expect(!observation.isValid)
        }
        tracker.expectNoLeaks()
        do {
            var target: BoundForm? = tracker.track(BoundForm())
            let token = tracker.token()
            let observation = try target!.bind("count", to: "age", of: person) { (age: Int) in
                token.touch()
                return age
            }
            target = nil
            #expect(!observation.isValid)
            person.age = 9
        }
        tracker.expectNoLeaks()
        do {
            let (a, b) = (tracker.track(BoundForm()), tracker.track(BoundForm()))
            try a.bind("count", to: "count", of: b)
            try b.bind("count", to: "count", of: a)
            try a.bind("ratio", to: "ratio", of: a)
        }
        tracker.expectNoLeaks()
    }
}
