import AutoKVO
import AutoKVOTestSupport
import Testing

/// Its functions write, as none should.
private final class Clamp: Model {
    @Observed var a = 0
    @Observed var other = 0
    @Observed var list: [Int] = []
    @Derived({ (c: Clamp) in
        if c.a > 10 { c.a = 10 }
        return c.a
    }) var clamped: Int
    @Derived({ (c: Clamp) in
        if c.list.count > 3 { c.$list.removeFirst(c.list.count - 3) }
        return c.list.count
    }) var trimmed: Int
    @Derived({ (c: Clamp) in
        c.other = c.a
        return c.a
    }) var copied: Int
    @Derived({ (c: Clamp) in
        let former = c.other
        c.other = former + 1
        return former
    }) var running: Int
    @Derived({ (c: Clamp) in c.running + 1 }) var behindRunning: Int
}

/// A derived value whose function writes.
struct WritingFunctionTests {
    /// Its writes are reported, on purpose here.
    private func silently(_ body: () throws -> Void) rethrows { try Diagnostics.withHandler({ _ in }, operation: body) }

    @Test("changes what it reads behind the change that it is computed for") func order() throws {
        try silently {
            let clamp = Clamp()
            let log = Recorder<Int>()
            var (mirror, paths) = (0, [Int]())
            clamp.$a.observe(options: [.old, .new], log.handler())
            clamp.$a.onValue { mirror = $0 }
            try clamp.observe(["a", "other"], options: .new) { paths.append($0.newValue as! Int) }
            clamp.$clamped.observe { _ in }
            clamp.a = 30
            expectEqual(log.take().map { [$0.old, $0.new] }, [[0, 30], [30, 10]])
            #expect(clamp.a == 10 && mirror == 10 && paths == [30, 10])
            coalescingChanges {
                clamp.a = 3
                clamp.a = 40
            }
            expectEqual(log.take().map { [$0.old, $0.new] }, [[10, 40], [40, 10]])
        }
    }

    @Test("edits a list in the order in which that was edited") func edits() {
        silently {
            let clamp = Clamp()
            var copy: [Int] = []
            clamp.$list.observe(options: .new) { $0.apply(to: &copy) }
            clamp.$trimmed.observe { _ in }
            for number in 0..<6 { clamp.$list.append(number) }
            #expect(copy == [3, 4, 5] && clamp.list == copy)
        }
    }

    @Test("is undone with the change that it is computed for") func undo() {
        silently {
            let clamp = Clamp()
            clamp.$clamped.observe { _ in }
            let history = UndoHistory(of: clamp)
            clamp.a = 5
            clamp.a = 30
            #expect(clamp.a == 10 && history.undo() && clamp.a == 5)
        }
    }

    @Test("makes its change behind what coalescingChanges tells at its end") func coalesced() {
        silently {
            let clamp = Clamp()
            let log = Recorder<Int>()
            clamp.$copied.observe { _ in }
            clamp.$other.observe(options: [.old, .new], log.handler())
            coalescingChanges {
                clamp.other = 9
                clamp.a = 5
            }
            expectEqual(log.take().map { [$0.old, $0.new] }, [[0, 9], [9, 5]])
        }
    }

    @Test("of what it reads, each time, stops with a sentence when it is first observed")
    func endless() async {
        let alone = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Clamp().$running.observe(options: [.old, .new]) { _ in }
        }
        expectEqual(missing("Clamp.running writes what it reads", in: alone), [])
        let read = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Clamp().$behindRunning.observe(options: .initial) { _ in }
        }
        expectEqual(missing("Clamp.running writes what it reads", in: read), [])
    }

    @Test("calls nobody at the registration") func registration() {
        silently {
            let clamp = Clamp()
            clamp.a = 20
            var told: [Int?] = []
            clamp.$clamped.observe(options: [.old, .new]) { told += [$0.oldValue, $0.newValue] }
            #expect(told.isEmpty && clamp.clamped == 10)
            clamp.a = 3
            expectEqual(told, [10, 3])
        }
    }
}
