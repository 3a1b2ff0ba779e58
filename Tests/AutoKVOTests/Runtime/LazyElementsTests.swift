import AutoKVOTestSupport
import Testing

@testable import AutoKVO

/// Elements that are made when they are needed.
struct LazyElementsTests {
    private struct Element {
        var number: Int
        let token: LifetimeToken
    }

    private let tracker = LifetimeTracker()

    private func element(_ number: Int) -> Element { Element(number: number, token: tracker.token()) }

    /// With room for one element, which is made here and freed here.
    private func withElements(_ body: (borrowing LazyElements<Element>, InPlace<Element>) -> Void) {
        let room = InPlace.allocate(element(-1))
        let elements = LazyElements<Element>()
        body(elements, room)
        elements.deallocate(count: 4)
        room.deallocate()
    }

    @Test("an element is nil until it is made, and the others stay so") func missing() {
        withElements { elements, room in
            for index in 0..<4 { #expect(elements[index, room: room] == nil) }
            elements.make(1, of: 4, room: room, element(7)).value.number = 7
            for index in [0, 2, 3] { #expect(elements[index, room: room] == nil) }
            expectEqual(elements[1, room: room]?.value.number, 7)
        }
    }

    @Test("an element stays at its address while others are made, whichever is the first", arguments: 0..<4)
    func addresses(first: Int) {
        withElements { elements, room in
            var made: [Int: InPlace<Element>] = [:]
            for index in [first, (first + 1) % 4, (first + 2) % 4, (first + 3) % 4] {
                made[index] = elements.make(index, of: 4, room: room, element(index))
                made[index]?.value.number = index
            }
            for index in 0..<4 {
                expectEqual(elements[index, room: room], made[index])
                elements[index, room: room]?.value.number += 10
                expectEqual(elements[index, room: room]?.value.number, 10 + index)
            }
        }
    }

    @Test("only the first element that is made is the owner's, and all are released") func release() {
        withElements { elements, room in
            _ = elements.make(2, of: 4, room: room, element(2))
            expectEqual(tracker.liveCount, 1)
            _ = elements.make(0, of: 4, room: room, element(0))
            expectEqual(tracker.liveCount, 2)
        }
        tracker.expectNoLeaks()
    }
}
