extension PropertyHandles {
    /// Calls a closure for each element that is added to the collection, and one for each that is removed from it:
    /// `person.$friends.observeElements(added: { … }, removed: { … })`.
    ///
    /// See `TrackedObject.observeElements(_:as:options:file:line:added:removed:)`. Where the collection is behind an object on a
    /// path that is nil, it counts as empty. An element of a dictionary is an entry: one whose value changes is removed and added.
    /// The closures are called on the thread of the change, after it.
    ///
    /// - Complexity: As for `TrackedObject.observeElements(_:as:options:file:line:added:removed:)`.
    @discardableResult @export(implementation) public func observeElements(
        options: ObservingOptions = [], file: StaticString = #fileID, line: UInt = #line,
        added: ((Value.Element) -> Void)? = nil, removed: ((Value.Element) -> Void)? = nil
    ) -> KeyValueObservation where Value: Collection {
        observeElements(options, file, line) { $0.forEachElement(added: added, removed: removed, items(Value.self)) }
    }

    /// Calls a closure for each element that is added to the collection, and one for each that is removed from it. Nil counts as
    /// an empty collection.
    ///
    /// - Complexity: As for `TrackedObject.observeElements(_:as:options:file:line:added:removed:)`.
    @discardableResult @export(implementation) public func observeElements<Elements: Collection>(
        options: ObservingOptions = [], file: StaticString = #fileID, line: UInt = #line,
        added: ((Elements.Element) -> Void)? = nil, removed: ((Elements.Element) -> Void)? = nil
    ) -> KeyValueObservation where Value == Elements? {
        observeElements(options, file, line) { $0.forEachElement(added: added, removed: removed, items(Elements.self)) }
    }

    /// The same for an observer, which the closures get first, so that they need not capture it. The observation ends when either object
    /// dies, and keeps neither alive.
    ///
    /// - Complexity: As for `TrackedObject.observeElements(_:as:options:file:line:added:removed:)`.
    @discardableResult @export(implementation) public func observeElements<Observer: AnyObject>(
        for observer: Observer, options: ObservingOptions = [], file: StaticString = #fileID, line: UInt = #line,
        added: ((Observer, Value.Element) -> Void)? = nil, removed: ((Observer, Value.Element) -> Void)? = nil
    ) -> KeyValueObservation where Value: Collection {
        observeElements(as: Value.self, for: observer, options, file, line, added, removed)
    }

    /// The same for an observer, of a collection that may be nil.
    ///
    /// - Complexity: As for `TrackedObject.observeElements(_:as:options:file:line:added:removed:)`.
    @discardableResult @export(implementation) public func observeElements<Observer: AnyObject, Elements: Collection>(
        for observer: Observer, options: ObservingOptions = [], file: StaticString = #fileID, line: UInt = #line,
        added: ((Observer, Elements.Element) -> Void)? = nil, removed: ((Observer, Elements.Element) -> Void)? = nil
    ) -> KeyValueObservation where Value == Elements? {
        observeElements(as: Elements.self, for: observer, options, file, line, added, removed)
    }

    @export(implementation) func observeElements(
        _ options: ObservingOptions, _ file: StaticString, _ line: UInt, _ handler: @escaping (Change<Any>) -> Void
    ) -> KeyValueObservation {
        Registration(options.ofElements, nil, .closure(handler), file, line).observe(targets)
    }

    @export(implementation) func observeElements<Observer: AnyObject, Elements: Collection>(
        as type: Elements.Type, for observer: Observer, _ options: ObservingOptions, _ file: StaticString, _ line: UInt,
        _ added: ((Observer, Elements.Element) -> Void)?, _ removed: ((Observer, Elements.Element) -> Void)?
    ) -> KeyValueObservation {
        let handler = { (observer: Observer, change: Change<Any>) in
            change.forEachElement(
                added: added.map { added in { added(observer, $0) } },
                removed: removed.map { removed in { removed(observer, $0) } }, items(Elements.self))
        }
        return Registration(options.ofElements, nil, .closure(handler), file, line).observe(targets, by: observer)
    }
}

/// What gives the elements of a value that is a collection of a type. A name may have been given the type, and not each element is of that:
/// whoever calls it converts them one by one.
@export(implementation) func items<Elements: Collection>(_ type: Elements.Type) -> (Any) -> [Any]? {
    { ($0 as? Elements)?.map { $0 as Any } ?? elements(of: $0, as: Elements.self) }
}

@usableFromInline func elements(of value: Any, as type: Any.Type) -> [Any]? {
    guard let collection = value as? any KeyValueCollection else { return nil }
    return (type as? any KeyValueCollection.Type)?.elements(of: collection) ?? collection.elements
}
