/// An array that a proxy can edit without knowing the type of its elements.
@usableFromInline
protocol ProxiedArray: ExpressibleByArrayLiteral, RandomAccessCollection, RangeReplaceableCollection, MutableCollection
where Index == Int {}

extension Array: ProxiedArray {}
extension ContiguousArray: ProxiedArray {}

extension ProxiedArray {
    /// Takes the elements at some indexes out of the array of a key.
    @export(implementation) static func remove(at indexes: RangeSet<Int>, of key: ProxiedKey) throws(KeyValueError) {
        try key.editor(of: Self.self).remove { array throws(KeyValueError) in
            if let bounds = indexes.bounds { _ = try require(bounds, array.count, key) }
            return indexes
        }
    }

    /// Takes the elements out that a condition is true of.
    @export(implementation) static func removeAll(of key: ProxiedKey, where condition: (Any) -> Bool) {
        key.editor(of: Self.self).remove(asking: true) { $0.indices { condition($0) } }
    }

    @export(implementation) static func removeAll(of key: ProxiedKey) {
        key.editor(of: Self.self).remove { RangeSet($0.startIndex..<$0.endIndex) }
    }

    /// Takes an element out of the array of a key. Returns it.
    ///
    /// - Parameter fromEnd: Whether the index counts from the end, where -1 is the last one.
    @export(implementation) static func removeOne(
        of key: ProxiedKey, _ index: Int, fromEnd: Bool
    ) throws(KeyValueError) -> Any {
        var found = 0
        return try key.editor(of: Self.self).edit(.removal) { array throws(KeyValueError) in
            found = fromEnd ? array.count + index : index
            return RangeSet(try requireElement(found, array.count, key))
        } _: {
            $0.remove(at: found)
        }!
    }

    /// Replaces elements of the array of a key by others.
    @export(implementation)
    static func replace(_ bounds: Range<Int>, with values: [Any], of key: ProxiedKey) throws(KeyValueError) {
        let editor = key.editor(of: Self.self)
        // Before the conversion, so that an index that is wrong is what is complained of.
        _ = try require(bounds, editor.value.count, key)
        try editor.replaceInSteps(with: try key.convert(values, to: Element.self)) { array throws(KeyValueError) in
            try require(bounds, array.count, key)
        }
    }

    /// Adds elements at the end of the array of a key.
    @export(implementation) static func append(_ values: [Any], to key: ProxiedKey) throws(KeyValueError) {
        key.editor(of: Self.self).insert(try key.convert(values, to: Element.self)) {
            RangeSet($0.endIndex..<$0.endIndex + values.count)
        }
    }

    /// Inserts elements into the array of a key, at the indexes that they have then.
    @export(implementation)
    static func insert(_ values: [Any], at indexes: RangeSet<Int>, of key: ProxiedKey) throws(KeyValueError) {
        try key.editor(of: Self.self).insert(try key.convert(values, to: Element.self)) { array throws(KeyValueError) in
            try require(indexes, array.count + values.count, of: values, key)
        }
    }

    /// Replaces the elements of the array of a key at some indexes.
    @export(implementation)
    static func replace(at indexes: RangeSet<Int>, with values: [Any], of key: ProxiedKey) throws(KeyValueError) {
        try key.editor(of: Self.self).replace(with: try key.convert(values, to: Element.self)) {
            array throws(KeyValueError) in try require(indexes, array.count, of: values, key)
        }
    }

    /// Checks that there is an index for each value.
    @export(implementation) static func require(
        _ indexes: RangeSet<Int>, _ count: Int, of values: [Any], _ key: ProxiedKey
    ) throws(KeyValueError) -> RangeSet<Int> {
        if let bounds = indexes.bounds { _ = try require(bounds, count, key) }
        let indexCount = indexes.ranges.reduce(0) { $0 + $1.count }
        if indexCount == values.count { return indexes }
        throw key.error(.invalidValue("\(values.count) elements for \(indexCount) indexes"))
    }

    /// Replaces an element of the array of a key by another one.
    @export(implementation)
    static func replace(at index: Int, with value: Any, of key: ProxiedKey) throws(KeyValueError) {
        try replace(try requireElement(index, key.editor(of: Self.self).value.count, key), with: [value], of: key)
    }

    /// Exchanges two elements of the array of a key.
    @export(implementation) static func swap(_ i: Int, _ j: Int, of key: ProxiedKey) throws(KeyValueError) {
        try key.editor(of: Self.self).arrange { array throws(KeyValueError) in
            for index in [i, j] { _ = try requireElement(index, array.count, key) }
            var order = Array(array.indices)
            order.swapAt(i, j)
            return order
        }
    }

    /// Sorts the array of a key.
    @export(implementation) static func sort(_ key: ProxiedKey, by areInIncreasingOrder: (Any, Any) -> Bool) {
        key.editor(of: Self.self).arrange(asking: true) { $0.sortedIndices { areInIncreasingOrder($0, $1) } }
    }

    @export(implementation)
    static func require(_ bounds: Range<Int>, _ count: Int, _ key: ProxiedKey) throws(KeyValueError) -> Range<Int> {
        if bounds.lowerBound < 0 || bounds.lowerBound > count {
            throw key.error(.indexOutOfRange(index: bounds.lowerBound, count: count))
        }
        if bounds.upperBound <= count { return bounds }
        throw key.error(.indexOutOfRange(index: bounds.upperBound - 1, count: count))
    }

    @export(implementation)
    static func requireElement(_ index: Int, _ count: Int, _ key: ProxiedKey) throws(KeyValueError) -> Range<Int> {
        if (0..<count).contains(index) { return index..<index + 1 }
        throw key.error(.indexOutOfRange(index: index, count: count))
    }

    /// The element at an index; nil if there is none.
    @export(implementation) func element(at index: Int) -> Any? { indices.contains(index) ? self[index] : nil }
}
