/// One step of a change of an array: at a position, elements are taken out, and others put in. It says where and how many, which is what
/// the model of a list view is told.
public struct CollectionSplice: Hashable, Sendable {
    /// Where the step is made, in the array as the steps before it leave it.
    public let position: Int
    /// How many elements are taken out there.
    public let removed: Int
    /// How many elements are then put in there.
    public let inserted: Int
}

/// An element of an array that only changed its place.
public struct CollectionMove: Hashable, Sendable {
    /// Its position before the change.
    public let from: Int
    /// Its position after it.
    public let to: Int
}

extension ChangeRecord {
    /// What the change did to an array, as steps that hold one after the other.
    ///
    ///     for step in change.splices { model.itemsChanged(step.position, step.removed, step.inserted) }
    ///
    /// An array that was set as a whole is one step: all elements left, and others came. Of the call made at the registration it is
    /// one that removes nothing. A change that left an empty array empty gives no step. Nor does one whose old value is not known
    /// any more, since an object has died to which the path goes by a weak reference: `oldValue` is nil; or whose new one is no such value, as
    /// where an `Any` is observed as an array. Read the whole list again then.
    ///
    /// A mistake in code, which traps: a `.setting` without both values (ask for `.old` and `.new`), or of something that is no
    /// collection; an edit of a set, which has no positions.
    ///
    /// - Complexity: O(*r*) for *r* ranges of indexes.
    public var splices: [CollectionSplice] {
        if let indexes {
            let splices = indexes.ranges.map {
                CollectionSplice(
                    position: $0.lowerBound, removed: kind == .insertion ? 0 : $0.count,
                    inserted: kind == .removal ? 0 : $0.count)
            }
            // The positions of a removal are those from before it.
            return kind == .removal ? splices.reversed() : splices
        }
        if kind != .setting { fatalError("\(misfit("a change of a set has no splices: it has no positions"))") }
        if isOldLost || isGone && !isNil { return [] }
        let (removed, inserted) = (isFirst ? 0 : count(of: oldValue, ".old"), isGone ? 0 : count(of: newValue, ".new"))
        return removed + inserted > 0 ? [CollectionSplice(position: 0, removed: removed, inserted: inserted)] : []
    }

    private func count(of value: Value?, _ option: String) -> Int {
        guard let value else {
            fatalError("\(misfit("splices need the option \(option), and the call after the change"))")
        }
        guard let content = unwrapped(value) else { return 0 }
        if let collection = content as? any Collection { return collection.count }
        fatalError("\(misfit("the change has no splices: it is of \(type(of: content)), which is no collection"))")
    }

    /// Which elements of a replacement only moved: sorted, swapped, reversed, or moved to another place.
    ///
    /// An element is one that was there before at another position: the same object, or an equal value. Each of several that are equal
    /// counts once, and one that is where an equal one was has not moved. The moves are in the order of `to`. A change of any other
    /// kind has none.
    ///
    /// A replacement in an array needs `.old` and `.new`; without them it traps.
    ///
    /// - Complexity: O(*n*) for *n* elements that were replaced, if they are objects or `Hashable`.
    public var moves: [CollectionMove] {
        guard kind == .replacement, let indexes else { return [] }
        guard let old = elements(oldValue), let new = elements(newValue) else {
            fatalError("\(misfit("moves need the options .old and .new, and the call after the change"))")
        }
        let (before, after) = ElementIdentity.numbers(old, new)
        let moved = zip(Array(indexes.ranges.joined()), zip(before, after)).filter { $1.0 != $1.1 }
        var places: [Int: [Int]] = [:]
        for (position, (element, _)) in moved.reversed() { places[element, default: []].append(position) }
        return moved.compactMap { position, elements in
            places[elements.1]?.popLast().map { CollectionMove(from: $0, to: position) }
        }
    }

    private func elements(_ value: Value?) -> [Any]? {
        value.flatMap(unwrapped).flatMap { $0 as? any Collection }.map { elements in elements.map { $0 as Any } }
    }

