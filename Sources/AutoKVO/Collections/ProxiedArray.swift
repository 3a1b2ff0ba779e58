/// An array that a proxy can edit without knowing the type of its elements.
@usableFromInline
protocol ProxiedArray: ExpressibleByArrayLiteral, RandomAccessCollection, RangeReplaceableCollection, MutableCollection
where Index == Int {}

extension Array: ProxiedArray {}
extension ContiguousArray: ProxiedArray {}

extension ProxiedArray {
    /// Takes elements out of the array of a key.
    @export(implementation) static func remove(at indexes: RangeSet<Int>, of key: ProxiedKey) throws(KeyValueError) {
        let editor = key.editor(of: Self.self)
        if let bounds = indexes.bounds { try require(bounds, editor.value.count, key) }
        editor.remove(at: indexes)
    }

    /// Replaces elements of the array of a key by others.
    @export(implementation)
    static func replace(_ bounds: Range<Int>, with values: [Any], of key: ProxiedKey) throws(KeyValueError) {
        let editor = key.editor(of: Self.self)
        try require(bounds, editor.value.count, key)
        editor.replaceInSteps(bounds, with: try key.convert(values, to: Element.self))
    }

    /// Inserts elements into the array of a key, at the indexes that they have then.
    @export(implementation)
    static func insert(_ values: [Any], at indexes: RangeSet<Int>, of key: ProxiedKey) throws(KeyValueError) {
        let editor = key.editor(of: Self.self)
        try require(indexes, editor.value.count + values.count, of: values, key)
        editor.insert(try key.convert(values, to: Element.self), at: indexes)
    }

    /// Replaces the elements of the array of a key at some indexes.
    @export(implementation)
    static func replace(at indexes: RangeSet<Int>, with values: [Any], of key: ProxiedKey) throws(KeyValueError) {
        let editor = key.editor(of: Self.self)
        try require(indexes, editor.value.count, of: values, key)
        editor.replace(at: indexes, with: try key.convert(values, to: Element.self))
    }

    /// Checks that there is an index for each value.
    @export(implementation) static func require(
        _ indexes: RangeSet<Int>, _ count: Int, of values: [Any], _ key: ProxiedKey
    ) throws(KeyValueError) {
        if let bounds = indexes.bounds { try require(bounds, count, key) }
        let indexCount = indexes.ranges.reduce(0) { $0 + $1.count }
        if indexCount != values.count {
            throw key.error(.invalidValue("\(values.count) elements for \(indexCount) indexes"))
        }
    }

    /// Moves elements of the array of a key: each position gets the element at another one.
    @export(implementation)
    static func arrange(by order: [Int], of key: ProxiedKey) { key.editor(of: Self.self).arrange(by: order) }

    @export(implementation)
    static func require(_ bounds: Range<Int>, _ count: Int, _ key: ProxiedKey) throws(KeyValueError) {
        if bounds.lowerBound < 0 || bounds.lowerBound > count {
            throw key.error(.indexOutOfRange(index: bounds.lowerBound, count: count))
        }
        if bounds.upperBound > count { throw key.error(.indexOutOfRange(index: bounds.upperBound - 1, count: count)) }
    }

    /// The element at an index; nil if there is none.
    @export(implementation) func element(at index: Int) -> Any? { indices.contains(index) ? self[index] : nil }
}
