import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Item: Model {}

private final class List: Model {
    @Observed var current: Item?
    @Observed var title = "X"
    @Observed var number = 7
    override class var schema: Schema { Schema(List.self, extending: super.schema) { Key("number", \.number) } }
}

private final class Card: Model {
    @ObservedReadOnly private(set) var title = ""
    @ObservedWeak var selected: Item?

    func follow(_ list: List) { editable(\._title).bindBothWays(to: list.$title) }
    func edit(_ title: String) { self.title = title }
}

private class Scale: Model {
    @Observed var level = 1
    override class var schema: Schema { Schema(Scale.self, extending: super.schema) { Key("level", \.level) } }
}
private final class Doubled: Scale {
    override var level: Int {
        get { super.level * 2 }
        set { super.level = newValue / 2 }
    }
    override class var schema: Schema { Schema(Doubled.self, extending: super.schema) { Key("level", \.level) } }
}
private final class Owner: Model {
    @Observed var scale: Scale = Doubled()
    override class var schema: Schema { Schema(Owner.self, extending: super.schema) { Key("scale", \.scale) } }
}

/// Bindings in both ways of properties that are not plain ones.
struct BothWaysKindsTests {
    let tracker = LifetimeTracker()

    @Test("a property of which only its class may set the value follows, and is followed") func readOnly() {
        let (list, card) = (List(), Card())
        card.follow(list)
        #expect((list.title, card.title) == ("X", "X"))
        list.title = "Y"
        expectEqual(card.title, "Y")
        card.edit("Z")
        expectEqual(list.title, "Z")
    }

    @Test("so do weak ones, and the binding does not keep what they refer to") func weak() {
        let (list, card, other) = (List(), Card(), Card())
        list.current = tracker.track(Item())
        card.$selected.bindBothWays(to: list.$current)
        other.$selected.bindBothWays(to: card.$selected)
        #expect(card.selected === list.current && other.selected === list.current && card.selected != nil)
        var calls = 0
        other.$selected.observe { _ in calls += 1 }
        list.current = nil
        tracker.expectNoLeaks()
        #expect(card.selected == nil && other.selected == nil && calls > 0)
        let item = tracker.track(Item())
        other.selected = item
        #expect(list.current === item && card.selected === item)
    }

    @Test("one that a subclass overrides is read as it is written: in its storage") func overridden() {
        let (scale, list) = (Doubled(), List())
        scale.$level.bindBothWays(to: list.$number)
        #expect((list.number, scale.$level.value) == (7, 7))
        list.number = 10
        #expect((list.number, scale.$level.value) == (10, 10))
        scale.$level.value = 4
        expectEqual(list.number, 4)
    }

    @Test("so is one at the end of a path", .needs(.blankObject)) func overriddenAtTheEnd() {
        let (owner, list) = (Owner(), List())
        owner.$scale.$level.bind(to: list.$number)
        for number in [4, 8, 16] {
            list.number = number
            expectEqual(owner.scale.$level.value, number)
        }
    }

    private final class Person: Model { @Observed var name = "Ann" }
    private final class Controller: Model {
        @Observed var selection: Person?
        @Observed var scores = [1]
    }
    private final class Label: Model {
        @Observed var title = ""
        @Observed var best = 0
        override class var schema: Schema {
            Schema(Label.self, extending: super.schema) {
                Key("title", \.title)
                Key("best", \.best)
            }
        }
    }

