extension PropertyHandle {
    /// Calls a closure for each element that is added to the collection, and one for each that is removed from it:
    /// `person.$friends.observeElements(added: { … }, removed: { … })`.
    ///
    /// See `TrackedObject.observeElements(_:of:options:file:line:added:removed:)`. Where the collection is behind an object on a
    /// path that is nil, it counts as empty. An element of a dictionary is an entry: one whose value changes is removed and added.
    /// The closures are called on the thread of the change, after it.
    @discardableResult @export(implementation) public func observeElements(
        options: ObservingOptions = [], file: StaticString = #fileID, line: UInt = #line,
        added: ((Value.Element) -> Void)? = nil, removed: ((Value.Element) -> Void)? = nil
    ) -> KeyValueObservation where Value: Collection {
        observeElements(of: Value.self, options, file, line, added, removed)
    }

    /// Calls a closure for each element that is added to the collection, and one for each that is removed from it. Nil counts as
    /// an empty collection.
    @discardableResult @export(implementation) public func observeElements<Elements: Collection>(
        options: ObservingOptions = [], file: StaticString = #fileID, line: UInt = #line,
        added: ((Elements.Element) -> Void)? = nil, removed: ((Elements.Element) -> Void)? = nil
    ) -> KeyValueObservation where Value == Elements? {
        observeElements(of: Elements.self, options, file, line, added, removed)
    }

    @export(implementation) func observeElements<Elements: Collection>(
        of type: Elements.Type, _ options: ObservingOptions, _ file: StaticString, _ line: UInt,
        _ added: ((Elements.Element) -> Void)?, _ removed: ((Elements.Element) -> Void)?
    ) -> KeyValueObservation {
        let handler = { (change: Change<Any>) in
            change.forEachElement(added: added, removed: removed) { ($0 as? Elements)?.map { $0 as Any } }
        }
        return Registration(options.ofElements, nil, .closure(handler), file, line).observe(target)
    }
}
