import AutoKVO
import AutoKVOTestSupport
import Testing

/// Computes a private property of which its subclasses know nothing.
private class Labelled: Model {
    @Observed var number = 1
    @Observed private var unit = 1
    private var label: Int { number }
    private var same: Int { number }
    var note: String { "\(unit)" }
    var long: Int { label * 10 }
    override class var schema: Schema {
        Schema(Labelled.self, extending: super.schema) {
            Key("label", \.label)
            Key("same", \.same)
            Key("long", \.long, affectedBy: "label")
            Key("note", \.note, affectedBy: "unit")
        }
    }
    func watch(_ handler: @escaping (String, Int?) -> Void) {
        observe(\.label, options: .new) { handler("label", $1.newValue) }
        observe(\.same, options: .new) { handler("same", $1.newValue) }
        observe(\.long, options: .new) { handler("long", $1.newValue) }
    }
}

private class Titled: Labelled {
    @Observed var title = "t"
    @Observed var unit = "m"
    var label: String { title }
    var same: Int { title.utf8.count }
    override var note: String { super.note + unit }
    override class var schema: Schema {
        Schema(Titled.self, extending: super.schema) {
            Key("label", \.label)
            Key("same", \.same)
        }
    }
    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "note" ? ["unit"] : super.keyPathsForValuesAffectingValue(forKey: key)
    }
}
private final class LateTitled: Titled {
    override var label: String { "late " + super.label }
}

private class Style: Model {
    @Observed var weight = 1
}
private final class TextStyle: Style {}
private class Shape: Model {
    @Observed var stored: Style = Style()
    @Derived({ (shape: Shape) in shape.stored }) var style: Style
    var plain: Style { stored }
    override class var schema: Schema { Schema(Shape.self, extending: super.schema) { Key("plain", \.plain) } }
}
private final class TextShape: Shape {
    override var style: TextStyle { super.style as! TextStyle }
    override var plain: TextStyle { super.plain as! TextStyle }
    override class var schema: Schema {
        Schema(TextShape.self, extending: super.schema) {
            Key("style", \.style)
            Key("plain", \.plain)
        }
    }
}

private class Priced: Model {
    @Observed var price = 1
    let computed = Computations()
    @Derived({ (priced: Priced) in
        priced.computed.count("twice")
        return priced.price * 2
    }) var twice: Int
    class var kind: String { "base" }
}
private final class Special: Priced {
    override class var kind: String { "special" }
}

/// Keys of computed properties, and keys of a subclass with their names.
struct InheritedNameTests {
    @Test(
        "a computed property that is private in a superclass and one of a subclass are two keys",
        .needs(.classMetadata), arguments: [false, true])
    func computed(isLate: Bool) throws {
        let object = isLate ? LateTitled() : Titled()
        var told: [String] = []
        object.watch { told.append("\($0) \($1.map { "\($0)" } ?? "nil")") }
        try object.observe("label", options: .new) { told.append("own \($0.newValue!)") }
        try object.observe("same", options: .new) { told.append("own \($0.newValue!)") }
        object.number = 2
        expectEqual(told.sorted(), ["label 2", "long 20", "same 2"])
        told = []
        object.title = "new"
        expectEqual(told, [isLate ? "own late new" : "own new", "own 3"])
        expectEqual(try object.value(forKey: "same") as? Int, 3)
    }

    @Test("what a subclass's function for ported code says is about its own properties") func ported() throws {
        let object = Titled()
        var told: [Any] = []
        try object.observe("note", options: .new) { told.append($0.newValue!) }
        object.unit = "km"
        expectEqual(told.map { "\($0)" }, ["1km"])
    }

    @Test(
        "a subclass may override a derived or computed property with one of a narrower type",
        arguments: ["style", "plain"])
    func covariant(key: String) throws {
        let object = TextShape()
        object.stored = TextStyle()
        var told: [Int] = []
        try object.observe(key, options: .new) { told.append(($0.newValue as? TextStyle)?.weight ?? -1) }
        try object.observe(key + ".weight", options: .new) { told.append($0.newValue as! Int) }
        let style = TextStyle()
        style.weight = 5
        object.stored = style
        expectEqual(told, [5, 5])
        style.weight = 6
        expectEqual(told, [5, 5, 6])
        object.$style.observe { _ in }
    }

    @Test("an overridden property of the class itself is no getter of its objects", .needs(.classMetadata))
    func classProperty() throws {
        let object = Special()
        object.$twice.observe { _ in }
        _ = object.computed.take()
        #expect(object.$twice.value == 2 && Special.kind == "special")
        expectEqual(try object.value(forKey: "twice") as? Int, 2)
        expectEqual(object.computed.take(), [:])
    }
}

