import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Field: Model {
    @Observed var text = ""
    override class var schema: Schema { Schema(Field.self, extending: super.schema) { Key("text", \.text) } }
}

private final class Item: Model {
    @Observed var number = 0
    @Observed var note: String?
}

private final class Chooser: Model {
    @Observed var item: Item?
}

/// Properties that are bound both ways, and both set before the changes of either are delivered.
struct BothSidesTests {
    private let field = Field()
    private let other = Field()
    private let item = Item()

    @Test(
        "of both sides set in one coalescingChanges the first one wins, and both end equal", arguments: [false, true])
    func coalesced(isDistinct: Bool) {
        field.$text.bindBothWays(to: other.$text, options: isDistinct ? .distinct : [])
        coalescingChanges {
            field.text = "own"
            other.text = "source"
        }
        #expect(field.text == "own" && other.text == "own")
        coalescingChanges {
            other.text = "source"
            field.text = "own, later"
        }
        #expect(field.text == "source" && other.text == "source")
        // With the last value that it was set to.
        coalescingChanges {
            other.text = "1"
            field.text = "2"
            other.text = "3"
        }
        #expect(field.text == "3" && other.text == "3")
    }

    @Test("a binding that is made while a value is computed reads and writes nothing of it", arguments: 0..<3)
    func madeInside(form: Int) {
        final class Person: Model {
            @Observed var name = "Ann"
            var (form, computations) = (0, 0)
            lazy var field: Field = {
                let field = Field()
                switch form {
                case 0: field.$text.bindBothWays(to: $name)
                case 1: field.$text.bind(to: $name)
                default: try! field.bind("text", to: "name", of: self)
                }
                return field
            }()
            @Derived({ (person: Person) in
                person.computations += 1
                _ = person.field
                return person.computations
            }) var count: Int
            override class var schema: Schema { Schema(Person.self, extending: super.schema) { Key("name", \.name) } }
        }
        let person = Person()
        person.form = form
        let said = messages { person.$count.observe { _ in } }
        expectEqual(said.filter { $0.contains("was written") }, [])
        let before = person.computations
        person.name = "Eve"
        #expect(person.computations == before && person.field.text == "Eve")
    }

    @Test("one that was set to what it had does not win over one that has another value", arguments: [false, true])
    func unchanged(isSourceFirst: Bool) {
        field.$text.bindBothWays(to: other.$text)
        field.text = "same"
        coalescingChanges {
            if isSourceFirst { other.text = "same" }
            field.text = "new"
            if !isSourceFirst { other.text = "same" }
        }
        #expect(field.text == "new" && other.text == "new")
    }

    @Test("with a transform and its inverse the one that was set first wins, too") func transformed() {
        field.$text.bindBothWays(to: item.$number, transform: { "\($0)" }, inverse: { Int($0) ?? 0 })
        coalescingChanges {
            field.text = "1"
            item.number = 2
        }
        #expect(field.text == "1" && item.number == 1)
        coalescingChanges {
            item.number = 3
            field.text = "4"
        }
        #expect(field.text == "3" && item.number == 3)
    }

    @Test("of several that show one property and are set in one, that which was set first wins") func several() {
        let fields = (0..<3).map { _ in Field() }
        for field in fields { field.$text.bindBothWays(to: other.$text) }
        for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
            coalescingChanges { for number in order { fields[number].text = "\(order) \(number)" } }
            expectEqual(fields.map(\.text) + [other.text], Array(repeating: "\(order) \(order[0])", count: 4))
        }
    }

    @Test(
        "an edit wins over the end of a path, which is delivered later, unless the path leads elsewhere",
        .needs(.blankObject))
    func path() {
        let (chooser, next) = (Chooser(), Item())
        (chooser.item, next.note) = (item, "next")
        field.$text.bindBothWays(to: chooser.$item.$note, nilAs: "-")
        coalescingChanges {
            item.note = "source"
            field.text = "own"
        }
        #expect(field.text == "own" && item.note == "own")
        coalescingChanges {
            field.text = "edit"
            item.note = nil
        }
        #expect(field.text == "edit" && item.note == "edit")
        coalescingChanges {
            field.text = "lost"
            chooser.item = next
        }
        #expect(field.text == "next" && next.note == "next" && item.note == "edit")
        coalescingChanges {
            chooser.item = nil
            field.text = "nobody's"
        }
        #expect(field.text == "-" && next.note == "next")
    }

    @Test("an inverse that ends the binding, or selects another object, writes nothing", arguments: [false, true])
    func changedByInverse(isEnded: Bool) {
        let (chooser, second) = (Chooser(), Item())
        chooser.item = item
        field.$text.bindBothWays(
            to: chooser.$item.$number, transform: { "\($0 ?? -1)" },
            inverse: { [unowned field, unowned chooser] in
                if isEnded { field.$text.unbind() } else { chooser.item = second }
                return Int($0)!
            })
        field.text = "5"
        #expect(item.number == 0 && second.number == 0)
        expectEqual(field.text, isEnded ? "5" : "0")
    }

    @Test("with .retainsTarget the source lives as long as the one that shows it, and no longer") func retaining() {
        let tracker = LifetimeTracker()
        do {
            let field = tracker.track(Field())
            field.$text.bindBothWays(to: tracker.track(Field()).$text, options: .retainsTarget)
            field.text = "x"
            expectEqual(tracker.liveCount, 2)
        }
        tracker.expectNoLeaks()
    }
}