    @Test("a source that leads nowhere any more while the property is set is reported, and does not trap")
    func goneInside()
        throws
    {
        let (controller, label) = (Controller(), Label())
        controller.selection = Person()
        try label.bind("title", to: "selection.name", of: controller)
        try label.bind("best", to: "scores.@max", of: controller)
        label.$title.observe { [unowned label, unowned controller] _ in
            if label.title.isEmpty { controller.selection = nil }
        }
        label.$best.observe { [unowned label, unowned controller] _ in if label.best == 9 { controller.scores = [] } }
        let reports = MessageLog()
        Diagnostics.withHandler({ reports.add($0) }) {
            controller.selection!.name = ""
            controller.scores = [9]
        }
        #expect((label.title, label.best) == ("", 9))
        #expect(
            reports.messages.count == 2 && reports.messages.allSatisfy { $0.contains("A binding cannot set Label.") })
    }

    @Test("a source that a subclass overrides is set through what reads it, so an edit stays") func overriddenSource() {
        let (scale, list) = (Doubled(), List())
        list.$number.bindBothWays(to: scale.$level)
        expectEqual(list.number, 2)
        for number in [10, 2, 8] {
            list.number = number
            #expect((list.number, scale.level) == (number, number))
        }
        scale.level = 6
        expectEqual(list.number, 6)
    }

    @Test("an edit is not written back when a handler that comes before has ended the binding")
    func endedBeforeWritingBack() {
        let (source, shown) = (List(), List())
        source.$number.observe { [unowned source, unowned shown] _ in if source.number == 1 { shown.number = 5 } }
        shown.$number.bindBothWays(to: source.$number)
        source.$number.observe { [unowned source, unowned shown] _ in if source.number == 1 { shown.$number.unbind() } }
        source.number = 1
        expectEqual(source.number, 1)
    }

    @Test(
        "a computed property is set no more by a binding that what it sets has ended", arguments: ["full", "own.full"])
    func computedTarget(path: String) throws {
        final class Named: Model {
            @Observed var first = 0
            @ObservedWeak var own: Named?
            var full: Int {
                get { first }
                set { first = newValue }
            }
            override class var schema: Schema {
                Schema(Named.self, extending: super.schema) {
                    Key("full", \.full, affectedBy: "first")
                    Key("own", \.own)
                }
            }
        }
        let (source, named) = (List(), Named())
        named.own = named
        try named.bind(path, to: "number", of: source)
        named.$first.observe { [unowned named, unowned source] _ in if named.first == 5 { source.number = 3 } }
        named.$first.observe { [unowned named] _ in if named.first == 5 { named.unbind(path) } }
        named.first = 5
        #expect((named.first, source.number) == (5, 3))
    }

    @Test("nor is one that a subclass overrides") func overriddenTarget() throws {
        final class Twofold: Scale {
            @Observed var first = 0
            override var level: Int {
                get { super.level }
                set {
                    first = newValue
                    super.level = newValue
                }
            }
        }
        let (source, scale) = (List(), Twofold())
        try scale.bind("level", to: "number", of: source)
        scale.$first.observe { [unowned scale, unowned source] _ in if scale.first == 5 { source.number = 3 } }
        scale.$first.observe { [unowned scale] _ in if scale.first == 5 { scale.unbind("level") } }
        scale.first = 5
        #expect((scale.first, source.number) == (5, 3))
    }

    @Test("nor is the end of a path", .needs(.blankObject), arguments: [false, true]) func pathTarget(byName: Bool)
        throws
    {
        let (source, owner) = (List(), Owner())
        owner.scale = Scale()
        if byName {
            try owner.bind("scale.level", to: "number", of: source)
        } else {
            owner.$scale.$level.bind(to: source.$number)
        }
        let scale = owner.scale
        scale.$level.observe { [unowned scale, unowned source] _ in if scale.level == 5 { source.number = 3 } }
        scale.$level.observe { [unowned scale, unowned owner] _ in
            guard scale.level == 5 else { return }
            if byName { owner.unbind("scale.level") } else { owner.$scale.$level.unbind() }
        }
        scale.level = 5
        #expect((scale.level, source.number) == (5, 3))
    }

    @Test("observers of the source that came later find a computed property set", arguments: ["full", "level"])
    func laterObservers(key: String) throws {
        final class Named: Scale {
            var full: Int {
                get { level }
                set { level = newValue }
            }
            override var level: Int {
                get { super.level }
                set { super.level = newValue }
            }
            override class var schema: Schema {
                Schema(Named.self, extending: super.schema) { Key("full", \.full, affectedBy: "level") }
            }
        }
        let (source, named) = (List(), Named())
        try named.bind(key, to: "number", of: source)
        var found: [Int] = []
        for _ in 0..<3 { source.$number.observe { [unowned named] _ in found.append(named.level) } }
        source.number = 3
        expectEqual(found, [3, 3, 3])
    }
}
