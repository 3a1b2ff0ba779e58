import AutoKVOTestSupport
import Testing

@testable import AutoKVO

@Suite("Elements that are made when they are needed") struct LazyElementsTests {
    private struct Element {
        var number: Int
        let token: LifetimeToken
    }

    private let tracker = LifetimeTracker()

    private func element(_ number: Int) -> Element { Element(number: number, token: tracker.token()) }

    @Test("an element is nil until it is made, and the others stay so") func missing() {
        let elements = LazyElements<Element>(count: 3)
        defer { elements.deallocate() }
        #expect((0..<3).allSatisfy { elements[$0] == nil })
        _ = elements.make(1, element(7))
        #expect(elements[0] == nil && elements[2] == nil)
        #expect(elements[1]?.value.number == 7)
    }

    @Test("an element stays at its address while others are made, whichever is the first", arguments: 0..<3)
    func addresses(first: Int) {
        let elements = LazyElements<Element>(count: 3)
        defer { elements.deallocate() }
        var made: [Int: InPlace<Element>] = [:]
        for index in [first, (first + 1) % 3, (first + 2) % 3] { made[index] = elements.make(index, element(index)) }
        for index in 0..<3 {
            #expect(elements[index] == made[index])
            elements[index]?.value.number += 10
            #expect(elements[index]?.value.number == 10 + index)
        }
    }

    @Test("the elements that were made are released with the block") func release() {
        let elements = LazyElements<Element>(count: 4)
        for index in [2, 0] { _ = elements.make(index, element(index)) }
        #expect(tracker.liveCount == 2)
        elements.deallocate()
        tracker.expectNoLeaks()
    }
}
