/// A collection whose handle can be edited: random access, by whole numbers, as arrays are.
public typealias EditableCollection = RandomAccessCollection & RangeReplaceableCollection & MutableCollection

extension TrackedObject {
    /// Begins the change that an edit of the collection at a place in this object makes, if anybody wants to know.
    ///
    /// The elements that leave and come are read at the indexes where indexes are given.
    final func beginEdit(
        of place: UnsafeRawPointer, _ kind: ChangeKind, at indexes: RangeSet<Int>?, removed: Any? = nil,
        inserted: Any? = nil
    ) -> WriteTicket {
        let ticket = ticket(forWriteTo: place)
        if ticket.form != .silent, let record {
            Transaction.begin(
                record, Int(ticket.slot),
                CollectionChange(kind, indexes: indexes, removed: removed, inserted: inserted))
        }
        return ticket
    }

    final func endEdit(_ ticket: WriteTicket) {
        if ticket.form != .silent { endWrite(ticket) }
    }
}

extension Property where Value: EditableCollection, Value.Index == Int {
    /// Makes an edit that concerns some positions, and tells of it.
    @inlinable
    func edit<Result, Failure: Error>(
        _ kind: ChangeKind, _ range: Range<Int>, _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if !object.isObserved { return try exclusively(body) }
        return try announce(kind, RangeSet(range), body)
    }

    /// Makes an edit that concerns some indexes of the collection, and tells of it.
    @usableFromInline
    func announce<Result, Failure: Error>(
        _ kind: ChangeKind, _ indexes: RangeSet<Int>, _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let start = startIndex
        // Positions are told, which are the indexes of an array, and not those of a slice.
        let positions =
            start == 0 ? indexes : RangeSet(indexes.ranges.map { $0.lowerBound - start..<$0.upperBound - start })
        let ticket = object.beginEdit(of: place, kind, at: positions)
        defer { object.endEdit(ticket) }
        return try exclusively(body)
    }

    /// Makes an edit by which the elements at some indexes leave. They are released after it, and after the observers
    /// were called: the death of an object is a change to whoever observes a weak reference to it, and what is called
    /// then may read this property.
    @inlinable
    func editReleasing(
        _ kind: ChangeKind, _ indexes: @autoclosure () -> RangeSet<Int>, _ body: (inout Value) -> Void
    ) {
        // A set of indexes is an allocation, which an edit that nobody hears of does not need.
        if !object.isObserved, _isPOD(Value.Element.self) { return exclusively(body) }
        let indexes = indexes()
        let leaving = _isPOD(Value.Element.self) ? [] : Array(value[indexes])
        if object.isObserved { announce(kind, indexes, body) } else { exclusively(body) }
        withExtendedLifetime(leaving) {}
    }

    @inlinable
    func require(element index: Int) {
        if !(index >= startIndex && index < endIndex) { fail(index..<index + 1) }
    }

    @inlinable
    func require(bounds: Range<Int>) {
        if !(bounds.lowerBound >= startIndex && bounds.upperBound <= endIndex) { fail(bounds) }
    }

    @usableFromInline
    func fail(_ bounds: Range<Int>) -> Never {
        let indexes = bounds.count == 1 ? "The index \(bounds.lowerBound) is" : "The indexes \(bounds) are"
        misuse("\(indexes) out of range for \(type(of: object)).\(key), which has \(count) elements.")
    }
}
