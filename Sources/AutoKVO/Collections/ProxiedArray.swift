/// An array that a proxy can edit without knowing the type of its elements.
@usableFromInline
protocol ProxiedArray: ExpressibleByArrayLiteral, RandomAccessCollection, RangeReplaceableCollection, MutableCollection
where Index == Int {}

extension Array: ProxiedArray {}
extension ContiguousArray: ProxiedArray {}

extension ProxiedArray {
    /// Makes an edit of the array of a key at some indexes.
    @export(implementation) static func edit(
        _ kind: ChangeKind, with values: [Any] = [], of key: ProxiedKey,
        at plan: (any ProxiedArray) throws(KeyValueError) -> RangeSet<Int>
    ) throws(KeyValueError) {
        let elements = try key.convert(values, to: Element.self)
        try key.editor(of: Self.self).edit(kind, with: elements, at: plan)
    }

    /// Replaces elements of the array of a key by others, as many or not.
    @export(implementation) static func replace(
        with values: [Any], of key: ProxiedKey, at plan: (any ProxiedArray) throws(KeyValueError) -> Range<Int>
    ) throws(KeyValueError) {
        let editor = key.editor(of: Self.self)
        // Before the conversion, so that an index that is wrong is what is complained of.
        _ = try plan(editor.value)
        try editor.replaceInSteps(with: try key.convert(values, to: Element.self), at: plan)
    }

    /// Moves elements of the array of a key.
    @export(implementation) static func arrange(
        of key: ProxiedKey, by plan: (any ProxiedArray) throws(KeyValueError) -> [Int]
    ) throws(KeyValueError) {
        try key.editor(of: Self.self).arrange(by: plan)
    }

    /// The element at an index; nil if there is none.
    @export(implementation) func element(at index: Int) -> Any? { indices.contains(index) ? self[index] : nil }
}
