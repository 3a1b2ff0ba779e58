import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Dial: Model {
    @Observed var v = 0
}

/// Properties that are bound to each other in rings whose bindings contradict each other.
@Suite(.timeLimit(.minutes(1))) struct BindingRingTests {
    private let dials = (0..<4).map { _ in Dial() }

    /// Makes the bindings, of which only the last one can contradict the others, and sets one of the properties. Each does that is not
    /// possible once, and is reported once.
    private func expectOneReportEach(_ bind: [() -> Void]) {
        for bind in bind.dropLast() { expectEqual(messages(during: bind), []) }
        for operation in [bind.last!, { dials[0].v = 500 }] {
            let told = messages(during: operation)
            #expect(told.count == 1 && told[0].contains("Dial.v is bound in a circle"), "\(told)")
        }
    }

    @Test("a ring of bindings both ways that contradict each other is left, with one report", arguments: 2...4)
    func bothWays(count: Int) {
        expectOneReportEach(
            (0..<count).map { number in
                {
                    let (own, source) = (dials[number], dials[(number + 1) % count])
                    let step = number == count - 1 ? 1 : 0
                    own.$v.bindBothWays(to: source.$v, transform: { $0 + step }, inverse: { $0 - step })
                }
            })
    }

    @Test("a binding both ways and one that adds something are left, with one report") func mixed() {
        expectOneReportEach([
            { dials[0].$v.bindBothWays(to: dials[1].$v) }, { dials[1].$v.bind(to: dials[0].$v) { $0 + 1 } },
        ])
    }

    @Test("rings that have bindings in common are left, with one report") func severalRings() {
        expectOneReportEach([
            { dials[0].$v.bindBothWays(to: dials[1].$v) }, { dials[2].$v.bindBothWays(to: dials[1].$v) },
            { dials[3].$v.bindBothWays(to: dials[2].$v) },
            { dials[1].$v.bindBothWays(to: dials[3].$v, transform: { $0 - 1 }, inverse: { $0 + 1 }) },
        ])
    }

    @Test("when the binding that contradicts has ended, the others follow each other again") func mended() {
        dials[0].$v.bindBothWays(to: dials[1].$v)
        let told = messages {
            dials[1].$v.bindBothWays(to: dials[0].$v, transform: { $0 + 1 }, inverse: { $0 - 1 }).remove()
        }
        expectEqual(told.count, 1)
        for (number, dial) in dials.prefix(2).enumerated() {
            dial.v = 7 + number
            #expect(dials[0].v == dial.v && dials[1].v == dial.v)
        }
    }
}
