extension TrackedObject {
    /// Ends the observations of this object that match: those of an observer, of a path or one of several, with a named
    /// handler. An argument that is left out matches everything. An observation that has other paths too continues with those.
    /// May be called on any thread, also in a handler.
    ///
    /// - Returns: How many observations were ended or lost a path. Zero if none matches, which is no error.
    /// - Complexity: O(*n*) for *n* observations of this object, or of the observer if there are fewer.
    @discardableResult
    public func removeObserver(
        _ observer: AnyObject?, forKeyPath keyPath: (any KeyPathSet)? = nil, handler: String? = nil
    ) -> Int {
        Removal(observer: observer, target: self, keyPath: keyPath, handler: handler).perform()
    }

    /// Ends all observations of this object.
    ///
    /// - Returns: How many observations were ended or, being of several targets, continue without this one.
    /// - Complexity: O(*n*) for *n* observations of this object.
    @discardableResult
    public func removeAllObservers() -> Int {
        Removal(target: self).perform()
    }

    /// The live observations in which this object is target or observer, each once: first those of its own keys, in the
    /// order of their declaration and of registration.
    ///
    /// - Complexity: O(*n*) for *n* observations.
    public func observations() -> [KeyValueObservation] {
        guard let record else { return [] }
        var seen: Set<ObjectIdentifier> = []
        return (record.observationsAsTarget() + record.heldObservations()).filter {
            $0.isValid && seen.insert(ObjectIdentifier($0)).inserted
        }
    }
}

extension KeyValueObserver {
    /// Ends the observations in which this object is the observer and that match. An argument that is left out matches everything. An
    /// observation that has other paths or targets too continues with those.
    ///
    /// - Returns: How many observations were ended or lost a path or target. Zero if none matches, which is no error.
    /// - Complexity: O(*n*) for *n* observations that this object holds.
    @discardableResult
    public func stopObserving(
        _ keyPath: (any KeyPathSet)? = nil, of target: TrackedObject? = nil, handler: String? = nil
    ) -> Int {
        Removal(observer: self, target: target, keyPath: keyPath, handler: handler).perform()
    }

    /// Ends all observations in which this object is the observer.
    ///
    /// - Returns: How many there were.
    /// - Complexity: O(*n*) for *n* observations that this object holds.
    @discardableResult
    public func stopObservingAllTargets() -> Int {
        Removal(observer: self).perform()
    }
}

extension KeyValueObservation {
    /// The valid observations of an observer, which may be any object. See `TrackedObject.observations()` for both roles.
    ///
    /// - Complexity: O(*n*) for *n* observations.
    public static func all(observer: AnyObject) -> [KeyValueObservation] {
        (ObjectRecord.existing(for: observer)?.heldObservations() ?? []).filter(\.isValid)
    }

    /// Ends the observations that match; nil matches everything.
    ///
    /// - Returns: How many observations were ended or shortened.
    /// - Throws: A `KeyValueError` if neither an observer nor a target is given.
    @discardableResult
    public static func removeAll(
        observer: AnyObject? = nil, target: TrackedObject? = nil, keyPath: (any KeyPathSet)? = nil,
        handler: String? = nil
    ) throws(KeyValueError) -> Int {
        guard observer != nil || target != nil else { throw KeyValueError(.nothingToMatch) }
        return Removal(observer: observer, target: target, keyPath: keyPath, handler: handler).perform()
    }
}

/// Which observations to end.
struct Removal {
    var observer: AnyObject?
    var target: TrackedObject?
    /// Nil for all paths.
    var keyPath: (any KeyPathSet)?
    var handler: String?
    var context: ClassicContext?

    func perform() -> Int {
        let keyPaths = keyPath.map { Set($0.keyPaths) }
        return candidates.count(where: { matches($0) && remove(keyPaths, from: $0) })
    }

    /// Ends only the matching observation that was registered last.
    func performOnLast() -> KeyValueObservation? {
        let keyPaths = keyPath.map { Set($0.keyPaths) }
        return candidates.last(where: { matches($0) && remove(keyPaths, from: $0) })
    }

    private var candidates: [KeyValueObservation] {
        if let observer { return ObjectRecord.existing(for: observer)?.heldObservations() ?? [] }
        return target?.record?.observationsAsTarget() ?? []
    }

    private func matches(_ observation: KeyValueObservation) -> Bool {
        if let handler, observation.handlerName != handler { return false }
        guard let context else { return true }
        return observation.classicContext?.pointer == context.pointer
    }

    private func remove(_ keyPaths: Set<String>?, from observation: KeyValueObservation) -> Bool {
        if target == nil, keyPaths == nil { return observation.end(.removed) }
        return observation.remove(keyPaths, of: target)
    }
}
