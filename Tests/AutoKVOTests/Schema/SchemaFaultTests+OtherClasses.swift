import AutoKVO
import AutoKVOTestSupport
import Testing

private class Parent: Model {
    @Observed var own = 0
    override class var schema: Schema { Schema(Parent.self, extending: super.schema) { Key("own", \.own) } }
}

private final class Sibling: Parent {
    override class var schema: Schema { Schema(Sibling.self, extending: super.schema) {} }
}

private final class NamesSibling: Parent {
    override class var schema: Schema { Schema(Sibling.self, extending: super.schema) {} }
}

private final class NamesParent: Parent {
    override class var schema: Schema { Schema(Parent.self, extending: super.schema) {} }
}

private class NamesStranger: Parent {
    override class var schema: Schema { Schema(Person.self, extending: super.schema) {} }
}

private final class InheritsStranger: NamesStranger {}

private class NamesSubclass: Parent {
    override class var schema: Schema { Schema(Below.self, extending: super.schema) {} }
}

private final class Below: NamesSubclass {
    override class var schema: Schema { Schema(Below.self, extending: super.schema) {} }
}

private final class ExtendsNothing: Parent {
    override class var schema: Schema { Schema(ExtendsNothing.self, extending: .empty) {} }
}

private final class ExtendsStranger: Model {
    override class var schema: Schema { Schema(ExtendsStranger.self, extending: Person.schema) {} }
}

private final class DropsSchema: Parent {
    override class var schema: Schema { .empty }
}

private final class HandsOn: Parent {
    override class var schema: Schema { super.schema }
}

private class Board: SchemaProviding {
    var text = ""
    class var schema: Schema { Schema(Panel.self) { Handler("go") { $0.secret += 1 } } }
}

private final class Panel: SchemaProviding {
    var secret = 0
    static var schema: Schema { Schema(Panel.self) { Handler("go") { $0.secret += 1 } } }
}

private final class Heir: PlainPanel {}

extension SchemaFaultTests {
    @Test("a schema that names or extends another class is a fault, and no key is ignored", arguments: 0..<8)
    func otherClass(index: Int) {
        let cases: [(TrackedObject, String, String)] = [
            (NamesSibling(), "NamesSibling", "the schema of Sibling"),
            (NamesParent(), "NamesParent", "the schema of Parent"),
            (NamesStranger(), "NamesStranger", "the schema of Person"),
            (InheritsStranger(), "NamesStranger", "the schema of Person"),
            (NamesSubclass(), "NamesSubclass", "the schema of Below"),
            (ExtendsNothing(), "ExtendsNothing", "extends the schema of no class"),
            (ExtendsStranger(), "ExtendsStranger", "extends the schema of Person"),
            (DropsSchema(), "DropsSchema", "the schema of no class"),
        ]
        let (object, name, text) = cases[index]
        let error = fault { try object.observe("own") { _ in } }
        expectEqual(error?.className, name)
        expectEqual(error?.description.contains(text), true, "\(error.map { "\($0)" } ?? "no error")")
        expectEqual(error?.description.contains("Schema(\(name).self, extending: super.schema)"), true)
    }

    @Test("the class below a schema that names it is refused with it, and one that hands on its superclass's is not")
    func neighbours() throws {
        expectEqual(fault { try Below().observe("own") { _ in } }?.className, "NamesSubclass")
        try HandsOn().observe("own") { _ in }
        try Sibling().observe("own") { _ in }
    }

    @Test("so is the schema of a class that is not tracked") func otherPlainClass() throws {
        let person = Person()
        let error = fault { try person.addObserver(Board(), forKeyPath: "age", handler: "go") }
        expectEqual(error?.className, "Board")
        expectEqual(error?.description.contains("Schema(Board.self)"), true)
        try person.addObserver(Panel(), forKeyPath: "age", handler: "go")
        try person.addObserver(Heir(), forKeyPath: "age", handler: "refresh")
    }
}
