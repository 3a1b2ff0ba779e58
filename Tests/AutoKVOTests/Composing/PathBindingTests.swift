import AutoKVO
import AutoKVOTestSupport
import Testing

private final class EditForm: Model {
    @Observed var text = ""
    @Observed var count = 0

    override class var schema: Schema {
        Schema(EditForm.self, extending: super.schema) { Key("text", \.text) }
    }
}

private final class Controller: Model {
    @Observed var selection: Person?
}

private final class NamedController: Model {
    @Observed var selection: Person?
    override class var schema: Schema {
        Schema(NamedController.self, extending: super.schema) { Key("selection", \.selection) }
    }
}

/// Bindings of paths.
@Suite(.needs(.blankObject)) struct PathBindingTests {
    private let controller = Controller()
    private let form = EditForm()
    let ann = Person("Ann")
    let bob = Person("Bob")

    @Test(
        "an inverse or a transform that selects another object: that one is read, keeps its value, and follows edits",
        arguments: [false, true])
    func selectedByFunction(byInverse: Bool) {
        controller.selection = ann
        var next: Person?
        func select(_ isInverse: Bool) {
            guard isInverse == byInverse, let person = next else { return }
            next = nil
            controller.selection = person
        }
        form.$text.bindBothWays(
            to: controller.$selection.$firstName,
            transform: { name in
                select(false)
                return name ?? ""
            },
            inverse: { text in
                select(true)
                return text
            })
        next = bob
        if byInverse { form.text = "edited" } else { controller.selection = Person("Cat") }
        #expect(next == nil && ann.firstName == "Ann" && bob.firstName == "Bob" && form.text == "Bob")
        form.text = "Bo"
        expectEqual(bob.firstName, "Bo")
        bob.firstName = "Bobby"
        expectEqual(form.text, "Bobby")
        form.$text.unbind()
    }

    @Test("a handler that selects another object and sets the source again has that one set", arguments: [false, true])
    func setAgain(isNumber: Bool) {
        controller.selection = ann
        controller.$selection.$firstName.bind(to: form.$text)
        controller.$selection.$age.bind(to: form.$count)
        func select() {
            controller.selection = bob
            form.text += ""
            form.count += 0
        }
        if isNumber { ann.$age.observe { _ in select() } } else { ann.$firstName.observe { _ in select() } }
        form.text = "x"
        form.count = 1
        #expect(bob.firstName == "x" && bob.age == 1)
        ann.removeAllObservers()
    }

    @Test(
        "a value that cannot be set now throws, and the path keeps its binding; where there is no object nothing is set"
    )
    func unfitForNow() throws {
        let controller = NamedController()
        controller.selection = ann
        try controller.bind("selection.firstName", to: "text", of: form)
        form.text = "first"
        #expect(throws: KeyValueError.self) { try controller.bind("selection.firstName", to: "nickname", of: bob) }
        form.text = "second"
        #expect(ann.firstName == "second" && bob.observations().isEmpty)
        controller.selection = nil
        try controller.bind("selection.firstName", to: "nickname", of: bob)
        (controller.selection, bob.nickname) = (ann, "Bobby")
        expectEqual(ann.firstName, "Bobby")
    }

    @Test("a binding both ways takes the place of the one that the property has", arguments: [false, true])
    func replaced(wasBothWays: Bool) {
        controller.selection = ann
        let other = EditForm()
        if wasBothWays { form.$text.bindBothWays(to: other.$text) } else { form.$text.bind(to: other.$text) }
        form.$text.bindBothWays(to: controller.$selection.$firstName, nilAs: "")
        other.text = "other"
        #expect(form.text == "Ann" && ann.firstName == "Ann")
        form.text = "Annie"
        #expect(ann.firstName == "Annie" && other.text == "other")
        form.$text.unbind()
    }

    @Test("a path sets the object that is there now, and nothing where there is none") func oneWay() {
        form.text = "X"
        controller.$selection.$firstName.bind(to: form.$text)
        controller.$selection.$nickname.bind(to: form.$text)
        controller.$selection.$age.bind(to: form.$text) { $0.count }
        form.text = "Eve"
        controller.selection = ann
        expectEqual(ann.firstName, "Ann")
        form.text = "Evelyn"
        #expect(ann.firstName == "Evelyn" && ann.nickname == "Evelyn" && ann.age == 6)
        controller.selection = bob
        expectEqual(bob.firstName, "Bob")
        form.text = "Bo"
        #expect(bob.firstName == "Bo" && ann.firstName == "Evelyn")
        #expect(controller.$selection.$firstName.unbind())
        #expect(!controller.$selection.$firstName.unbind())
        form.text = "B"
        #expect(bob.firstName == "Bo" && bob.nickname == "B")
    }

    @Test("a path by name, and what cannot be set is refused") func byName() throws {
        controller.selection = ann
        form.text = "Eve"
        try controller.bind("selection.firstName", to: "text", of: form)
        expectEqual(ann.firstName, "Eve")
        form.text = "Eva"
        expectEqual(ann.firstName, "Eva")
        controller.selection = nil
        form.text = "Z"
        controller.selection = bob
        expectEqual(bob.firstName, "Bob")
        #expect(controller.unbind("selection.firstName"))
        form.text = "Q"
        expectEqual(bob.firstName, "Bob")
        for key in ["selection.name", "selection.fullName", "selection.age", "selection."] {
            #expect(throws: KeyValueError.self) { try controller.bind(key, to: "text", of: form) }
        }
        try controller.path("selection.lastName", as: String.self).bind(to: form.$text)
        expectEqual(bob.lastName, "Q")
        expectEqual(controller.observations().count, 1)
    }

    @Test("a path of handles that nothing can set reports it") func readOnly() {
        controller.selection = ann
        let log = MessageLog()
        Diagnostics.withHandler({ log.add($0) }) {
            do {
                try controller.path("selection.fullName", as: String.self).bind(to: form.$text)
            } catch { Issue.record(error) }
        }
        expectEqual(log.messages.count, 1)
    }

    @Test("both ways: a new selection is read, and never written with the last one's value") func bothWays() {
        form.$text.bindBothWays(to: controller.$selection.$firstName, nilAs: "-")
        expectEqual(form.text, "-")
        form.text = "nobody's"
        controller.selection = ann
        #expect(form.text == "Ann" && ann.firstName == "Ann")
        form.text = "Anna"
        expectEqual(ann.firstName, "Anna")
        ann.firstName = "Anne"
        expectEqual(form.text, "Anne")
        controller.selection = bob
        #expect(form.text == "Bob" && bob.firstName == "Bob" && ann.firstName == "Anne")
        coalescingChanges {
            form.text = "typed for Bob"
            controller.selection = ann
        }
        #expect(ann.firstName == "Anne" && form.text == "Anne")
        controller.selection = nil
        #expect(form.text == "-" && ann.firstName == "Anne")
    }

    @Test("a handler of an edit that selects another object does not write to that") func selectingHandler() {
        controller.selection = ann
        form.$text.observe { [unowned controller, unowned form, bob] _ in
            if form.text == "typed" { controller.selection = bob }
        }
        form.$text.bindBothWays(to: controller.$selection.$firstName, nilAs: "")
        form.text = "typed"
        #expect(bob.firstName == "Bob" && form.text == "Bob" && ann.firstName == "Ann")
    }

    @Test("a handler of an edit that selects the same object again does not take the edit back") func selectedAgain() {
        controller.selection = bob
        form.$text.observe { [unowned controller, bob] _ in controller.selection = bob }
        form.$text.bindBothWays(to: controller.$selection.$firstName, nilAs: "")
        form.text = "typed"
        #expect(bob.firstName == "typed" && form.text == "typed")
    }

    @Test("both ways: in one coalescing a side that was set to what it was does not take the other's edit back")
    func unchangedSide() {
        let other = EditForm()
        other.$count.bindBothWays(to: form.$count)
        coalescingChanges { (other.count, form.count) = (other.count, 9) }
        #expect(other.count == 9 && form.count == 9)
        coalescingChanges { (form.count, other.count) = (form.count, 8) }
        #expect(other.count == 8 && form.count == 8)
        coalescingChanges {
            other.count = 1
            other.count = 8
            form.count = 7
        }
        #expect(other.count == 7 && form.count == 7)
    }

    private final class Item: TrackedObject {
        @Observed var name: String
        @Observed var note: String?
        init(_ name: String) { self.name = name }
    }

    private final class List: TrackedObject {
        @Observed var items: [Item] = []
        @Derived({ (list: List) -> Item? in list.items.first }) var current: Item?
    }

    @Test("both ways behind a derived value: another object is read, also if its value is equal", arguments: 0..<3)
    func derivedHead(form: Int) {
        let (list, first, second) = (List(), Item("a"), Item("a"))
        let (text, note) = (EditForm(), EditForm())
        text.$text.bindBothWays(to: list.$current.$name, nilAs: "-")
        note.$text.bindBothWays(to: list.$current.$note, nilAs: "-")
        note.text = "for nobody"
        list.items = [first, second]
        #expect(text.text == "a" && note.text == "-" && first.note == nil)
        func change() {
            text.text = "typed"
            list.$items.remove(at: 0)
        }
        switch form {
        case 0: coalescingChanges(change)
        case 1: list.$items.withMutation(change)
        default: change()
        }
        #expect(text.text == "a" && second.name == "a")
        expectEqual(first.name, form == 0 ? "a" : "typed")
        text.text = "more"
        #expect(second.name == "more" && second.note == nil)
        text.$text.unbind()
        note.$text.unbind()
        expectEqual(list.observations().count, 0)
        expectEqual(text.observations().count, 0)
    }

    @Test("both ways: it ends for the reason of a one-way binding", arguments: [false, true]) func ended(isSource: Bool)
    {
        var (left, right): (EditForm?, EditForm?) = (EditForm(), EditForm())
        var reasons: [KeyValueObservation.EndReason] = []
        left!.$text.bindBothWays(to: right!.$text).onEnd { reasons.append($0) }
        if isSource { right = nil } else { left = nil }
        expectEqual(reasons, [isSource ? .targetDeinitialized : .observerDeinitialized])
        withExtendedLifetime((left, right)) {}
    }

    @Test("showing nil writes nothing, an edit does") func optional() {
        controller.selection = ann
        form.$text.bindBothWays(to: controller.$selection.$nickname, nilAs: "")
        #expect(form.text == "" && ann.nickname == nil)
        form.text = "A"
        expectEqual(ann.nickname, "A")
        controller.selection = bob
        #expect(form.text == "" && bob.nickname == nil)
    }

    @Test("both ways with a transform and its inverse; what it rounds is not written back") func transforms() {
        let other = EditForm()
        ann.age = 37
        controller.selection = ann
        form.$count.bindBothWays(
            to: controller.$selection.$age, transform: { ($0 ?? 0) / 10 }, inverse: { $0 * 10 })
        #expect(form.count == 3 && ann.age == 37)
        form.count = 4
        expectEqual(ann.age, 40)
        other.$text.bindBothWays(to: ann.$firstName)
        expectEqual(other.text, "Ann")
        other.text = "Eve"
        expectEqual(ann.firstName, "Eve")
        other.$count.bindBothWays(to: ann.$age, transform: { -$0 }, inverse: { -$0 })
        ann.age = 5
        expectEqual(other.count, -5)
        other.count = -6
        expectEqual(ann.age, 6)
    }

    @Test("several properties show and set one, beside its own binding; its unbinding ends all of them")
    func several() {
        let (forms, source) = ((0..<3).map { _ in EditForm() }, EditForm())
        controller.selection = ann
        ann.$firstName.bind(to: source.$text)
        forms[0].$text.bindBothWays(to: ann.$firstName)
        source.text = "bound"
        #expect(ann.firstName == "bound" && forms[0].text == "bound")
        forms[1].$text.bindBothWays(to: ann.$firstName)
        forms[2].$text.bindBothWays(to: controller.$selection.$firstName, nilAs: "")
        for (index, form) in forms.enumerated() {
            form.text = "\(index)"
            #expect(forms.allSatisfy { $0.text == "\(index)" } && ann.firstName == "\(index)")
        }
        controller.selection = nil
        expectEqual(forms.map(\.text), ["2", "2", ""])
        #expect(ann.$firstName.unbind() && !ann.$firstName.unbind())
        ann.firstName = "alone"
        expectEqual(forms.map(\.text), ["2", "2", ""])
        controller.selection = ann
        expectEqual(forms.map(\.text), ["2", "2", "alone"])
        #expect(forms[2].$text.unbind() && !controller.$selection.$firstName.unbind())
    }

    @Test(
        "a property that is bound both ways is shown by others, whichever binding was made first",
        arguments: [false, true])
    func chain(isLastFirst: Bool) {
        let forms = (0..<4).map { _ in EditForm() }
        let places = isLastFirst ? Array((0..<3).reversed()) : Array(0..<3)
        for place in places { forms[place + 1].$text.bindBothWays(to: forms[place].$text) }
        for (index, form) in forms.enumerated() {
            form.text = "\(index)"
            #expect(forms.allSatisfy { $0.text == "\(index)" })
        }
    }

    @Test("a correction goes back, and both directions end together") func endings() {
        controller.selection = ann
        form.$text.observe { [unowned form] _ in if form.text.count > 2 { form.text = String(form.text.prefix(2)) } }
        let observation = form.$text.bindBothWays(to: controller.$selection.$firstName, nilAs: "")
        #expect(form.text == "An" && ann.firstName == "An")
        ann.firstName = "Berta"
        #expect(form.text == "Be" && ann.firstName == "Be")
        #expect(form.$text.unbind())
        #expect(!observation.isValid && controller.observations().filter { $0.observer === controller }.isEmpty)
        form.text = "C"
        ann.firstName = "D"
        #expect(form.text == "C" && ann.firstName == "D")
    }

    @Test("it keeps neither side") func lifetime() {
        let tracker = LifetimeTracker()
        var short: EditForm? = tracker.track(EditForm())
        short!.$text.bindBothWays(to: controller.$selection.$firstName, nilAs: "")
        controller.$selection.$lastName.bind(to: short!.$text)
        short = nil
        tracker.expectNoLeaks()
        #expect(controller.observations().isEmpty)
    }

    @Test("an edit is for the object that has come with an equal value, of which nobody was notified", arguments: 0..<3)
    func equalObjects(form: Int) {
        final class Item: TrackedObject {
            @Observed var text = "same"
        }
        final class List: TrackedObject {
            @Observed var items = [Item()]
            @Observed var plain: Item? = Item()
            @Observed var shown = ""
            @Derived({ (list: List) -> Item? in list.items.last }) var newest: Item?
        }
        let (list, view) = (List(), List())
        if form == 0 {
            view.$shown.bindBothWays(to: list.$plain.$text, nilAs: "", options: .distinct)
            list.plain = Item()
        } else {
            view.$shown.bindBothWays(to: list.$newest.$text, nilAs: "")
            if form == 1 { list.items.append(Item()) } else { coalescingChanges { list.items.append(Item()) } }
        }
        let end = form == 0 ? list.plain! : list.items[1]
        view.shown = "edited"
        expectEqual(end.text, "edited")
        view.shown = "again"
        expectEqual([end.text, list.items[0].text], ["again", "same"])
        end.text = "other"
        expectEqual(view.shown, "other")
    }

    @Test("an edit is for the object that has come where there was none, with a value that is shown as nothing")
    func firstObject() {
        final class Item: TrackedObject {
            @Observed var note: String?
        }
        final class List: TrackedObject {
            @Observed var items: [Item] = []
            @Observed var shown = ""
            @Derived({ (list: List) -> Item? in list.items.last }) var newest: Item?
        }
        let (list, view) = (List(), List())
        view.$shown.bindBothWays(to: list.$newest.$note, nilAs: "-")
        view.shown = "for nobody"
        list.items.append(Item())
        view.shown = "edited"
        expectEqual(list.items[0].note, "edited")
        list.items = []
        expectEqual(view.shown, "-")
    }

    @Test("an edit is not written into an object with an equal value that comes in the same coalesced change")
    func coalesced() {
        final class Item: TrackedObject {
            @Observed var name = "same"
        }
        final class List: TrackedObject {
            @Observed var selection: Item? = Item()
            @Observed var shown = ""
            @Derived({ (list: List) -> Item? in list.selection }) var current: Item?
        }
        for isDerived in [false, true] {
            let (list, view) = (List(), List())
            if isDerived {
                view.$shown.bindBothWays(to: list.$current.$name, nilAs: "")
            } else {
                view.$shown.bindBothWays(to: list.$selection.$name, nilAs: "")
            }
            let (former, next) = (list.selection!, Item())
            coalescingChanges {
                view.shown = "typed"
                list.selection = next
            }
            expectEqual(former.name, "same")
            if !isDerived { expectEqual([view.shown, next.name], ["same", "same"]) }
            expectEqual(view.shown, next.name)
            view.shown = "edited"
            expectEqual(next.name, "edited")
        }
    }
}
