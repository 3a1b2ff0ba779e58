extension TrackedObject {
    /// Calls a closure for each element that is added to a collection, and one for each that is removed from it.
    ///
    ///     try person.observeElements("friends", of: Person.self, added: { print("+", $0) }, removed: { print("-", $0) })
    ///
    /// For an edit of the collection, the elements are those of the change. When the collection is assigned as a whole,
    /// the two collections are compared: objects by identity, other values by `==`, equal elements by how often each occurs.
    /// For one change `removed` is called first, then `added`, both in the collection's order. For an element that only
    /// moved neither is called.
    ///
    /// - Parameters:
    ///   - keyPath: A key or path whose value is a collection, or an optional one; nil counts as an empty one.
    ///   - type: What the elements are, or can be converted to.
    ///   - options: `.initial` calls `added` for the current elements. `.once`, `.retainsTarget` and
    ///     `.unregisterManually` are as for any observation.
    ///   - file: Where the call stands in the program, for `debugDescription`. Not to be given.
    ///   - line: The same.
    ///   - added: Called on the thread of the change, after it. It may do whatever a handler may.
    ///   - removed: The same for removed elements.
    /// - Returns: The observation. It need not be kept.
    /// - Throws: A `KeyValueError` for a path that the class does not have, that has no collection at its end, or whose
    ///   elements can never be of the type.
    /// - Complexity: For each edit, O(*n*) for the *n* elements added and removed; for each assignment O(*n*) for all
    ///   elements if they are objects or `Hashable`, else O(*n*²).
    @discardableResult
    public func observeElements<Element>(
        _ keyPath: String, of type: Element.Type, options: ObservingOptions = [], file: StaticString = #fileID,
        line: UInt = #line, added: ((Element) -> Void)? = nil, removed: ((Element) -> Void)? = nil
    ) throws(KeyValueError) -> KeyValueObservation {
        try checkElements(keyPath, type)
        return try observe(keyPath, options: options.ofElements, file: file, line: line) { change in
            ElementDifference(change, of: type).call(added: added, removed: removed)
        }
    }

    fileprivate func checkElements(_ keyPath: String, _ type: Any.Type) throws(KeyValueError) {
        let path = try ParsedKeyPath.parse(keyPath, for: Swift.type(of: self))
        let valueType = unwrappedType(try path.valueType(from: Swift.type(of: self)))
        if isExistential(valueType) { return }
        guard let collection = valueType as? any KeyValueCollection.Type,
            canConvert(from: collection.elementType, to: type)
        else {
            throw KeyValueError(
                .wrongType(expected: "\(valueType)", actual: "a collection of \(type)"),
                className: "\(Swift.type(of: self))", key: path.keys.last!, keyPath: keyPath)
        }
    }
}

extension KeyValueObserver {
    /// Calls a closure for each element that is added to another object's collection, and one for each removed from it.
    ///
    /// The closures get this object first, so that they need not capture it. The observation ends when either object
    /// dies. See `TrackedObject.observeElements(_:of:options:file:line:added:removed:)`.
    ///
    /// - Throws: A `KeyValueError` for a path that the target's class does not have, that has no collection at its end,
    ///   or whose elements can never be of the type.
    @discardableResult
    public func observeElements<Element>(
        _ keyPath: String, of target: TrackedObject, as type: Element.Type, options: ObservingOptions = [],
        file: StaticString = #fileID, line: UInt = #line, added: ((Self, Element) -> Void)? = nil,
        removed: ((Self, Element) -> Void)? = nil
    ) throws(KeyValueError) -> KeyValueObservation {
        try target.checkElements(keyPath, type)
        return try target.addObserver(self, forKeyPath: keyPath, options: options.ofElements, file: file, line: line) {
            (observer: Self, change: Change<Any>) in
            ElementDifference(change, of: type).call(
                added: added.map { added in { added(observer, $0) } },
                removed: removed.map { removed in { removed(observer, $0) } })
        }
    }
}

extension ObservingOptions {
    fileprivate var ofElements: ObservingOptions { union([.old, .new]).subtracting([.prior, .distinct]) }
}

/// The elements that one change added and removed.
private struct ElementDifference<Element> {
    private var added: [Any] = []
    private var removed: [Any] = []

    init(_ change: Change<Any>, of type: Element.Type) {
        let old = Self.elements(change.oldValue)
        let new = Self.elements(change.newValue)
        switch change.kind {
        case .insertion: added = new
        case .removal: removed = old
        case .setting, .replacement:
            added = ElementCounts(of: old).missing(new)
            removed = ElementCounts(of: new).missing(old)
        }
    }

    private static func elements(_ value: Any?) -> [Any] {
        (value.flatMap(unwrapped) as? any KeyValueCollection)?.elements ?? []
    }

    func call(added onAdded: ((Element) -> Void)?, removed onRemoved: ((Element) -> Void)?) {
        if let onRemoved { for element in removed { convert(element, to: Element.self).map(onRemoved) } }
        if let onAdded { for element in added { convert(element, to: Element.self).map(onAdded) } }
    }
}

/// How often each element occurs in a collection.
private struct ElementCounts {
    private var counts: [AnyHashable: Int] = [:]
    /// Elements that can only be compared one by one.
    private var others: [Any] = []

    private func key(_ element: Any) -> AnyHashable? {
        if Swift.type(of: element) is AnyClass { return ObjectIdentifier(element as AnyObject) }
        return element as? AnyHashable
    }

    init(of elements: [Any]) {
        for element in elements {
            if let key = key(element) { counts[key, default: 0] += 1 } else { others.append(element) }
        }
    }

    /// The elements of another collection that do not occur, or occur less often.
    consuming func missing(_ elements: [Any]) -> [Any] { elements.filter { !take($0) } }

    /// Removes one occurrence of an element. False if there is none left.
    private mutating func take(_ element: Any) -> Bool {
        if let key = key(element) {
            guard let count = counts[key], count > 0 else { return false }
            counts[key] = count - 1
            return true
        }
        guard let index = others.firstIndex(where: { areEqual($0, element) }) else { return false }
        others.remove(at: index)
        return true
    }
}
