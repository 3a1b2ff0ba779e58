import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Gauge: TrackedObject {
    @Observed var v = 0
    @Observed var opaque = Opaque(0)
    @Observed var real = 0.0
    @Observed var action: () -> Void = {}
    @Observed var point = Point(x: 0)

    override class var schema: Schema {
        Schema(Gauge.self, extending: super.schema) {
            Key("v", \.v)
            Key("opaque", \.opaque)
            Key("real", \.real)
        }
    }
}

private final class Head: TrackedObject { @Observed var gauge: Gauge? }

/// Has no `==`.
private struct Opaque {
    let number: Int
    init(_ number: Int) { self.number = number }
}

private struct Point: Equatable { let x: Double }

/// Bindings whose source is corrected.
struct BindingCorrectionTests {
    private let a = Gauge()
    private let b = Gauge()

    @Test("two handlers that correct the source leave both sides equal", arguments: [false, true])
    func corrected(byName: Bool) throws {
        if byName { try b.bind("v", to: "v", of: a) } else { b.$v.bind(to: a.$v) }
        b.$v.observe { [unowned a] _ in if a.v > 10 { a.v = 8 } }
        b.$v.observe { [unowned a] _ in if a.v > 5 { a.v = 3 } }
        a.v = 20
        #expect(a.v == 3 && b.v == 3)
        a.$v.observe { [unowned b] _ in if b.v == 7 { b.v = 1 } }
        a.v = 7
        #expect(a.v == 3 && b.v == 3)
    }

    @Test("a value that cannot be compared follows a correction, too", arguments: [false, true])
    func uncomparable(byName: Bool) throws {
        if byName { try b.bind("opaque", to: "opaque", of: a) } else { b.$opaque.bind(to: a.$opaque) }
        b.$opaque.observe { [unowned a] _ in if a.opaque.number > 100 { a.opaque = Opaque(100) } }
        a.opaque = Opaque(500)
        #expect(a.opaque.number == 100 && b.opaque.number == 100)
    }

    @Test("what is bound both ways, to a function or to a path ends on the corrected value, too", arguments: 0..<4)
    func otherForms(form: Int) {
        let (head, c) = (Head(), Gauge())
        head.gauge = a
        switch form {
        case 0: b.$v.bindBothWays(to: a.$v)
        case 1: b.$v.bind { [a] in a.v }
        case 2: b.$v.bind(to: head.$gauge.$v) { $0 ?? -1 }
        default: b.$v.bindBothWays(to: head.$gauge.$v, nilAs: -1)
        }
        c.$v.bind(to: b.$v)
        b.$v.observe { [unowned a] _ in if a.v > 10 { a.v = 8 } }
        c.$v.observe { [unowned a] _ in if a.v > 5 { a.v = 3 } }
        a.v = 20
        #expect(a.v == 3 && b.v == 3 && c.v == 3)
        // Bound both ways, b would hold 4 back in the block, and set a to it again at its end, and so for ever.
        if form == 1 || form == 2 {
            a.$v.observe { [unowned a] _ in if a.v == 4 { coalescingChanges { (a.v, a.v) = (5, 2) } } }
            a.v = 4
            #expect(a.v == 2 && b.v == 2 && c.v == 2)
        }
        coalescingChanges { (a.v, a.v) = (4, 30) }
        #expect(a.v == 3 && b.v == 3 && c.v == 3)
        if form == 2 || form == 3 {
            let other = Gauge()
            other.v = 40
            b.$v.observe { _ in if head.gauge?.v == 40 { head.gauge!.v = 1 } }
            head.gauge = other
            #expect(other.v == 1 && b.v == 1 && c.v == 1)
        }
    }

    /// Its setters correct what they are given.
    private final class Limited: TrackedObject {
        @Observed var stored = 1
        var limit: Int {
            get { stored }
            set { stored = min(newValue, 10) }
        }
        var text: String {
            get { "\(stored)" }
            set { stored = Int(newValue) ?? stored }
        }
        override class var schema: Schema {
            Schema(Limited.self, extending: super.schema) {
                Key("limit", \.limit)
                Key("text", \.text)
            }
        }
    }
    private final class Form: TrackedObject {
        @Observed var number = 0
        @Observed var text = ""
        @Observed var limited: Limited?
    }

    @Test(
        "both sides are equal also if the source's setter makes of a value what was there before",
        arguments: [false, true])
    func setter(isCoalesced: Bool) throws {
        let form = Form()
        form.limited = Limited()
        form.$number.bindBothWays(to: try form.path("limited.limit", as: Int.self), nilAs: 0)
        form.$text.bindBothWays(to: try form.path("limited.text", as: String.self), nilAs: "")
        func edit(_ edit: () -> Void) { if isCoalesced { coalescingChanges(edit) } else { edit() } }
        for _ in 1...2 {
            edit { form.number = 50 }
            #expect(form.number == 10 && form.limited!.limit == 10 && form.text == "10")
        }
        for text in ["07", "7", "x", "007"] {
            edit { form.text = text }
            #expect(form.number == 7 && form.limited!.limit == 7 && form.text == "7")
        }
    }

