import AutoKVOTestSupport
import Testing

@testable import AutoKVO

private class Plain {}
private final class ByNumber: Plain, Equatable {
    let number: Int
    init(_ number: Int) { self.number = number }
    static func == (a: ByNumber, b: ByNumber) -> Bool { a.number == b.number }
}
private struct Opaque { let number: Int }

/// Equality of values.
struct EqualityTests {
    @Test("by == of the type, also in and out of optionals") func equatable() {
        #expect(areEqual(1, 1) && !areEqual(1, 2) && !areEqual(1, "1") && !areEqual(1, 1.0))
        #expect(areEqual(Int?.some(1) as Any, 1) && areEqual(Int??.some(1) as Any, Int?.some(1) as Any))
        #expect(areEqual(ByNumber(1), ByNumber(1)) && !areEqual(ByNumber(1), ByNumber(2)))
        #expect(areEqual([1, 2], [1, 2]) && !areEqual([1], [2]))
        #expect(
            areEqual(Double.nan, Double.nan) && areEqual(Float.nan as Float? as Any, Float.nan)
                && !areEqual(Float.nan, 1))
    }

    @Test("nil is equal to every empty optional") func nothing() {
        #expect(areEqual(Int?.none as Any, String?.none as Any) && areEqual(Int??.some(nil) as Any, Int?.none as Any))
        #expect(!areEqual(Int?.none as Any, 0))
    }

    @Test("objects without == by identity, other values without == never") func identity() {
        let object = Plain()
        #expect(areEqual(object, object) && !areEqual(object, Plain()))
        #expect(areEqual(Plain?.some(object) as Any, object))
        #expect(!areEqual(Opaque(number: 1), Opaque(number: 1)))
    }

    @Test("the equality of a known type is the same") func typed() {
        #expect(AnyEquality.of(Int.self)(1, 1) && !AnyEquality.of(Int.self)(1, 2))
        #expect(AnyEquality.of(Int?.self)(nil, nil) && !AnyEquality.of(Int?.self)(nil, 1))
        let object = Plain()
        #expect(AnyEquality.of(Plain.self)(object, object) && !AnyEquality.of(Plain.self)(object, Plain()))
        #expect(AnyEquality.of(Any.self)(1, 1) && !AnyEquality.of(Any.self)(1, "1"))
    }

    @Test("copies of values without == are the same, others are not, also if they differ in a function only")
    func content() {
        struct Command {
            var title: String
            var run: () -> Void
        }
        struct Padded {
            var isOn: Bool
            var text: String
        }
        struct Shade: CustomReflectable {
            var level: Int
            var customMirror: Mirror { Mirror(self, children: ["kind": "shade"]) }
        }
        let command = Command(title: "Save", run: {})
        var copy = command
        #expect(isSameContent(command, copy) && isSameContent([command, command], [command, command]) == false)
        let level = Int.random(in: 1...2)
        copy.run = { print(level) }
        #expect(!isSameContent(command, copy))
        let padded = Padded(isOn: true, text: "a text that is longer than a small one")
        #expect(isSameContent(padded, Padded(isOn: true, text: padded.text)))
        #expect(!isSameContent(padded, Padded(isOn: false, text: padded.text)))
        struct Outer { var inner: Padded }
        #expect(isSameContent(Outer(inner: padded), Outer(inner: Padded(isOn: true, text: padded.text))))
        #expect(!isSameContent(Outer(inner: padded), Outer(inner: Padded(isOn: true, text: "another one"))))
        struct Style {
            var size: (Bool, String)
            var extra: Padded?
        }
        let style = Style(size: (true, padded.text), extra: padded)
        var other = Style(size: (true, padded.text), extra: Padded(isOn: true, text: padded.text))
        #expect(isSameContent(style, other))
        other.size.0 = false
        #expect(!isSameContent(style, other))
        (other.size.0, other.extra) = (true, nil)
        #expect(!isSameContent(style, other))
        enum Mark {
            case none
            case padded(Padded)
            case other(Padded)
        }
        #expect(isSameContent(Mark.padded(padded), Mark.padded(Padded(isOn: true, text: padded.text))))
        #expect(
            !isSameContent(Mark.padded(padded), Mark.other(padded)) && !isSameContent(Mark.padded(padded), Mark.none))
        indirect enum Chain {
            case end
            case node(Int, Chain)
        }
        func chain(_ count: Int) -> Chain { (0..<count).reduce(Chain.end) { .node($1, $0) } }
        #expect(isSameContent(chain(100), chain(100)) && !isSameContent(chain(100), chain(99)))
        let (long, shared) = (chain(5_000), (0..<30).reduce(padded as Any) { ($1, $0, $0) })
        #expect(isSameContent(long, long) && !isSameContent(long, chain(5_000)))
        #expect(!isSameContent(shared, (0..<30).reduce(padded as Any) { ($1, $0, $0) }))
        #expect(isSameContent(Shade(level: 5), Shade(level: 5)) && !isSameContent(Shade(level: 5), Shade(level: 1)))
        #expect(isSameContent(Int?.none as Any, String?.none as Any) && !isSameContent(1, "1"))
    }
}
