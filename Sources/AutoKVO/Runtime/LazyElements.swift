import Synchronization

/// Elements that are made when they are first asked for and stay where they are: the one that is made first, which is the only one
/// of most, in memory of its owner, which the owner says each time; and the others, once there are any, in blocks that a table has the
/// addresses of.
///
/// Elements are made by one thread at a time, and found by any.
struct LazyElements<Element: ~Copyable>: ~Copyable {
    private typealias Table = UnsafeMutablePointer<Atomic<UnsafeMutablePointer<Element>?>>

    private let table = Atomic<Table?>(nil)
    private let first = Atomic(-1)

    /// Frees all elements but the owner's.
    borrowing func deallocate(count: Int) {
        guard let table = table.load(ordering: .acquiring) else { return }
        for index in 0..<count { other(index)?.deallocate() }
        table.deallocate()
    }

    /// - Parameter room: An element that the owner has made and frees.
    @inline(__always)
    subscript(index: Int, room room: InPlace<Element>) -> InPlace<Element>? {
        first.load(ordering: .acquiring) == index ? room : other(index)
    }

    /// Makes an element that is missing; the owner's, if it is the first.
    ///
    /// - Parameter count: How many there can be.
    borrowing func make(
        _ index: Int, of count: Int, room: InPlace<Element>, _ value: @autoclosure () -> Element
    ) -> InPlace<Element> {
        if first.load(ordering: .relaxed) < 0 {
            first.store(index, ordering: .releasing)
            return room
        }
        if table.load(ordering: .relaxed) == nil {
            let made = Table.allocate(capacity: count)
            for index in 0..<count { (made + index).initialize(to: Atomic(nil)) }
            table.store(made, ordering: .releasing)
        }
        let element = InPlace.allocate(value())
        table.load(ordering: .relaxed)![index].store(element.pointer, ordering: .releasing)
        return element
    }

    private borrowing func other(_ index: Int) -> InPlace<Element>? {
        table.load(ordering: .acquiring)?[index].load(ordering: .acquiring).map { InPlace($0) }
    }
}