    @Test("a handler that edits the source's collection leaves both sides equal, also with a transform")
    func collections() {
        let (one, two, three) = (Crate(), Crate(), Crate())
        two.$items.bind(to: one.$items)
        three.$items.bind(to: two.$items) { $0.reversed() }
        two.$items.observe { _ in if one.items.count > 3 { one.$items.removeFirst() } }
        three.$items.observe { _ in if !one.items.isEmpty, one.items != one.items.sorted() { one.$items.sort() } }
        for item in [5, 3, 9, 1, 7, 2] {
            one.$items.append(item)
            #expect(one.items.count <= 3 && two.items == one.items && three.items == one.items.reversed())
            expectEqual(one.items, one.items.sorted())
        }
    }

    @Test("a handler may count a source down that is bound both ways or by a function", arguments: [false, true])
    func countDownOtherwise(bothWays: Bool) {
        // Each change is made inside of the one before, which takes stack.
        onAnotherThread {
            if bothWays { b.$v.bindBothWays(to: a.$v) } else { b.$v.bind { [a] in a.v } }
            b.$v.observe { [unowned a] _ in if a.v > 0 { a.v -= 1 } }
            let told = messages { a.v = 100 }
            #expect(a.v == 0 && b.v == 0 && told.isEmpty)
        }
    }

    @Test("so does a number that does not equal itself") func notANumber() {
        b.$real.bind(to: a.$real)
        b.$real.observe { [a] _ in if a.real.isNaN { a.real = 1 } else if a.real == 5 { a.real = .nan } }
        a.real = .nan
        #expect(a.real == 1 && b.real == 1)
        a.real = 5
        #expect(a.real == 1 && b.real == 1)
    }

    @Test("mutual bindings of values that cannot be compared, or are functions, stop") func mutual() {
        b.$opaque.bind(to: a.$opaque)
        a.$opaque.bind(to: b.$opaque)
        b.$action.bind(to: a.$action)
        a.$action.bind(to: b.$action)
        var calls = 0
        let told = messages {
            a.opaque = Opaque(4)
            b.opaque = Opaque(5)
            a.action = { calls += 1 }
            b.action()
        }
        #expect(a.opaque.number == 5 && b.opaque.number == 5 && calls == 1 && told.isEmpty)
    }

    @Test("bound both ways, they stop too, and a number that does not equal itself inside of a value", arguments: 0..<2)
    func bothWays(side: Int) {
        let c = Gauge()
        b.$opaque.bindBothWays(to: a.$opaque)
        c.$opaque.bindBothWays(to: b.$opaque)
        b.$action.bindBothWays(to: a.$action)
        b.$point.bindBothWays(to: a.$point)
        let edited = side == 0 ? a : b
        var calls = 0
        edited.opaque = Opaque(4)
        edited.action = { calls += 1 }
        edited.point = Point(x: .nan)
        (side == 0 ? b : a).action()
        #expect(a.opaque.number == 4 && b.opaque.number == 4 && c.opaque.number == 4 && calls == 1)
        #expect(a.point.x.isNaN && b.point.x.isNaN)
    }

    @Test("a handler may count the source down, however far", arguments: [false, true]) func countDown(byName: Bool)
        throws
    {
        let c = Gauge()
        if byName {
            try b.bind("v", to: "v", of: a)
            try c.bind("v", to: "v", of: b)
        } else {
            b.$v.bind(to: a.$v)
            c.$v.bind(to: b.$v)
        }
        var values: [Int] = []
        c.$v.observe { [unowned a, unowned c] _ in
            values.append(c.v)
            if a.v > 0 { a.v -= 1 }
        }
        a.v = 1000
        #expect(a.v == 0 && b.v == 0 && c.v == 0)
        expectEqual(values.count, 1001)
    }

    @Test("an edit that the inverse makes nothing of is taken back, and a handler of that sets the other side")
    func takenBack() {
        let (field, level) = (Field(), Level())
        field.$text.bindBothWays(
            to: level.$number, transform: { "\($0)" }, inverse: { Int($0.filter(\.isNumber)) ?? 0 })
        level.number = 6
        #expect(field.text == "6")
        field.text = "6x"
        #expect(field.text == "6" && level.number == 6)
        let once = field.$text.observe { [unowned field, unowned level] _ in
            if field.text == "6" { level.number = 8 }
        }
        field.text = "6x"
        #expect(field.text == "8" && level.number == 8)
        once.remove()
        field.text = "9"
        #expect(field.text == "9" && level.number == 9)
    }
}

private final class Field: TrackedObject { @Observed var text = "" }

private final class Level: TrackedObject { @Observed(.distinct) var number = 0 }
