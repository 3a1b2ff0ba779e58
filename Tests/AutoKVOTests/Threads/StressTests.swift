import AutoKVO
import AutoKVOTestSupport
import Testing

/// Many threads that use shared objects as far as the rules allow: each property is written by one thread at a time, and
/// everything else may be done by any thread.
struct StressTests {
    let tracker = LifetimeTracker()

    /// A counter for each of eight threads, and a key derived from all.
    final class Board: Model {
        @Observed var a = 0
        @Observed var b = 0
        @Observed var c = 0
        @Observed var d = 0
        @Observed var e = 0
        @Observed var f = 0
        @Observed var g = 0
        @Observed var h = 0
        @Observed var leaf: Leaf?

        var any: Int { 0 }

        nonisolated(unsafe) static let properties: [ReferenceWritableKeyPath<Board, Int>] = [
            \.a, \.b, \.c, \.d, \.e, \.f, \.g, \.h,
        ]
        static let names = ["a", "b", "c", "d", "e", "f", "g", "h"]

        override class var schema: Schema {
            Schema(Board.self, extending: super.schema) {
                Key("a", \.a)
                Key("b", \.b)
                Key("c", \.c)
                Key("d", \.d)
                Key("e", \.e)
                Key("f", \.f)
                Key("g", \.g)
                Key("h", \.h)
                Key("leaf", \.leaf)
                Key("any", \.any, affectedBy: "a", "b", "c", "d", "e", "f", "g", "h")
            }
        }
    }

    final class Leaf: Model {
        @Observed var value = 0

        override class var schema: Schema {
            Schema(Leaf.self, extending: super.schema) { Key("value", \.value) }
        }
    }

    // MARK: Every change exactly once

    @Test(arguments: [(4, 250), (8, 20_000)])
    func everySetOfAPlainKeyIsToldOnce(threads: Int, sets: Int) throws {
        let sets = sets == 250 ? sets : load(sets)
        let board = Board()
        let calls = Counter()
        for name in Board.names { try board.observe(name, options: .new) { _ in calls.add() } }
        concurrently(threads) { number in
            for value in 1...sets { board[keyPath: Board.properties[number]] = value }
        }
        expectEqual(calls.count, threads * sets)
    }

    @Test(arguments: [(4, 250), (8, 20_000)], [ObservingOptions](arrayLiteral: [], .prior))
    func everySetOfABaseIsToldOnceToTheDerivedKey(_ size: (Int, Int), options: ObservingOptions) throws {
        let (threads, sets) = (size.0, size.1 == 250 ? 250 : load(size.1))
        let board = Board()
        let calls = Counter()
        try board.observe("any", options: options) { calls.add($0.isPrior ? 0 : 1) }
        concurrently(threads) { number in
            for value in 1...sets { board[keyPath: Board.properties[number]] = value }
        }
        expectEqual(calls.count, threads * sets)
    }

    @Test(arguments: [(4, 250), (8, 20_000)])
    func everySetOfALeafIsToldOnceToItsPath(threads: Int, sets: Int) throws {
        let sets = sets == 250 ? sets : load(sets)
        let calls = Counter()
        let boards = (0..<threads).map { _ in Board() }
        for board in boards {
            board.leaf = Leaf()
            try board.observe("leaf.value", options: [.old, .new]) { _ in calls.add() }
        }
        concurrently(threads) { number in
            let leaf = boards[number].leaf!
            for value in 1...sets { leaf.value = value }
        }
        expectEqual(calls.count, threads * sets)
    }

    private final class Wrapped: Model {
        @Observed var list = [1]
        @ObservedReadOnly var fixed = 1
        @ObservedWeak var other: Model?
        @Derived({ (object: Wrapped) in object.list.count }) var count: Int
    }

    /// Nobody reads or writes the properties that the threads observe by their handles.
    @Test func threadsMayMakeTheHandlesOfOneObject() {
        let object = Wrapped()
        concurrently(2) { _ in
            for _ in 0..<load(2_000) {
                for observation in [
                    object.$list.observe { _ in }, object.$fixed.observe { _ in }, object.$other.observe { _ in },
                    object.$count.observe { _ in },
                ] {
                    observation.remove()
                }
            }
        }
        expectEqual(object.observations().count, 0)
    }

    /// Who edits asks whether anybody observes, and may get another answer when it is asked again.
    @Test func editsWhileAnotherThreadRegistersAndRemoves() {
        let wrapped = Wrapped()
        let isOver = Counter()
        concurrently(2) { number in
            if number == 1 {
                while isOver.count == 0 { wrapped.$list.observe { _ in }.remove() }
                return
            }
            for value in 0..<load(4_000) {
                wrapped.$list.edit { $0 = [value] }
                wrapped.$list.update(to: [value, value])
            }
            isOver.add()
        }
        expectEqual(wrapped.list.count, 2)
    }

    // MARK: Locks

    /// Two objects whose handlers set each other, from two threads: were a lock held in a handler, they would wait for ever.
    @Test(arguments: [ObservingOptions](arrayLiteral: [], .prior))
    func handlersThatSetEachOthersTargetsDoNotDeadlock(options: ObservingOptions) throws {
        let boards = [Board(), Board()]
        defer { for board in boards { board.removeAllObservers() } }
        let calls = Counter()
        for (index, board) in boards.enumerated() {
            try board.observe(Board.names[index], options: options) { change in
                calls.add()
                // Thread 0 writes a of the one and c of the other; thread 1 b and d.
                boards[1 - index][keyPath: Board.properties[2 + index]] += 1
            }
            try board.observe(Board.names[3 - index], options: options) { _ in calls.add() }
        }
        let sets = load(4_000)
        concurrently(2) { number in
            for _ in 0..<sets { boards[number][keyPath: Board.properties[number]] += 1 }
        }
        expectEqual(calls.count, (options == .prior ? 2 * 3 : 2) * 2 * sets)
    }

    /// A handler that never returns (a program's event loop, say) while others register and end on the same target.
    @Test func handlerThatNeverReturnsHoldsNothingBack() throws {
        let board = Board()
        let (isIn, out) = (Door(), Door())
        try board.observe("a") { _ in
            isIn.open()
            out.wait()
        }
        // A few more, which the parked delivery has in its hands.
        let others = try (0..<40).map { _ in try board.observe("a") { [token = tracker.token()] _ in token.touch() } }
        let parked = Thread { board.a = 1 }
        isIn.wait()
        for other in others { other.remove() }
        #expect(tracker.liveCount <= 16)
        let calls = Counter()
        for round in 0..<load(8_000) {
            let observer = tracker.track(Person())
            try board.addObserver(observer, forKeyPath: "a") { [token = tracker.token()] (_: Person, _) in
                token.touch()
                calls.add()
            }
            if round % 100 == 0 { board.observations().last!.remove() }
        }
        #expect(tracker.liveCount <= 16)
        expectEqual(board.observations().count, 1)
        out.open()
        parked.join()
        expectEqual(calls.count, 0)
        expectEqual(tracker.liveCount, 0)
    }
}