    /// A value that the change must have to be applied.
    private func required<Content>(_ value: Content?, _ option: String) throws(KeyValueError) -> Content {
        if isPrior { throw misfit("a change cannot be applied in a prior call: it is still to be made") }
        if let value { return value }
        if isGone, !isNil { throw misfit("the value after the change is no \(Value.self)") }
        throw misfit("to apply a \(kind) takes the option \(option)")
    }

    /// Of a change of this program what does not fit is a mistake in code.
    fileprivate func trapping(_ body: @autoclosure () throws(KeyValueError) -> Void) {
        do throws(KeyValueError) { try body() } catch { fatalError("\(error)") }
    }

    private func misfit(_ reason: String) -> KeyValueError {
        KeyValueError(.invalidValue(reason), key: keyPath, keyPath: keyPath)
    }

    private var isOfOtherContent: KeyValueError {
        misfit("the change was applied to a collection that is not as the observed one was before it")
    }

    /// Makes a copy the whole value from after the change.
    private func set<Rows>(_ rows: inout Rows, to new: Rows?, or none: @autoclosure () -> Rows) throws(KeyValueError) {
        rows = isNil ? none() : try required(new, ".new")
    }

    fileprivate func apply<Rows>(to rows: inout Rows, _ old: Rows?, _ new: Rows?) throws(KeyValueError)
    where Rows: RandomAccessCollection & RangeReplaceableCollection, Rows.Index == Int {
        if kind == .setting { return try set(&rows, to: new, or: Rows()) }
        var coming = (kind == .removal ? Rows() : try required(new, ".new"))[...]
        if isPrior { _ = try required(old, ".old") }
        let count = rows.count + (kind == .insertion ? coming.count : 0)
        guard let indexes, indexes.ranges.first?.lowerBound ?? 0 >= 0, indexes.ranges.last?.upperBound ?? 0 <= count,
            kind == .removal || coming.count == indexes.ranges.reduce(0, { $0 + $1.count })
        else { throw isOfOtherContent }
        for splice in splices {
            let start = rows.startIndex + splice.position
            rows.replaceSubrange(start..<start + splice.removed, with: coming.prefix(splice.inserted))
            coming = coming.dropFirst(splice.inserted)
        }
    }

    fileprivate func apply<Rows: SetAlgebra>(to rows: inout Rows, _ old: Rows?, _ new: Rows?) throws(KeyValueError) {
        if kind == .setting { return try set(&rows, to: new, or: Rows()) }
        if indexes != nil { throw isOfOtherContent }
        let left = kind == .insertion ? Rows() : try required(old, ".old")
        let came = kind == .removal ? Rows() : try required(new, ".new")
        func rest<Elements: SetAlgebra & Collection>(of rows: Elements) -> Any? {
            guard let left = left as? Elements, left.contains(where: { !left.contains($0) }) else { return nil }
            return Elements(AutoKVO.elements(rows, without: left))
        }
        // What does not equal itself is not found.
        let strange = (rows as? any (SetAlgebra & Collection)).flatMap { rest(of: $0) } as? Rows
        if let strange { rows = strange } else { rows.subtract(left) }
        rows.formUnion(came)
    }

    private func value<Content: ExpressibleByArrayLiteral>(_ value: Any?) throws(KeyValueError) -> Content? {
        guard let value else { return nil }
        guard let content = unwrapped(value) else { return [] }
        if let content = convert(content, to: Content.self) { return content }
        throw misfit("the change was applied to \(Content.self), and its value is \(type(of: value))")
    }
}

extension ChangeRecord where Value: RandomAccessCollection & RangeReplaceableCollection, Value.Index == Int {
    /// Does to a copy what the change did to the array. See `Change.apply(to:)`.
    ///
    /// - Complexity: O(*n* × *r*) for *n* elements and *r* ranges of indexes.
    public func apply(to rows: inout Value) { trapping(try apply(validating: &rows)) }

    /// The same for a record from a file or another program: one that does not fit is no mistake in code.
    ///
    /// - Throws: A `KeyValueError` for a record that lacks what it takes, and for indexes that the copy does not have. Then the copy is
    ///   as it was.
    /// - Complexity: O(*n* × *r*) for *n* elements and *r* ranges of indexes.
    public func apply(validating rows: inout Value) throws(KeyValueError) { try apply(to: &rows, oldValue, newValue) }
}