private class Area: Model {
    var area: Int { 0 }
}
private class Rect: Area {
    @Observed var width = 1
    override var area: Int { width * 10 }
    override class var schema: Schema {
        Schema(Rect.self, extending: super.schema) { Key("area", \.area, affectedBy: "width") }
    }
}
private final class Cuboid: Rect {
    @Observed var depth = 1
    override var area: Int { super.area * depth }
    override class var schema: Schema {
        Schema(Cuboid.self, extending: super.schema) { Key("area", \.area, affectedBy: "depth") }
    }
}

private class Field<Value>: Model {
    @Observed var value: Value
    var shown: Value { value }
    init(_ value: Value) { self.value = value }
    override class var schema: Schema {
        Schema(Field<Value>.self, extending: super.schema) { Key("shown", \.shown, affectedBy: "value") }
    }
}
private final class Percent: Field<Int> {
    @Observed var offset = 0
    override var value: Int {
        get { super.value * 100 }
        set { super.value = newValue / 100 }
    }
    override var shown: Int { super.shown + offset }
    override class var schema: Schema {
        Schema(Percent.self, extending: super.schema) {
            Key("value", \.value)
            Key("shown", \.shown, affectedBy: "offset")
        }
    }
}

private class ReadOnlyField<Value>: Model {
    @Observed private(set) var value: Value
    @Derived({ (field: ReadOnlyField<Value>) in field.value }) var shown: Value
    init(_ value: Value) { self.value = value }
    func put(_ value: Value) { self.value = value }
}
private final class ReadOnlyPercent: ReadOnlyField<Int> {
    @Observed var tax = 5
    override var value: Int { super.value * 100 }
    override var shown: Int { tax }
    override class var schema: Schema {
        Schema(ReadOnlyPercent.self, extending: super.schema) {
            Key("value", \.value)
            Key("shown", \.shown)
        }
    }
}

private class Level: Model {
    var log = 0
    @Observed var size = 1
    @Observed final var level = 1 { didSet { log += 1 } }
    override class var schema: Schema { Schema(Level.self, extending: super.schema) { Key("level", \.level) } }
}
private class OtherLevel: Level {
    override var size: Int {
        get { super.size * 2 }
        set { super.size = newValue }
    }
}

private class Writable: Total {
    @Observed var tax = 1
    var total: Int {
        get { tax }
        set { tax = newValue }
    }
    override class var schema: Schema { Schema(Writable.self, extending: super.schema) { Key("total", \.total) } }
}

private class Song: Model { @Observed var title = "a" }
private class Playing: Model {
    @Observed var song = Song()
    @Observed var number = 1
    @Derived({ (playing: Playing) in "n\(playing.number)" }) private var title: String
}
private class TitledPlayer: Playing {
    override class var schema: Schema {
        Schema(TitledPlayer.self, extending: super.schema) { Key("title", \.song.title) }
    }
}

private class FinalSheet: Model {
    @Observed var number = 1
    @Derived({ (sheet: FinalSheet) in sheet.number }) final var total: Int
    override class var schema: Schema {
        Schema(FinalSheet.self, extending: super.schema) { Key("total", \.total) }
    }
}
private class FinalTaxed: FinalSheet {
    override class var schema: Schema {
        Schema(FinalTaxed.self, extending: super.schema) { Key("total", \.total) }
    }
}

private class Hidden: Model {
    @Observed fileprivate var x = 1
}
private class Shown: Hidden {
    override var x: Int {
        get { super.x * 100 }
        set { super.x = newValue / 100 }
    }
    override class var schema: Schema { Schema(Shown.self, extending: super.schema) { Key("x", \.x) } }
}

private class Person: Model {
    @Observed var birth: Int? = 1
    var age: Int? { birth }
    override class var schema: Schema {
        Schema(Person.self, extending: super.schema) { Key("age", \.age, affectedBy: "birth") }
    }
}
private final class Guest: Person {
    @Observed var offset = 0
    override var age: Int { (super.age ?? 0) + offset }
    override class var schema: Schema {
        Schema(Guest.self, extending: super.schema) { Key("age", \.age, affectedBy: "offset") }
    }
}

private class Total: Model {
    @Observed var number = 1
    var other: Int { number }
    @Derived({ (total: Total) in total.number * 10 }) private var total: Int
    func watch(_ handler: @escaping (Int) -> Void) { $total.observe(options: .new) { handler($0.newValue!) } }
}
private class Plain: Total {
    @Observed var tax = 1
    var total: Int { tax }
    override class var schema: Schema { Schema(Plain.self, extending: super.schema) { Key("total", \.total) } }
}
private final class Overriding: Plain {
    override var other: Int { 0 }
}

private class Listed: Model {
    @Observed var list = [0]
}
private final class Declaring: Listed {
    override var list: [Int] { didSet {} }
    override class var schema: Schema { Schema(Declaring.self, extending: super.schema) { Key("list", \.list) } }
}

