import AutoKVO
import AutoKVOTestSupport
import Testing

/// Two properties, and handlers that end or turn what is under way.
private final class Dial: TrackedObject {
    @Observed var v = 0
    @Observed var w = 0
    @Derived({ (dial: Dial) in dial.v + dial.w }) var sum: Int

    override class var schema: Schema {
        Schema(Dial.self, extending: super.schema) { Key("v", \.v) }
    }
}

@Suite("A binding, in the handlers of what it sets") struct BindingEndTests {
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

    @Test("nothing is left when the suite is over") func nothingIsLeft() async {
        await #expect(processExitsWith: .success) { await expectNothingLeft(by: "BindingEndTests") }
    }
}

@Suite("Several calls for one change, the first of which ends them") struct EndedCallsTests {
    private final class Box: TrackedObject {
        @Observed var v = 0
        @Observed var kids: [Dial] = []
        @Observed var tags: Set<Int> = []
    }

    @Test("elements") func elements() {
        let box = Box()
        var (calls, observation) = (0, nil as KeyValueObservation?)
        observation = box.$kids.observeElements(added: { _ in
            calls += 1
            observation?.remove()
        })
        box.kids = [Dial(), Dial(), Dial()]
        #expect(calls == 1)
        observation = box.$tags.observeElements(added: { [unowned box] tag in
            calls += 1
            // What is left is called before this is stored.
            if tag > 0, box.tags.count > 1 { box.tags = [] }
            observation?.remove()
        })
        box.tags = [1, 2, 3]
        #expect(calls > 1 && box.tags == [])
    }

    @Test("elements, of which an observation that is made once gets all") func once() {
        let box = Box()
        var calls = 0
        box.$kids.observeElements(options: .once, added: { _ in calls += 1 })
        box.kids = [Dial(), Dial()]
        box.kids = []
        box.kids = [Dial()]
        #expect(calls == 2)
    }

    @Test("several handlers of one observation") func handlers() throws {
        let box = Box()
        var (calls, observation) = ([Int](), nil as KeyValueObservation?)
        observation = try box.observe([
            "v": { _ in
                calls.append(1)
                observation?.remove()
            }, "v": { _ in calls.append(2) },
        ])
        box.v = 1
        #expect(calls == [1])
    }

    @Test("a trace") func traces() {
        let dial = Dial()
        dial.$sum.observe { _ in }
        var (told, trace) = ([String](), nil as ScopedObservation?)
        trace = Diagnostics.trace(dial) { change in
            told.append(change.key)
            trace?.remove()
        }
        dial.v = 1
        #expect(told == ["v"])
        var second: ScopedObservation?
        told = []
        trace = Diagnostics.trace(dial) { _ in second?.remove() }
        second = Diagnostics.trace(dial) { told.append($0.key) }
        dial.v = 2
        dial.v = 3
        #expect(told.count <= 1)
        trace?.remove()
    }

    @Test("nothing is left when the suite is over") func nothingIsLeft() async {
        await #expect(processExitsWith: .success) { await expectNothingLeft(by: "EndedCallsTests") }
    }
}
