import AutoKVOTestSupport
import Testing

@testable import AutoKVO

@Suite("Arrays that nearly always have one element") struct TinyArrayTests {
    private final class Item {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    private func array(_ numbers: [Int]) -> TinyArray<Item> {
        var array = TinyArray<Item>()
        for number in numbers { array.append(Item(number)) }
        return array
    }

    private func numbers(_ array: TinyArray<Item>) -> [Int] {
        var numbers: [Int] = []
        array.forEach { numbers.append($0.number) }
        return numbers
    }

    @Test("it has its elements in the order in which they were added", arguments: 0...4) func order(count: Int) {
        let wanted = Array(0..<count)
        #expect(numbers(array(wanted)) == wanted)
        #expect(array(wanted).isEmpty == wanted.isEmpty)
    }

    @Test("it is sorted as an array is, equal elements in their order", arguments: [[], [1], [2, 1], [3, 1, 2, 1]])
    func sorted(wanted: [Int]) {
        #expect(numbers(array(wanted).sorted { $0.number < $1.number }) == wanted.sorted())
    }
}