private class Twice: Model {
    @Observed var number = 1
    var a: Int { number }
    var b: Int { number }
    override class var schema: Schema { Schema(Twice.self, extending: super.schema) { Key("a", \.a) } }
}
private final class DeclaredTwice: Twice {
    override class var schema: Schema {
        Schema(DeclaredTwice.self, extending: super.schema) {
            Key("a", \.a)
            Key("a", \.b)
        }
    }
}

/// A key that several classes declare, of a property that is overridden in another form.
struct OverriddenNameTests {
    private let told = Recorder<Any>()

    @Test("has the dependencies of a class in the middle, also of a property that is introduced above it") func middle()
        throws
    {
        let box = Cuboid()
        try box.observe("area", options: [.old, .new], told.handler())
        box.width = 2
        box.depth = 3
        expectEqual(told.take().map { [$0.old as? Int, $0.new as? Int] }, [[10, 20], [20, 60]])
    }

    @Test("is read through a getter with other parameters, or for more readers") func parameters() throws {
        let percent = Percent(1)
        try percent.observe("value", options: [.old, .new], told.handler())
        percent.value = 200
        expectEqual(told.take().map { [$0.old as? Int, $0.new as? Int] }, [[100, 200]])
        try percent.observe("shown", options: [.old, .new], told.handler())
        percent.offset = 5
        expectEqual(told.take().map { [$0.old as? Int, $0.new as? Int] }, [[200, 205]])
        let shown = Shown()
        try shown.observe("x", options: [.old, .new], told.handler())
        shown.x = 300
        expectEqual(told.take().map { [$0.old as? Int, $0.new as? Int] }, [[100, 300]])
    }

    @Test("keeps its dependencies where the override is not optional") func optional() throws {
        let guest = Guest()
        try guest.observe("age", options: .new, told.handler())
        guest.birth = 5
        guest.offset = 2
        expectEqual(told.take().map { $0.new as? Int }, [5, 7])
    }

    @Test("is not the private derived one of its name", .needs(.classMetadata), arguments: [false, true])
    func derived(isOverriding: Bool) throws {
        let object = isOverriding ? Overriding() : Plain()
        var own: [Int] = []
        object.watch { own.append($0) }
        try object.observe("total", options: .new, told.handler())
        object.tax = 5
        expectEqual(told.take().map { $0.new as? Int }, [5])
        object.number = 2
        #expect(told.take().isEmpty)
        expectEqual(own, [20])
        expectEqual(try object.value(forKey: "total") as? Int, 5)
    }

    @Test("is meant by a key path that begins above", .needs(.classMetadata)) func above() {
        let object = Declaring()
        var kinds: [ChangeKind] = []
        object.observe(\Listed.list) { kinds.append($1.kind) }
        object.$list.append(3)
        object.list = object.list
        expectEqual(kinds, [.insertion, .setting])
    }

    @Test("cannot be declared twice, with two properties either") func twice() {
        let error = #expect(throws: KeyValueError.self) { try DeclaredTwice.validateSchema() }
        #expect("\(error!)".contains("declared twice"))
    }

    @Test("is read through a getter of a class with parameters that only reads") func readOnly() throws {
        let percent = ReadOnlyPercent(1)
        var derived: [Int] = []
        percent.$shown.observe(options: .new) { derived.append($0.newValue!) }
        #expect(percent.$shown.value == 5)
        try percent.observe("value", options: [.old, .new], told.handler())
        percent.put(2)
        expectEqual(told.take().map { [$0.old as? Int, $0.new as? Int] }, [[100, 200]])
        percent.tax = 6
        expectEqual(derived, [6])
    }

    @Test("of a final property is not overridden: undoing runs no setter", .needs(.classMetadata)) func finalProperty()
    {
        let level = OtherLevel()
        let history = UndoHistory(of: level)
        level.level = 2
        history.undo()
        #expect(level.level == 1 && level.log == 1)
        let taxed = FinalTaxed()
        try! taxed.observe("total") { _ in }
        expectEqual(taxed.$total.removeAllObservers(), 1)
    }

    @Test("is not the private derived one of its name, if it can be set or is a path", .needs(.classMetadata))
    func writable() throws {
        let object = Writable()
        var own: [Int] = []
        object.watch { own.append($0) }
        try object.observe("total", options: .new, told.handler())
        object.tax = 5
        object.number = 2
        expectEqual(told.take().map { $0.new as? Int }, [5])
        expectEqual(own, [20])
        let player = TitledPlayer()
        try player.observe("title", options: .new, told.handler())
        player.song.title = "x"
        player.number = 2
        expectEqual(told.take().map { $0.new as? String }, ["x"])
    }
}
