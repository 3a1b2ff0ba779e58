import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Board: Model {
    @Observed var title = ""
    @Observed var n = 0
    @Observed var tags: Set<String> = []
    @Observed var owner: Person?
    @Observed var people: [Person] = []
}

/// What is removed, named in a message, announced and looked up is what was meant.
struct WhatIsMeantTests {
    @Test("what a closure reads has no target, however many observations the observer has", arguments: [0, 40])
    func noTarget(others: Int) {
        let (board, person) = (Board(), Person())
        board.$title.bind { "\(person.age)" }
        let reading = board.observe(reading: { _ in person.age }) { _, _ in }
        board.$n.addObserver(board) { _, _ in }
        for _ in 0..<others { person.$age.addObserver(board) { _, _ in } }
        expectEqual(board.stopObserving(of: board), 1)
        person.age = 5
        #expect(board.title == "5" && reading.isValid)
        expectEqual(board.removeObserver(board, forKeyPath: "n"), 0)
        expectEqual(board.stopObserving(), others + 2)
    }

    @Test("an error for a type names the class that has the key") func className() throws {
        let board = Board()
        func fault(_ body: () throws -> Void) -> (String?, String?) {
            let error = #expect(throws: KeyValueError.self) { try body() }
            return (error?.className, error?.key)
        }
        #expect(fault { try board.observe("owner.age", as: [Int].self) { _ in } } == ("Person", "age"))
        #expect(fault { _ = try board.path("owner.address.city", as: Int.self) } == ("Address", "city"))
        #expect(fault { _ = try board.observeElements("owner.age", as: Int.self) } == ("Person", "age"))
        #expect(fault { try board.observe("n", as: String.self) { _ in } } == ("Board", "n"))
    }

    @Test("which elements an announced mutation of a set moves is decided behind the changes that come first")
    func announcedBehind() {
        let board = Board()
        var (log, isFirst) = ([String](), true)
        board.$tags.observe { [unowned board] _ in
            guard isFirst else { return }
            isFirst = false
            board.willChangeValue(forKey: "tags", withSetMutation: .union, using: ["x"])
            board.tags.formUnion(["x"])
            board.didChangeValue(forKey: "tags", withSetMutation: .union, using: ["x"])
        }
        board.$tags.observe { [unowned board] _ in
            if !board.tags.contains("x") { board.$tags.insert("x") }
        }
        board.$tags.observeElements(added: { log.append($0) }, removed: { log.append("-\($0)") })
        board.$tags.insert("a")
        expectEqual(log, ["a", "x"])
    }
}