extension ChangeRecord where Value: SetAlgebra {
    /// Does to a copy what the change did to the set. See `Change.apply(to:)`.
    ///
    /// - Complexity: O(*k*) for *k* elements that left or came.
    public func apply(to rows: inout Value) { trapping(try apply(validating: &rows)) }

    /// The same for a record from a file or another program.
    ///
    /// - Throws: A `KeyValueError` for a record that lacks what it takes, or has indexes. Then the copy is as it was.
    /// - Complexity: O(*k*) for *k* elements that left or came.
    public func apply(validating rows: inout Value) throws(KeyValueError) { try apply(to: &rows, oldValue, newValue) }
}

extension ChangeRecord where Value == Any {
    /// Does to a copy what the change did to the array. See `Change.apply(to:)`.
    ///
    /// - Complexity: O(*n* × *r*) for *n* elements and *r* ranges of indexes.
    public func apply<Element>(to rows: inout [Element]) { trapping(try apply(validating: &rows)) }

    /// Does to a copy what the change did to the set. See `apply(to:)` for arrays.
    ///
    /// - Complexity: O(*k*) for *k* elements that left or came.
    public func apply<Element>(to rows: inout Set<Element>) { trapping(try apply(validating: &rows)) }

    /// The same for a record from a file or another program.
    ///
    /// - Throws: A `KeyValueError` for a record that lacks what it takes, for elements that cannot be converted, and for indexes that the
    ///   copy does not have. Then the copy is as it was.
    /// - Complexity: O(*n* × *r*) for *n* elements and *r* ranges of indexes.
    public func apply<Element>(validating rows: inout [Element]) throws(KeyValueError) {
        try apply(to: &rows, try value(oldValue), try value(newValue))
    }

    /// The same for a set.
    ///
    /// - Throws: A `KeyValueError`, as that for arrays does.
    /// - Complexity: O(*k*) for *k* elements that left or came.
    public func apply<Element>(validating rows: inout Set<Element>) throws(KeyValueError) {
        try apply(to: &rows, try value(oldValue), try value(newValue))
    }
}

extension Change {
    /// What the change did to an array, as steps that hold one after the other. See `ChangeRecord.splices`.
    public var splices: [CollectionSplice] { ChangeRecord(self).splices }

    /// Which elements of a replacement only moved. See `ChangeRecord.moves`.
    public var moves: [CollectionMove] { ChangeRecord(self).moves }
}

extension Change where Value: RandomAccessCollection & RangeReplaceableCollection, Value.Index == Int {
    /// Does to a copy what the change did to the array: by indexes, or as a whole.
    ///
    ///     var rows = list.songs
    ///     list.$songs.observe(options: .new) { change in change.apply(to: &rows) }
    ///
    /// The copy that each change is applied to stays equal to the array. It takes the call after the change, and the
    /// option `.new` for all but removals; without them, or if the copy does not have the change's indexes, it traps with a sentence.
    ///
    /// - Complexity: O(*n* × *r*) for *n* elements and *r* ranges of indexes.
    public func apply(to rows: inout Value) { ChangeRecord(self).apply(to: &rows) }
}

extension Change where Value: SetAlgebra {
    /// Does to a copy what the change did to the set. It takes the options `.old` and `.new` and the call after the change, and traps
    /// with a sentence without what the change needs.
    ///
    /// - Complexity: O(*k*) for *k* elements that left or came.
    public func apply(to rows: inout Value) { ChangeRecord(self).apply(to: &rows) }
}

extension Change where Value == Any {
    /// Does to a copy what the change did to the array. A property that is nil counts as an empty one; elements are converted as in
    /// `observe(_:as:)`, and if they cannot be, it traps; so it does if the property is another collection, such as a `ContiguousArray`.
    ///
    /// - Complexity: O(*n* × *r*) for *n* elements and *r* ranges of indexes.
    public func apply<Element>(to rows: inout [Element]) { ChangeRecord(self).apply(to: &rows) }

    /// Does to a copy what the change did to the set. See `apply(to:)` for arrays.
    ///
    /// - Complexity: O(*k*) for *k* elements that left or came.
    public func apply<Element>(to rows: inout Set<Element>) { ChangeRecord(self).apply(to: &rows) }
}
