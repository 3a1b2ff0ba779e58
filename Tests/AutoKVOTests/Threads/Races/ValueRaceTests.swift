import AutoKVO
import AutoKVOTestSupport
import Testing

/// Two threads that set what a sum is computed from, each of which its observer hears of.
struct ValueRaceTests {
    private final class Scale: TrackedObject, @unchecked Sendable {
        @Observed var left = 0
        @Observed var right = 0
        /// What another thread does once, when the sum has been read.
        var whenRead: (() -> Void)?
        var sum: Int {
            let sum = left + right
            if let act = whenRead.take() { onAnotherThread(act) }
            return sum
        }

        override class var schema: Schema {
            Schema(Scale.self, extending: super.schema) { Key("sum", \.sum, affectedBy: "left", "right") }
        }
    }

    private final class Panel: TrackedObject, @unchecked Sendable {
        private(set) var shown: [Int?] = []
        /// What another thread does once, when the panel is about to show something.
        var whenShowing: (() -> Void)?

        func show(_ sum: Int?) {
            if let act = whenShowing.take() { onAnotherThread(act) }
            shown.append(sum)
        }
    }

    enum Form: CaseIterable { case plain, observer, elsewhere }

    private func makeObserved(_ form: Form) throws -> (Scale, Panel) {
        let (scale, panel) = (Scale(), Panel())
        let sum = try scale.path("sum", as: Int.self)
        switch form {
        case .plain: sum.onValue { [unowned panel] in panel.show($0) }
        case .observer: sum.onValue(for: panel) { $0.show($1) }
        case .elsewhere: sum.onValue(for: panel, on: InlineScheduler()) { $0.show($1) }
        }
        return (scale, panel)
    }

    ///     left = 1: reads the sum, 1
    ///                                     right = 2: reads the sum, calls the closure with 3
    ///     would call the closure with 1
    @Test("a value that another thread overtakes while it is read is read again", arguments: Form.allCases)
    func whileReading(form: Form) throws {
        let (scale, panel) = try makeObserved(form)
        scale.whenRead = { scale.right = 2 }
        scale.left = 1
        expectEqual(panel.shown, [0, 3, 3])
    }

    ///     left = 1: reads the sum, calls the closure with 1
    ///                                                           right = 2: reads the sum, calls the closure with 3
    ///     the closure shows 1
    @Test("a value that another thread overtakes while it is shown is not the last one", arguments: Form.allCases)
    func whileShowing(form: Form) throws {
        let (scale, panel) = try makeObserved(form)
        panel.whenShowing = { scale.right = 2 }
        scale.left = 1
        // Elsewhere the calls are made one after the other.
        expectEqual(panel.shown, form == .elsewhere ? [0, 1, 3, 3] : [0, 3, 1, 3])
    }

    @Test("what a closure changes itself is no second call", arguments: Form.allCases) func inside(form: Form) throws {
        let (scale, panel) = try makeObserved(form)
        var isFirst = true
        scale.$left.observe { [unowned scale] _ in
            if isFirst { (isFirst, scale.right) = (false, 5) }
        }
        try scale.observe("sum") { [unowned scale] _ in if scale.left < 3 { scale.left += 1 } }
        scale.left = 1
        expectEqual(panel.shown.last!, 8)
        expectEqual(Set(panel.shown).count, panel.shown.count)
    }

    @Test("an observation that is removed meanwhile is called no more") func removed() throws {
        let (scale, panel) = (Scale(), Panel())
        let observation = try scale.path("sum", as: Int.self).onValue(for: panel) { $0.show($1) }
        panel.whenShowing = {
            scale.right = 2
            observation.remove()
        }
        scale.left = 1
        expectEqual(panel.shown, [0, 3, 1])
    }

    @Test("a path that is removed from an observation of several meanwhile is called for no more") func removedPath()
        throws
    {
        let (first, second, panel) = (Scale(), Scale(), Panel())
        let sums = try [first, second].map { try $0.path("sum", as: Int.self) }
        let observation = sums.onValue(for: panel) { $0.show($1) }
        panel.whenShowing = {
            first.right = 2
            panel.stopObserving("sum", of: first)
        }
        first.left = 1
        second.left = 5
        expectEqual(panel.shown, [0, 0, 3, 1, 5])
        #expect(observation.isValid)
    }
}
