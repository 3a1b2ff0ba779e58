// In the complexities, the observations of an object include the paths of others that go through it.
//
// No argument is optional: a nil that came from a variable would end everybody's observations. Each form that leaves a part out is
// an overload of its own.

extension TrackedObject {
    /// Ends the observations of this object that an observer has of a path, or of one of several. An observation that has other
    /// paths too continues with those. May be called on any thread, also in a handler.
    ///
    /// - Returns: How many observations were ended or lost a path. Zero if none matches, which is no error.
    /// - Complexity: O(*n*) for *n* observations of this object, with paths of others through it, or that the observer holds, whichever are fewer.
    @discardableResult public func removeObserver(_ observer: AnyObject, forKeyPath keyPath: some KeyPathSet) -> Int {
        Removal(observer: observer, target: self, keyPath: keyPath).perform()
    }

    /// Ends the observations of this object that an observer has of a path with a named handler.
    ///
    /// - Complexity: O(*n*) for *n* observations of this object, with paths of others through it, or that the observer holds, whichever are fewer.
    @discardableResult
    public func removeObserver(_ observer: AnyObject, forKeyPath keyPath: some KeyPathSet, handler: String) -> Int {
        Removal(observer: observer, target: self, keyPath: keyPath, handler: handler).perform()
    }

    /// Ends the observations of this object that an observer has with a named handler, of whatever path.
    ///
    /// - Complexity: O(*n*) for *n* observations of this object, with paths of others through it, or that the observer holds, whichever are fewer.
    @discardableResult public func removeObserver(_ observer: AnyObject, handler: String) -> Int {
        Removal(observer: observer, target: self, handler: handler).perform()
    }

    /// Ends all observations of this object that an observer has.
    ///
    /// - Complexity: O(*n*) for *n* observations of this object, with paths of others through it, or that the observer holds, whichever are fewer.
    @discardableResult
    public func removeObserver(_ observer: AnyObject) -> Int { Removal(observer: observer, target: self).perform() }

    /// Ends all observations of this object, whoever the observer is.
    ///
    /// - Returns: How many observations were ended or, being of several targets, continue without this one.
    /// - Complexity: O(*n*) for *n* observations of this object, with paths of others through it.
    @discardableResult public func removeAllObservers() -> Int { Removal(target: self).perform() }

    /// Ends all observations of a path of this object, or of one of several. An observation that has other paths too continues with
    /// those.
    ///
    /// - Complexity: O(*n*) for *n* observations of this object, with paths of others through it.
    @discardableResult public func removeAllObservers(forKeyPath keyPath: some KeyPathSet) -> Int {
        Removal(target: self, keyPath: keyPath).perform()
    }

    /// Ends all observations of a path of this object with a named handler.
    ///
    /// - Complexity: O(*n*) for *n* observations of this object, with paths of others through it.
    @discardableResult public func removeAllObservers(forKeyPath keyPath: some KeyPathSet, handler: String) -> Int {
        Removal(target: self, keyPath: keyPath, handler: handler).perform()
    }

    /// Ends all observations of this object with a named handler.
    ///
    /// - Complexity: O(*n*) for *n* observations of this object, with paths of others through it.
    @discardableResult
    public func removeAllObservers(handler: String) -> Int { Removal(target: self, handler: handler).perform() }

    /// The live observations in which this object is target or observer, each once: first those of its own keys, in the
    /// order of their declaration and of registration, for each key those of the key itself before those of paths.
    ///
    /// - Complexity: O(*n*) for *n* observations.
    public func observations() -> [KeyValueObservation] {
        guard let record else { return [] }
        return withoutRepetitions(record.observationsAsTarget() + record.heldObservations()).filter(\.isValid)
    }
}

extension PropertyHandle {
    /// Ends the observations that an observer has of the property, or of the path, whether they were made with the handle or by name.
    ///
    /// - Returns: How many observations were ended or lost a path. Zero if none matches, which is no error.
    /// - Complexity: O(*n*) for *n* observations of the object, or that the observer holds, whichever are fewer.
    @discardableResult public func removeObserver(_ observer: AnyObject) -> Int {
        Removal(observer: observer, target: object, handle: target).perform()
    }

    /// Ends all observations of the property, or of the path.
    ///
    /// - Returns: How many observations were ended or lost a path.
    /// - Complexity: O(*n*) for *n* observations of the object.
    @discardableResult public func removeAllObservers() -> Int { Removal(target: object, handle: target).perform() }
}

