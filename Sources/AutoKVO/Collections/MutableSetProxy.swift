extension TrackedObject {
    /// The set of a key, as one that can be edited without knowing the type of its elements.
    ///
    ///     try person.mutableSetValue(forKey: "tags").insert("new")
    ///
    /// - Throws: A `KeyValueError` for a name that is not declared, a property that is not a set, and one that cannot
    ///   be written.
    /// - Complexity: O(1).
    @export(implementation) public func mutableSetValue(forKey key: String) throws(KeyValueError) -> MutableSetProxy {
        try MutableSetProxy(ProxiedKey(self, key))
    }
}

/// A set property of an object, reached by name: reads and edits what the property holds at that moment, also after it
/// was set to another set. It keeps the object alive.
///
/// As with the edits of `Property`, the change of an edit has the elements that left and came; an edit that leaves the
/// set as it was is not reported. If the key's automatic notification is off, no observer is called. Putting in a value that
/// the set cannot hold throws and changes nothing; removing or looking for such a value finds nothing. If the property
/// is an optional that is nil, the set is empty, and the first edit that adds an element creates it.
///
/// An `@Observed` property is edited in place, unless it is optional or overridden; for any other, an edit reads, copies and sets the whole set. The proxy
/// is used by one thread at a time, like the property. Handlers run before an edit returns and may edit the set again.
public struct MutableSetProxy: Sequence {
    @usableFromInline let proxied: ProxiedKey
    @usableFromInline let type: any ProxiedSet.Type

    @usableFromInline init(_ key: ProxiedKey) throws(KeyValueError) {
        (proxied, type) = (key, try key.schema.collectionType(of: key.key, as: (any ProxiedSet.Type).self, "a set"))
    }

    /// The object that has the set.
    @export(implementation) public var object: TrackedObject { proxied.object }

    /// The key of the set.
    @export(implementation) public var key: String { proxied.name }

    /// The elements now, in no particular order.
    ///
    /// - Complexity: O(*n*).
    @export(implementation) public var elements: [Any] { proxied.elements }

    /// How many elements there are now.
    ///
    /// - Complexity: O(1) and the property's getter.
    public var count: Int { (proxied.read() as? any KeyValueCollection)?.elementCount ?? 0 }

    /// Whether there is no element now.
    @export(implementation) public var isEmpty: Bool { count == 0 }

    /// Whether an equal element is in the set.
    ///
    /// - Complexity: O(1) on average.
    public func contains(_ element: Any) -> Bool {
        (proxied.read() as? any ProxiedSet)?.containsElement(element) ?? false
    }

    @discardableResult @export(implementation)
    func perform(_ mutation: SetMutationKind?, _ elements: some Sequence) throws(KeyValueError) -> Bool {
        try type.perform(mutation, with: elements.map { $0 as Any }, on: proxied)
    }

    @export(implementation) public func makeIterator() -> IndexingIterator<[Any]> { elements.makeIterator() }
    @export(implementation) public var underestimatedCount: Int { count }
}

extension MutableSetProxy {
    /// Puts an element in, unless an equal one is there: an insertion. Returns whether it was put in.
    ///
    /// - Throws: A `KeyValueError`: `.wrongType` for an element that the set cannot hold.
    /// - Complexity: O(1) on average if the set is edited in place, else O(*n*).
    @discardableResult @export(implementation)
    public func insert(_ element: Any) throws(KeyValueError) -> Bool { try perform(.union, [element]) }

    /// Takes an element out, if an equal one is there: a removal. Returns whether there was one.
    ///
    /// - Throws: Nothing. A key that is not a settable set is refused when the proxy is made.
    /// - Complexity: O(1) on average if the set is edited in place, else O(*n*).
    @discardableResult @export(implementation)
    public func remove(_ element: Any) throws(KeyValueError) -> Bool { try perform(.minus, [element]) }

    /// Takes all elements out: one removal, or none if there are none.
    ///
    /// - Throws: Nothing. A key that is not a settable set is refused when the proxy is made.
    /// - Complexity: O(*n*).
    @export(implementation) public func removeAll() throws(KeyValueError) { try perform(.intersect, [Any]()) }

    /// Takes the elements out that a condition is true of: one removal, or none.
    ///
    /// - Throws: Nothing. A key that is not a settable set is refused when the proxy is made.
    /// - Complexity: O(*n*).
    @export(implementation) public func removeAll(where condition: (Any) -> Bool) throws(KeyValueError) {
        type.removeAll(of: proxied, where: condition)
    }

    /// Puts elements in: one insertion of those that were not there, or none.
    ///
    /// - Throws: A `KeyValueError`: `.wrongType` for an element that the set cannot hold.
    /// - Complexity: O(*k*) on average for *k* elements given if the set is edited in place, else O(*n* + *k*).
    @export(implementation)
    public func formUnion(_ elements: some Sequence) throws(KeyValueError) { try perform(.union, elements) }

    /// Takes elements out: one removal of those that were there, or none.
    ///
    /// - Throws: Nothing. A key that is not a settable set is refused when the proxy is made.
    /// - Complexity: O(*k*) on average for *k* elements given if the set is edited in place, else O(*n* + *k*).
    @export(implementation)
    public func subtract(_ elements: some Sequence) throws(KeyValueError) { try perform(.minus, elements) }

    /// Takes all elements out that are not among others: one removal, or none.
    ///
    /// - Throws: Nothing. A key that is not a settable set is refused when the proxy is made.
    /// - Complexity: O(*n* + *k*) on average for *k* elements given.
    @export(implementation)
    public func formIntersection(_ elements: some Sequence) throws(KeyValueError) { try perform(.intersect, elements) }

    /// Takes the elements out that are there and puts in those that are not: one change, or none.
    ///
    /// - Throws: A `KeyValueError`: `.wrongType` for an element that the set cannot hold.
    /// - Complexity: O(*k*) on average for *k* elements given if the set is edited in place, else O(*n* + *k*).
    @export(implementation)
    public func formSymmetricDifference(_ elements: some Sequence) throws(KeyValueError) { try perform(nil, elements) }

    /// Makes the set another one: a replacement of the elements that leave by those that come, or none. Elements that are equal stay as they
    /// are, but objects are compared by identity, also in an optional or an `AnyHashable`: an equal object that is another one takes the
    /// place of the one that is there. While the object of the property is observed, an equal set of a `.distinct` property changes nothing.
    ///
    /// - Throws: A `KeyValueError`: `.wrongType` for an element that the set cannot hold.
    /// - Complexity: O(*n*) for *n* elements on both sides.
    @export(implementation)
    public func setElements(_ elements: some Sequence) throws(KeyValueError) { try perform(.set, elements) }
}
