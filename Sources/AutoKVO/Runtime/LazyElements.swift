import Synchronization

/// A fixed number of elements that are made when they are first asked for and stay where they are, as one block of memory: room for
/// the element that is made first, which is the only one of most, and then the address of each element, zero until it is made.
///
/// Elements are made by one thread at a time, and found by any.
struct LazyElements<Element: ~Copyable> {
    private let addresses: UnsafeMutablePointer<Atomic<UInt>>
    private let count: Int

    init(count: Int) {
        self.count = count
        let block = UnsafeMutableRawPointer.allocate(
            byteCount: Self.roomSize + count * MemoryLayout<Atomic<UInt>>.stride,
            alignment: MemoryLayout<Element>.alignment)
        addresses = (block + Self.roomSize).bindMemory(to: Atomic<UInt>.self, capacity: count)
        for index in 0..<count { (addresses + index).initialize(to: Atomic(0)) }
    }

    func deallocate() {
        for index in 0..<count {
            guard let element = self[index] else { continue }
            element.pointer.deinitialize(count: 1)
            if element.pointer != room { element.pointer.deallocate() }
        }
        UnsafeMutableRawPointer(room).deallocate()
    }

    @inline(__always)
    subscript(index: Int) -> InPlace<Element>? {
        InPlace(bitPattern: addresses[index].load(ordering: .acquiring))
    }

    /// Makes an element that is missing.
    func make(_ index: Int, _ value: consuming Element) -> InPlace<Element> {
        let isRoomTaken = (0..<count).contains { self[$0]?.pointer == room }
        let element: UnsafeMutablePointer<Element> = isRoomTaken ? .allocate(capacity: 1) : room
        element.initialize(to: value)
        addresses[index].store(UInt(bitPattern: element), ordering: .releasing)
        return InPlace(element)
    }

    private static var roomSize: Int { MemoryLayout<Element>.stride }

    private var room: UnsafeMutablePointer<Element> {
        (UnsafeMutableRawPointer(addresses) - Self.roomSize).assumingMemoryBound(to: Element.self)
    }
}
