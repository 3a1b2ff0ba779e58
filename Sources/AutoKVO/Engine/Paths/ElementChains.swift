/// What a path has behind an operator: a chain for each tracked object among the elements of the collection. The lock of the route's root
/// guards it.
///
/// An edit says what it moved, so following one costs what it moved (`follow`). After any other change the collection is read, and
/// compared with what it was (`update`).
struct ElementChains {
    /// By the element's record, which the chain owns; and how often the element is in the collection.
    private var chains: [ObjectIdentifier: (chain: KeyPathChain, count: Int)] = [:]
    /// What is at each position, nil for an element that is no tracked object. Nil if that is not known: elements are collections
    /// themselves, or a set was edited.
    private var positions: [ObjectRecord?]? = []
    /// Number of elements of the collection.
    private var count = 0
    /// Whether the collection was what the property stores when it was read: edits are edits of that.
    private var areStored = false

    var all: [KeyPathChain] { chains.values.map(\.chain) }

    /// The chains of elements that came, which are to be linked, and of those that left, which are to be ended: without the lock.
    typealias Moved = (come: [KeyPathChain], gone: [KeyPathChain])

    /// Makes the chain of an element.
    typealias Make = (ObjectRecord) -> KeyPathChain

    /// Replaces the elements by those of a collection that was read.
    ///
    /// - Complexity: O(*n*), with a comparison of two addresses for each element before and behind those that are others now.
    mutating func update(to new: ElementList, _ make: Make) -> Moved {
        (count, areStored) = (new.count, new.areStored)
        guard let end = positions?.count, new.hasPositions else {
            positions = new.hasPositions ? new.records : nil
            let leaving = chains.values.flatMap { repeatElement(Optional($0.chain.base), count: $0.count) }
            return exchange(leaving, for: new.records, make)
        }
        let (records, shorter) = (new.records, min(end, new.records.count))
        var (same, atEnd) = (0, 0)
        while same < shorter, positions![same] === records[same] { same += 1 }
        while atEnd < shorter - same, positions![end - 1 - atEnd] === records[records.count - 1 - atEnd] { atEnd += 1 }
        let coming = records[same..<records.count - atEnd]
        let leaving = Array(positions![same..<end - atEnd])
        positions!.replaceSubrange(same..<end - atEnd, with: coming)
        return exchange(leaving, for: Array(coming), make)
    }

    /// Follows an edit that has just been made.
    ///
    /// - Parameters:
    ///   - removed: The elements that a set lost.
    ///   - inserted: The elements that a set got, or those at the indexes of the edit now.
    ///   - count: Number of elements of the collection now.
    /// - Returns: Nil, and then nothing has changed, if the edit does not lead from the elements that are known to so many.
    mutating func follow(
        _ edit: CollectionChange, _ removed: ElementList, _ inserted: ElementList, count: Int, _ make: Make
    ) -> Moved? {
        guard areStored else { return nil }
        guard let indexes = edit.indexes else {
            let areKnown = removed.records.allSatisfy { $0.map { chains[ObjectIdentifier($0)] != nil } ?? true }
            guard areKnown, self.count - removed.count + inserted.count == count else { return nil }
            (positions, self.count) = (nil, count)
            return exchange(removed.records, for: inserted.records, make)
        }
        let moving = indexes.ranges.reduce(0) { $0 + $1.count }
        let leavingCount = edit.kind == .insertion ? 0 : moving
        guard let known = positions?.count, inserted.hasPositions,
            inserted.count == (edit.kind == .removal ? 0 : moving), known - leavingCount + inserted.count == count,
            indexes.isSubset(of: RangeSet(0..<max(known, count)))
        else { return nil }
        let leaving = leavingCount == 0 ? [] : indexes.ranges.flatMap { positions![$0] }
        self.count = count
        switch edit.kind {
        case .removal: positions!.remove(at: indexes)
        case .insertion: positions!.insert(inserted.records, at: indexes)
        default: positions!.replace(at: indexes, with: inserted.records)
        }
        return exchange(leaving, for: inserted.records, make)
    }

    /// Counts elements that come, then elements that leave, so that the chain of one that only changes its position stays.
    private mutating func exchange(_ leaving: [ObjectRecord?], for coming: [ObjectRecord?], _ make: Make) -> Moved {
        var moved: Moved = ([], [])
        for case let record? in coming {
            let key = ObjectIdentifier(record)
            if chains[key] == nil {
                let chain = make(record)
                chains[key] = (chain, 0)
                moved.come.append(chain)
            }
            chains[key]!.count += 1
        }
        for case let record? in leaving {
            let key = ObjectIdentifier(record)
            chains[key]!.count -= 1
            if chains[key]!.count == 0 { moved.gone.append(chains.removeValue(forKey: key)!.chain) }
        }
        return moved
    }
}

/// The elements of a collection, as they were read.
struct ElementList {
    /// Number of elements.
    private(set) var count = 0
    /// The records of the tracked objects among them, nil for an element that is none. If an element is a collection, they are those of
    /// all objects at any depth, and `hasPositions` is false.
    private(set) var records: [ObjectRecord?] = []
    private(set) var hasPositions = true
    /// Whether the collection is what its property stores.
    let areStored: Bool

    /// - Parameters:
    ///   - value: The collection; nil for no elements.
    ///   - record: The record of an element; nil if it has none.
    init(of value: Any?, areStored: Bool = false, _ record: (TrackedObject) -> ObjectRecord?) {
        self.areStored = areStored
        guard let collection = value.flatMap(unwrapped) as? any KeyValueCollection else { return }
        count = collection.elementCount
        if let objects = collection.objects(of: TrackedObject.self) {
            records = objects.map(record)
            return
        }
        let elements = collection.elements
        // Before the cast to a class, which with Foundation makes an object of the collection, and of each element.
        hasPositions = !elements.contains { unwrapped($0) is any KeyValueCollection }
        records =
            hasPositions
            ? elements.map { ($0 as? TrackedObject).flatMap(record) } : trackedObjects(in: collection).map(record)
    }
}
