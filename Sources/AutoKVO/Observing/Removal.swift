extension TrackedObject {
    /// Ends the observations of this object that fit: those of an observer, of a path, with a named handler. What is left
    /// out is not asked. A path that is one of several is taken from its observation, which goes on with the others.
    ///
    /// - Returns: How many observations were ended or lost a path. Zero if none fits, which is no error.
    /// - Complexity: O(*n*) for *n* observations of this object, or of the observer if there are fewer.
    @discardableResult
    public func removeObserver(_ observer: AnyObject?, forKeyPath keyPath: String? = nil, handler: String? = nil) -> Int {
        guard let observer else { return Removal(target: self, keyPath: keyPath, handler: handler).perform() }
        return Removal(observer: observer, target: self, keyPath: keyPath, handler: handler).perform()
    }

    /// Ends all observations of this object.
    ///
    /// - Returns: How many observations were ended or, being of several targets, go on without this one.
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
    /// Ends the observations in which this object is the observer and that fit. What is left out is not asked.
    ///
    /// - Returns: How many observations were ended or shortened.
    @discardableResult
    public func stopObserving(_ keyPath: String? = nil, of target: TrackedObject? = nil, handler: String? = nil) -> Int {
        Removal(observer: self, target: target, keyPath: keyPath, handler: handler).perform()
    }

    /// Ends all observations in which this object is the observer.
    ///
    /// - Returns: How many there were.
    @discardableResult
    public func stopObservingAllTargets() -> Int {
        Removal(observer: self).perform()
    }
}

extension KeyValueObservation {
    /// Ends the observations that fit; nil fits everything.
    ///
    /// - Returns: How many observations were ended or shortened.
    /// - Throws: A `KeyValueError` if neither an observer nor a target is given.
    @discardableResult
    public static func removeAll(
        observer: AnyObject? = nil, target: TrackedObject? = nil, keyPath: String? = nil, handler: String? = nil
    ) throws(KeyValueError) -> Int {
        guard observer != nil || target != nil else { throw KeyValueError(.nothingToMatch) }
        return Removal(observer: observer, target: target, keyPath: keyPath, handler: handler).perform()
    }
}

/// Which observations to end.
struct Removal {
    var observer: AnyObject?
    var target: TrackedObject?
    var keyPath: String?
    var handler: String?
    /// Foundation's context; asked only if `matchesContext`.
    var context: UnsafeMutableRawPointer?
    var matchesContext = false
    /// Whether only the observation registered last is ended.
    var onlyLast = false

    func perform() -> Int {
        var count = 0
        for observation in onlyLast ? candidates().reversed() : candidates() where matches(observation) {
            if remove(from: observation) { count += 1 }
            if onlyLast, count > 0 { break }
        }
        return count
    }

    private func candidates() -> [KeyValueObservation] {
        if let observer { return ObjectRecord.existing(for: observer)?.heldObservations() ?? [] }
        return target?.record?.observationsAsTarget() ?? []
    }

    private func matches(_ observation: KeyValueObservation) -> Bool {
        if let handler, observation.handlerName != handler { return false }
        if matchesContext, observation.classicContext?.pointer != context { return false }
        guard let target else { return keyPath.map { observation.keyPaths.contains($0) } ?? true }
        guard let routes = observation.routes else {
            return observation.record?.address == address(of: target) && (keyPath == nil || observation.directKey == keyPath)
        }
        return routes.contains { $0.root.address == address(of: target) && (keyPath == nil || $0.path.text == keyPath) }
    }

    private func remove(from observation: KeyValueObservation) -> Bool {
        if let target { return observation.remove(target: target, keyPath: keyPath) }
        if let keyPath { return observation.remove(keyPath: keyPath) }
        return observation.end(.removed)
    }

    private func address(of object: AnyObject) -> UnsafeRawPointer {
        UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
    }
}

extension KeyValueObservation {
    /// The name of the handler, if it was registered by name.
    var handlerName: String? {
        guard handling == .named || handling == .namedWithoutChange else { return nil }
        return underLock { function.map { Unmanaged<DeclaredHandler>.fromOpaque($0).takeUnretainedValue() } }?.name
    }
}
