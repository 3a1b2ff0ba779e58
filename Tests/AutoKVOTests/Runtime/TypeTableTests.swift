import AutoKVOTestSupport
import Testing

@testable import AutoKVO

private final class Note: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
}
private struct Nested<Inner> {}

/// Types, each of another metadata, as many as are wanted.
private func types(_ count: Int) -> [Any.Type] {
    func next<Inner>(_ type: Inner.Type) -> Any.Type { Nested<Inner>.self }
    return (1..<count).reduce(into: [Int.self]) { types, _ in types.append(_openExistential(types.last!, do: next)) }
}

/// What is known of types.
struct TypeTableTests {
    @Test("each type has its own object, also when the table has grown several times") func grows() {
        let (table, types) = (TypeTable<Note>(), types(300))
        for (number, type) in types.enumerated() {
            #expect(table[type] == nil)
            expectEqual(table.insert(Note(number), for: type).number, number)
        }
        for (number, type) in types.enumerated() { expectEqual(table[type]?.object.number, number) }
    }

    @Test("the first object of a type stays, and the other one is released") func firstStays() {
        let table = TypeTable<Note>()
        let first = table.insert(Note(1), for: Int.self)
        weak var second: Note?
        do {
            let note = Note(2)
            second = note
            #expect(table.insert(note, for: Int.self) === first)
        }
        #expect(second == nil && table[Int.self]?.object === first)
    }

    @Test("a table that ends releases its objects, also those from before it grew") func ends() {
        weak var first: Note?
        weak var last: Note?
        do {
            let (table, types) = (TypeTable<Note>(), types(200))
            for (number, type) in types.enumerated() { _ = table.insert(Note(number), for: type) }
            (first, last) = (table[types[0]]?.object, table[types[199]]?.object)
            #expect(first?.number == 0 && last?.number == 199)
        }
        #expect(first == nil && last == nil)
    }

    @Test("threads that add and find types at once agree on every object") func threads() {
        let (table, types) = (TypeTable<Note>(), types(200))
        let found = Guarded<[Set<ObjectIdentifier>]>(Array(repeating: [], count: types.count))
        concurrently(4) { thread in
            for index in types.indices {
                let place = (index + thread * 50) % types.count
                let note = table[types[place]]?.object ?? table.insert(Note(place), for: types[place])
                if note.number != place { Issue.record("\(note.number) was found for \(place)") }
                found.withLock { _ = $0[place].insert(ObjectIdentifier(note)) }
            }
        }
        #expect(found.withLock { $0.allSatisfy { $0.count == 1 } })
    }
}
