/// Foundation's context: the user info of an observation that is registered with Foundation's function.
struct ClassicContext { let pointer: UnsafeMutableRawPointer? }

extension KeyValueObservation {
    var classicContext: ClassicContext? { userInfo as? ClassicContext }

    /// Ends the observation: Foundation's word for `remove()`.
    ///
    /// - Complexity: As for `remove()`.
    @export(implementation) public func invalidate() { remove() }
}

/// An observer in Foundation's wording: any class that has the callback. Every `TrackedObject` is one.
public protocol ClassicObserver: AnyObject {
    /// Called with each change of an observation that was registered with `addObserver(_:forKeyPath:options:context:)`, on the
    /// thread that makes the change.
    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [KeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?)
}

extension TrackedObject: ClassicObserver {
    /// Observes a path, or several, as in Foundation: each change calls the observer's
    /// `observeValue(forKeyPath:of:change:context:)`.
    ///
    /// You need not remove the observer: as in every form, the observation ends with the life of either side.
    ///
    /// - Throws: A `KeyValueError` for a path that this object's class does not have.
    /// - Complexity: O(1) for one key, but O(*n*) for one that is affected by *n* others; a derived value is computed.
    @discardableResult public func addObserver(
        _ observer: some ClassicObserver, forKeyPath keyPath: some KeyPathSet, options: ObservingOptions = [],
        context: UnsafeMutableRawPointer?, file: StaticString = #fileID, line: UInt = #line
    ) throws(KeyValueError) -> KeyValueObservation {
        try addObserver(
            observer, forKeyPath: keyPath, options: options, userInfo: ClassicContext(pointer: context), file: file,
            line: line
        ) { observer, change in
            var dictionary: [KeyValueChangeKey: Any] = [.kindKey: change.kind.rawValue]
            if let old = change.context.oldValue(as: Any.self) { dictionary[.oldKey] = old }
            if let new = change.context.newValue(as: Any.self) { dictionary[.newKey] = new }
            if let indexes = change.indexes { dictionary[.indexesKey] = indexes }
            if change.isPrior { dictionary[.notificationIsPriorKey] = true }
            observer.observeValue(
                forKeyPath: change.keyPath, of: change.target, change: dictionary,
                context: change.observation.classicContext?.pointer)
        }
    }

    /// Ends the observation of a path that was registered last with this context; of several paths, of each the one
    /// that was registered last. An observation that has other paths too continues with those.
    ///
    /// - Returns: How many observations were ended or lost a path. Zero if there was none, which is no error.
    /// - Complexity: O(*p* × *n*) for *p* paths and *n* observations that the observer holds.
    @discardableResult public func removeObserver(
        _ observer: some ClassicObserver, forKeyPath keyPath: some KeyPathSet, context: UnsafeMutableRawPointer?
    ) -> Int {
        let shortened = Set(keyPath.keyPaths).compactMap { path in
            Removal(observer: observer, target: self, keyPath: path, context: ClassicContext(pointer: context))
                .performOnLast()
        }
        return Set(shortened).count
    }
}
