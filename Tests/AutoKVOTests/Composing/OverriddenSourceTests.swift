import AutoKVO
import AutoKVOTestSupport
import Testing

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

private final class Label: Model {
    @Observed var number = -1
    @Observed var maybe: Int? = -1
    @Observed var text = ""
    @Observed var source: Scale?

    override class var schema: Schema { Schema(Label.self, extending: super.schema) { Key("number", \.number) } }
}

/// Bindings to a property whose getter a subclass overrides.
struct OverriddenSourceTests {
    @Test("each form begins with what the property reads, and goes on with it") func begins() throws {
        let (scale, labels) = (Doubled(), (0..<9).map { _ in Label() })
        labels[0].$number.bind(to: scale.$level)
        labels[1].$maybe.bind(to: scale.$level)
        labels[2].$text.bind(to: scale.$level) { "\($0)" }
        labels[3].$number.bind(to: \.$level, of: scale)
        labels[4].source = scale
        labels[4].$maybe.bind(to: labels[4].$source.$level)
        labels[5].$number.bindBothWays(to: scale.$level)
        try labels[6].bind("number", to: "level", of: scale)
        labels[7].$number.bind(to: \.level, of: scale)
        labels[8].$number.bind { scale.level }
        func shown() -> [String] {
            labels.map { label in
                label.number != -1 ? "\(label.number)" : label.text.isEmpty ? "\(label.maybe!)" : label.text
            }
        }
        expectEqual(shown(), Array(repeating: "2", count: 9))
        scale.level = 10
        expectEqual(shown(), Array(repeating: "10", count: 9))
    }

    @Test("a binding by handle computes its first value once, and replaces the former one before it sets the property")
    func computesOnce() {
        let (scale, label, other) = (Scale(), Label(), Scale())
        var computed = 0
        label.$number.bind(to: other.$level)
        var seen: [Int] = []
        label.$number.observe { [unowned label, unowned other] _ in
            other.level += 100
            seen.append(label.number)
        }
        label.$number.bind(to: scale.$level) { value in
            computed += 1
            return value * 7
        }
        #expect(computed == 1 && seen == [7] && label.number == 7)
        computed = 0
        label.$number.bind {
            computed += 1
            return scale.level * 9
        }
        #expect(computed == 1 && seen == [7, 9] && label.number == 9)
        #expect(label.$number.unbind() && !label.$number.unbind())
    }
}
