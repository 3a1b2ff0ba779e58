import AutoKVO
import AutoKVOTestSupport
import Testing

/// Not generic: below a generic class, a getter that is in no table counts as an override.
private class Shelf: Model {
    @Observed private var text = "base"
    @Observed private var stock = 1
    var other: String { text }
    func setText(_ text: String) { self.text = text }
}

private class PricedShelf<Item>: Model {
    @Observed var total = 10
    @Observed final var fixed = 1
    var other: String { "" }
}

/// Overrides one getter, and computes properties with the names of private ones.
private class Marked: Shelf {
    @Observed var mark = 1
    override var other: String { "marked " + super.other }
    var text: String { "mark \(mark)" }
    override class var schema: Schema {
        Schema(Marked.self, extending: super.schema) { Key("text", \.text, affectedBy: "mark") }
    }
}
private final class Writable: Shelf {
    @Observed var mark = "1"
    override var other: String { "writable" }
    var text: String {
        get { "mark \(mark)" }
        set { mark = newValue }
    }
    override class var schema: Schema {
        Schema(Writable.self, extending: super.schema) { Key("text", \.text, affectedBy: "mark") }
    }
}
private final class LateMarked: Marked {
    override var text: String { "late " + super.text }
}

private final class Silent: Shelf {
    override var other: String { "silent" }
    var stock: Int { 7 }
    override class var schema: Schema {
        Schema(Silent.self, extending: super.schema) { Key("stock", \.stock, notifiesAutomatically: false) }
    }
}

/// Computes a property that the superclass observes and offers.
private class Taxed: PricedShelf<Bool> {
    @Observed var tax = 1
    override var other: String { "taxed" }
    override var total: Int {
        get { super.total + tax }
        set { super.total = newValue }
    }
    override class var schema: Schema {
        Schema(Taxed.self, extending: super.schema) { Key("total", \.total, affectedBy: "tax") }
    }
}

private final class FinallyTaxed: PricedShelf<Bool> {
    @Observed var tax = 1
    override var total: Int {
        get { super.total + tax }
        set { super.total = newValue }
    }
    override class var schema: Schema {
        Schema(FinallyTaxed.self, extending: super.schema) { Key("total", \.total, affectedBy: "tax") }
    }
}

/// A property whose name a private one of the superclass has, in a class that overrides another getter.
struct SameNameOverrideTests {
    @Test("that computes another one is not told of the private one", .needs(.classMetadata), arguments: [false, true])
    func computed(isLate: Bool) throws {
        let object = isLate ? LateMarked() : Marked()
        let log = Recorder<Any>()
        try object.observe("text", options: [.old, .new], log.handler())
        object.setText("new")
        #expect(log.take().isEmpty)
        object.mark = 2
        let prefix = isLate ? "late " : ""
        expectEqual(
            log.take().map { [$0.old as? String, $0.new as? String] }, [[prefix + "mark 1", prefix + "mark 2"]])
        expectEqual(try object.value(forKey: "text") as? String, prefix + "mark 2")
        #expect(object.other == "marked new")
    }

    @Test("so is one that can be set", .needs(.classMetadata)) func writable() throws {
        let object = Writable()
        let log = Recorder<Any>()
        try object.observe("text", options: [.old, .new], log.handler())
        object.setText("new")
        #expect(log.take().isEmpty)
        try object.setValue("2", forKey: "text")
        expectEqual(log.take().map { [$0.old as? String, $0.new as? String] }, [["mark 1", "mark 2"]])
    }

    @Test("that is announced by hand is a fault at its first use", .needs(.classMetadata)) func silent() {
        let object = Silent()
        let error = #expect(throws: KeyValueError.self) { try object.observe("stock") { _ in } }
        #expect(error.map { "\($0)".contains("give this key another name") } ?? false)
    }

    @Test("that overrides an observed one is told of both, with what the getter says", arguments: [false, true])
    func overriding(isFinal: Bool) throws {
        let (taxed, final) = (Taxed(), FinallyTaxed())
        let object: PricedShelf<Bool> = isFinal ? final : taxed
        func setTax() { (taxed.tax, final.tax) = (3, 3) }
        let log = Recorder<Any>()
        try object.observe("total", options: [.old, .new], log.handler())
        object.total = 20
        setTax()
        expectEqual(log.take().map { [$0.old as? Int, $0.new as? Int] }, [[11, 21], [21, 23]])
        try object.setValue(30, forKey: "total")
        expectEqual(log.take().map { [$0.old as? Int, $0.new as? Int] }, [[23, 33]])
        object.fixed = 5
        #expect(log.take().isEmpty)
    }
}
