extension TrackedObject {
    /// Calls a closure for each element that is added to a collection, and one for each that is removed from it.
    ///
    ///     try person.observeElements("friends", as: Person.self, added: { print("+", $0) }, removed: { print("-", $0) })
    ///
    /// For an edit of the collection, the elements are those of the change. When the collection is assigned as a whole,
    /// the two collections are compared: objects by identity, tuples by their parts, other values by `==`, also in optionals; equal
    /// elements by how often each occurs.
    /// For one change `removed` is called first, then `added`, both in the collection's order. For an element that only
    /// moved neither is called. What was in the collection of an object that dies, to which the path leads by a weak reference, is not
    /// known any more: `removed` is not called for it.
    ///
    /// - Parameters:
    ///   - keyPath: A key or path whose value is a collection, or an optional one; nil counts as an empty one.
    ///   - type: What the elements are, or can be converted to.
    ///   - options: `.initial` calls `added` for the current elements. `.once`, `.retainsTarget` and
    ///     `.unregisterManually` are as for any observation; a class that opts out as a whole does not matter here.
    ///   - file: The call site, for `debugDescription`. Leave it at its default.
    ///   - line: The same.
    ///   - added: Called on the thread of the change, after it. It may do whatever a handler may.
    ///   - removed: The same for removed elements.
    /// - Returns: The observation. It need not be kept.
    /// - Throws: A `KeyValueError` for a path that the class does not have, that has no collection at its end, or whose
    ///   elements can never be of the type.
    /// - Complexity: For each edit, O(*n*) for the *n* elements added and removed; for each assignment O(*n*) for all
    ///   elements if they are objects or `Hashable`, else O(*n*²).
    @discardableResult @export(implementation) public func observeElements<Element>(
        _ keyPath: String, as type: Element.Type, options: ObservingOptions = [], file: StaticString = #fileID,
        line: UInt = #line, added: ((Element) -> Void)? = nil, removed: ((Element) -> Void)? = nil
    ) throws(KeyValueError) -> KeyValueObservation {
        try checkElements(keyPath, type)
        return try observe(keyPath, options: options.ofElements, file: file, line: line) { change in
            change.forEachElement(added: added, removed: removed)
        }
    }

    @usableFromInline func checkElements(_ keyPath: String, _ type: Any.Type) throws(KeyValueError) {
        let checked = try CheckedKeyPath.of(keyPath, from: requireSchema())
        let valueType = unwrappedType(checked.valueType)
        if isOpen(valueType), valueType != (any IntOrDouble).self { return }
        let elementType = (valueType as? any KeyValueCollection.Type)?.elementType
        if let elementType, canConvert(from: elementType, to: type) { return }
        throw checked.path.wrongType(from: Swift.type(of: self), valueType, "a collection of \(type)")
    }
}

/// The elements of a value that is a collection.
@usableFromInline func elements(of value: Any) -> [Any]? { (value as? any KeyValueCollection)?.elements }

extension Change<Any> {
    /// Calls closures with the elements that the change removed and added.
    ///
    /// - Parameter elements: The elements of a collection; nil for any other value.
    @export(implementation) func forEachElement<Element>(
        added: ((Element) -> Void)?, removed: ((Element) -> Void)?, _ elements: (Any) -> [Any]? = elements(of:)
    ) {
        let left = oldValue.flatMap(unwrapped).flatMap(elements) ?? []
        let came = newValue.flatMap(unwrapped).flatMap(elements) ?? []
        let different = differentElements(left, came)
        let (gone, new) = (removed == nil ? [] : different.gone, added == nil ? [] : different.new)
        context.makeCalls(gone.count + new.count) { number in
            let isNew = number >= gone.count
            let element = isNew ? new[number - gone.count] : gone[number]
            // Converting may be user code, which may end the observation.
            if let call = isNew ? added : removed, let value = convert(element, to: Element.self), isHeard {
                call(value)
            }
        }
    }
}

/// The elements that do not occur in the other collection, or occur less often there.
@usableFromInline func differentElements(_ left: [Any], _ came: [Any]) -> (gone: [Any], new: [Any]) {
    if left.isEmpty || came.isEmpty { return (left, came) }
    func missing(from others: [Int], among elements: [Any], _ numbers: [Int]) -> [Any] {
        var counts = Dictionary(others.map { ($0, 1) }, uniquingKeysWith: +)
        return elements.indices.filter {
            counts[numbers[$0], default: 0] -= 1
            return counts[numbers[$0]]! < 0
        }.map { elements[$0] }
    }
    let numbers = ElementIdentity.numbers(left, came)
    return (missing(from: numbers.1, among: left, numbers.0), missing(from: numbers.0, among: came, numbers.1))
}
