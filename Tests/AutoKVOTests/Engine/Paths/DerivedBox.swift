import AutoKVO
import AutoKVOTestSupport

class DerivedBox: Model {
    @Observed var a = 1
    @Observed var b = 2
    @Observed var inner: DerivedBox?
    @Observed var word = "hello world"
    var reads = 0
    var sum: Int {
        reads += 1
        return a + b
    }
    var twice: Int { sum * 2 }
    var both: Int { sum + twice }
    var isSame: Bool { a == b }
    /// A derived object: the inner box or the box itself.
    var chosen: DerivedBox? { a > 0 ? inner : nil }
    var innerSum: Int { inner?.sum ?? -1 }
    var deepWord: String { inner?.inner?.word ?? "none" }
    var mixed: String { "\(a) \(inner?.word ?? "-")" }

    override class var schema: Schema {
        Schema(DerivedBox.self, extending: super.schema) {
            Key("a", \.a)
            Key("b", \.b)
            Key("inner", \.inner)
            Key("word", \.word)
            Key("sum", \.sum, affectedBy: "a", "b")
            Key("twice", \.twice, affectedBy: "sum")
            Key("both", \.both, affectedBy: "sum", "twice")
            Key("isSame", \.isSame, affectedBy: "a", "b")
            Key("chosen", \.chosen, affectedBy: "a", "inner")
            Key("innerSum", \.innerSum, affectedBy: "inner.sum")
            Key("deepWord", \.deepWord, affectedBy: "inner.inner.word")
            Key("mixed", \.mixed, affectedBy: "a", "inner.word")
        }
    }
}

final class BiggerDerivedBox: DerivedBox {
    @Observed var c = 3
    override var sum: Int { super.sum + c }
    var volume: Int { sum * 10 }
    override class var schema: Schema {
        Schema(BiggerDerivedBox.self, extending: super.schema) {
            Key("c", \.c)
            Key("sum", \.sum, affectedBy: "c")
            Key("volume", \.volume, affectedBy: "sum")
        }
    }
}
