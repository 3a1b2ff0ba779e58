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
