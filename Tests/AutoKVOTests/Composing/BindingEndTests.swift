import AutoKVO
import AutoKVOTestSupport
import Testing

/// Two properties, and handlers that end or turn what is under way.
private final class Dial: TrackedObject {
    @Observed var v = 0

    override class var schema: Schema {
        Schema(Dial.self, extending: super.schema) { Key("v", \.v) }
    }
}

/// A binding, in the handlers of what it sets.
struct BindingEndTests {
    private let source = Dial()
    private let shown = Dial()

    /// Binds `shown` to `source` in each of the forms.
    private func bind(_ form: Int) throws {
        switch form {
        case 0: shown.$v.bind(to: source.$v)
        case 1: try shown.bind("v", to: "v", of: source)
        case 2: shown.$v.bind { [unowned source] in source.v }
        case 3: shown.$v.bind(to: source.$v) { $0 }
        case 4: shown.$v.bind(to: \.v, of: source)
        default: shown.$v.bindBothWays(to: source.$v)
        }
    }

    @Test("a binding that the former one makes when it ends is replaced, too", arguments: 0..<6)
    func boundAtTheEnd(form: Int) throws {
        let (first, fallback) = (Dial(), Dial())
        shown.$v.bind(to: first.$v).onEnd { [unowned shown] _ in shown.$v.bind(to: fallback.$v) }
        try bind(form)
        (source.v, fallback.v) = (1, 2)
        // Two of the forms end the former one when the new one is there, which the inner one then replaces.
        expectEqual(shown.v, form == 1 || form == 5 ? 2 : 1)
        (fallback.v, source.v) = (3, 4)
        expectEqual(shown.v, form == 1 || form == 5 ? 3 : 4)
        #expect(shown.$v.unbind() && !shown.$v.unbind())
    }

    @Test("a prior handler that sets the source back leaves both equal", arguments: 0..<6)
    func setBackBefore(form: Int) throws {
        source.v = 1
        try bind(form)
        shown.$v.observe(options: .prior) { [unowned source] change in if change.isPrior, source.v == 2 { source.v = 1 }
        }
        source.v = 2
        #expect((source.v, shown.v) == (1, 1))
    }

    @Test("handlers that set the source there and back leave both equal", arguments: 0..<5)
    func setBack(form: Int) throws {
        try bind(form)
        var (isThere, isBack) = (false, false)
        shown.$v.observe { [unowned source, unowned shown] _ in
            if shown.v == 1, !isThere { (isThere, source.v) = (true, 2) }
        }
        shown.$v.observe { [unowned source, unowned shown] _ in
            if shown.v == 1, !isBack { (isBack, source.v) = (true, 1) }
        }
        shown.v = 1
        #expect((source.v, shown.v) == (1, 1))
    }

    @Test("one that a handler has ended sets nothing any more", arguments: 0..<6)
    func unbound(form: Int) throws {
        try bind(form)
        shown.$v.observe { [unowned source, unowned shown] _ in
            guard shown.v == 2 else { return }
            if form < 5 { source.v = 3 }
            #expect(shown.$v.unbind())
            shown.v = 100
        }
        source.v = 2
        #expect((source.v, shown.v) == (form < 5 ? 3 : 2, 100))
    }

    @Test("one that its own transform has ended or replaced sets nothing any more", arguments: 0..<3, [false, true])
    func endedByTransform(form: Int, isAtOnce: Bool) throws {
        let other = Dial()
        other.v = 77
        var isDue = isAtOnce
        let transform = { [unowned shown] (value: Int) in
            if isDue {
                isDue = false
                if form == 0 { shown.$v.bind(to: other.$v) } else { shown.$v.unbind() }
            }
            return value
        }
        source.v = 1
        switch form {
        case 0: shown.$v.bind(to: source.$v, transform: transform)
        case 1: try shown.bind("v", to: "v", of: source, transform: transform)
        default: shown.$v.bindBothWays(to: source.$v, transform: transform) { $0 }
        }
        isDue = !isAtOnce
        source.v = 2
        source.v = 3
        // A binding by name tries its transform before it is one.
        expectEqual(shown.v, form == 0 ? 77 : !isAtOnce ? 1 : form == 1 ? 3 : 0)
    }

    @Test("the transform of one that a handler has ended is not called any more", arguments: 0..<2)
    func transformOfEnded(form: Int) throws {
        var calls = 0
        if form == 0 {
            shown.$v.bind(to: source.$v) {
                calls += 1
                return $0
            }
        } else {
            shown.$v.bind { [unowned source] in
                calls += 1
                return source.v
            }
        }
        shown.$v.observe { [unowned source, unowned shown] _ in
            source.v = 3
            #expect(shown.$v.unbind())
            calls = 0
        }
        source.v = 2
        #expect((shown.v, calls) == (2, 0))
    }

    @Test("one that a handler has replaced sets nothing any more", arguments: 0..<6)
    func replaced(form: Int) throws {
        let other = Dial()
        other.v = 77
        try bind(form)
        shown.$v.observe { [unowned source, unowned shown] _ in
            guard shown.v == 2 else { return }
            if form < 5 { source.v = 3 }
            shown.$v.bind(to: other.$v)
        }
        source.v = 2
        #expect((source.v, shown.v, other.v) == (form < 5 ? 3 : 2, 77, 77))
    }

    @Test(
        "one that ends while handlers are called before it sets the property sets it no more", arguments: 0..<6,
        [true, false])
    func endedBeforeSetting(form: Int, isReplaced: Bool) throws {
        let other = Dial()
        other.v = 77
        try bind(form)
        shown.$v.observe { [unowned source, unowned shown] _ in if shown.v == 5 { source.v = 3 } }
        var isDone = false
        shown.$v.observe { [unowned shown] _ in
            guard shown.v == 5, !isDone else { return }
            isDone = true
            if isReplaced { shown.$v.bind(to: other.$v) } else { shown.$v.unbind() }
        }
        // A binding in both ways writes the edit back first.
        shown.v = 5
        expectEqual(shown.v, isReplaced ? 77 : 5)
        other.v = 78
        expectEqual(shown.v, isReplaced ? 78 : 5)
    }
}