extension KeyValueObserver {
    /// Ends the observations in which this object is the observer of a path of a target, or of one of several paths. An observation
    /// that has other paths or targets too continues with those. May be called on any thread, also in a handler.
    ///
    /// - Returns: How many observations were ended or lost a path or target. Zero if none matches, which is no error.
    /// - Complexity: O(*n*) for *n* observations of the target, or that this object holds, whichever are fewer.
    @discardableResult public func stopObserving(_ keyPath: some KeyPathSet, of target: TrackedObject) -> Int {
        Removal(observer: self, target: target, keyPath: keyPath).perform()
    }

    /// Ends the observations of a path of a target that this object has with a named handler.
    ///
    /// - Complexity: O(*n*) for *n* observations of the target, or that this object holds, whichever are fewer.
    @discardableResult
    public func stopObserving(_ keyPath: some KeyPathSet, of target: TrackedObject, handler: String) -> Int {
        Removal(observer: self, target: target, keyPath: keyPath, handler: handler).perform()
    }

    /// Ends the observations of a path that this object has, of all targets.
    ///
    /// - Complexity: O(*n*) for *n* observations that this object holds.
    @discardableResult
    public func stopObserving(_ keyPath: some KeyPathSet) -> Int { Removal(observer: self, keyPath: keyPath).perform() }

    /// Ends the observations of a path that this object has with a named handler, of all targets.
    ///
    /// - Complexity: O(*n*) for *n* observations that this object holds.
    @discardableResult public func stopObserving(_ keyPath: some KeyPathSet, handler: String) -> Int {
        Removal(observer: self, keyPath: keyPath, handler: handler).perform()
    }

    /// Ends the observations of what a handle leads to: `panel.stopObserving(person.$age)`. Those made with the handle and those
    /// made with its name are the same.
    ///
    /// - Complexity: O(*n*) for *n* observations of the object at which the handle begins, or that this object holds, whichever are fewer.
    @discardableResult public func stopObserving(_ handle: some PropertyHandle) -> Int {
        Removal(observer: self, target: handle.object, handle: handle.target).perform()
    }

    /// Ends all observations of a target that this object has.
    ///
    /// - Complexity: O(*n*) for *n* observations of the target, or that this object holds, whichever are fewer.
    @discardableResult
    public func stopObserving(of target: TrackedObject) -> Int { Removal(observer: self, target: target).perform() }

    /// Ends the observations of a target that this object has with a named handler.
    ///
    /// - Complexity: O(*n*) for *n* observations of the target, or that this object holds, whichever are fewer.
    @discardableResult public func stopObserving(of target: TrackedObject, handler: String) -> Int {
        Removal(observer: self, target: target, handler: handler).perform()
    }

    /// Ends the observations that this object has with a named handler.
    ///
    /// - Complexity: O(*n*) for *n* observations that this object holds.
    @discardableResult
    public func stopObserving(handler: String) -> Int { Removal(observer: self, handler: handler).perform() }

    /// Ends all observations in which this object is the observer.
    ///
    /// - Complexity: O(*n*) for *n* observations that this object holds.
    @discardableResult public func stopObserving() -> Int { Removal(observer: self).perform() }
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
    /// - Complexity: O(*n*) for *n* observations of the target, or that the observer holds; if both are given, whichever are fewer.
    @discardableResult public static func removeAll(
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
    /// A property or a path of the target instead.
    var handle: HandleTarget?
    var handler: String?
    var context: ClassicContext?

    func perform() -> Int { candidates.count(where: removal) }

    /// Ends only the matching observation that was registered last.
    func performOnLast() -> KeyValueObservation? {
        observer.flatMap { ObjectRecord.existing(for: $0) }?.heldObservations().last(where: removal)
    }

    /// The observations to look at. With an observer and a target, those of the target if they are clearly fewer: a table that lets go
    /// of a row does not look at all rows.
    private var candidates: [KeyValueObservation] {
        guard let observer else { return target?.record?.observationsAsTarget() ?? [] }
        guard let holder = ObjectRecord.existing(for: observer) else { return [] }
        if let record = target?.record, !record.isDeinitializing, holder.holdsMore(than: 16 + record.interest) {
            return record.observationsAsTarget().filter { $0.observerRecord === holder }
        }
        return holder.heldObservations()
    }

    /// Ends an observation that matches, or removes the paths from it. False if it has none of them.
    private var removal: (KeyValueObservation) -> Bool {
        let named = keyPath.map { KeyValueObservation.RemovedPaths.named(Set($0.keyPaths)) } ?? .all
        let paths = handle.map { handle in handle.longPath.map { .path($0) } ?? .key(handle.slot()) } ?? named
        return { observation in
            if let handler, observation.handlerName != handler { return false }
            // Not what was registered without a context, if the given one is nil.
            if let context, observation.classicContext.map({ $0.pointer == context.pointer }) != true { return false }
            return observation.remove(paths, of: target)
        }
    }
}
