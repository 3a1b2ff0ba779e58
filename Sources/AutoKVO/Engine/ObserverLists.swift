import Synchronization

/// The observer lists of an object's properties, as one block of memory: room for the list that is made first, which is
/// the only one for most objects, and then the address of each slot's list, zero until the slot is first observed.
///
/// A list is made under the record's lock and found without it: it stays where it is as long as the record.
struct ObserverLists {
    private let addresses: UnsafeMutablePointer<Atomic<UInt>>

    init(count: Int) {
        let block = UnsafeMutableRawPointer.allocate(
            byteCount: Self.roomSize + count * MemoryLayout<Atomic<UInt>>.stride, alignment: MemoryLayout<ObserverList>.alignment)
        addresses = (block + Self.roomSize).bindMemory(to: Atomic<UInt>.self, capacity: count)
        for slot in 0..<count { (addresses + slot).initialize(to: Atomic(0)) }
    }

    /// Frees the lists, which are empty.
    func free(count: Int) {
        for slot in 0..<count {
            guard let list = self[slot] else { continue }
            list.deinitialize(count: 1)
            if list != room { list.deallocate() }
        }
        UnsafeMutableRawPointer(room).deallocate()
    }

    @inline(__always)
    subscript(slot: Int) -> UnsafeMutablePointer<ObserverList>? {
        UnsafeMutablePointer(bitPattern: addresses[slot].load(ordering: .acquiring))
    }

    /// Makes the list of a slot that has none.
    func make(_ slot: Int, count: Int) -> UnsafeMutablePointer<ObserverList> {
        let isRoomTaken = (0..<count).contains { self[$0] == room }
        let list = isRoomTaken ? .allocate(capacity: 1) : room
        list.initialize(to: ObserverList())
        addresses[slot].store(UInt(bitPattern: list), ordering: .releasing)
        return list
    }

    private static var roomSize: Int { MemoryLayout<ObserverList>.stride }

    private var room: UnsafeMutablePointer<ObserverList> {
        (UnsafeMutableRawPointer(addresses) - Self.roomSize).assumingMemoryBound(to: ObserverList.self)
    }
}
