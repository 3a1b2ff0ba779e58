extension TrackedObject {
    /// Makes a property of this object follow a key path of another one.
    ///
    ///     try label.bind("title", to: "fullName", of: person)
    ///
    /// The property is set at once, and again at each change, unless it has an equal value already: so two properties
    /// that are bound to each other stop at the first equal value. It is set to the whole value that the path has at that
    /// time: when an edit of a collection, or a write to the source that a handler corrects, returns, both sides are equal. A property has
    /// one binding at a time: another one replaces it. The binding ends when either object dies, and keeps neither alive.
    ///
    /// A nil for a property that cannot be nil throws here; a later one is reported to `Diagnostics`, and the property keeps its
    /// value. A `.default` sets such a property to another value instead.
    ///
    /// - Parameters:
    ///   - key: A key of this object that can be set: one that its schema declares. `$title.bind(to:)` binds any observed property. Or a
    ///     path, `"selection.name"`: the source's changes set it in the object that is there at that time, and nothing where there is none. An
    ///     object that comes later is set with the next change.
    ///   - keyPath: A key or path of the source.
    ///   - source: The object that is followed, which may be this object itself.
    ///   - options: `.retainsTarget` keeps the source alive, `.distinct` ignores changes of the source to an equal value.
    ///     Others have no effect.
    ///   - transform: What the values of the source are turned into.
    ///   - file: The call site, for `debugDescription`. Leave it at its default.
    ///   - line: The same.
    /// - Returns: The observation of the source. Removing it is the same as `unbind(_:)`; it need not be kept.
    /// - Throws: A `KeyValueError` if the key is unknown or cannot be set, the path is wrong, or its values do not fit
    ///   the key or the transform. Then nothing is bound or set, and the binding that the property had remains.
    /// - Complexity: O(*n*) for *n* observations that this object holds. The property is set on the thread that changes the source,
    ///   before the change returns.
    @discardableResult public func bind(
        _ key: String, to keyPath: String, of source: TrackedObject, options: ObservingOptions = [],
        transform: BindingTransform = .identity, file: StaticString = #fileID, line: UInt = #line
    ) throws(KeyValueError) -> KeyValueObservation {
        let given = try type(of: source).valueType(forKeyPath: keyPath)
        guard let result = transform.resultType(for: given) else {
            throw KeyValueError(
                .invalidValue("the transform of the binding of \(type(of: self)).\(key) takes no \(given)"),
                className: "\(type(of: source))", key: lastKey(of: keyPath), keyPath: keyPath)
        }
        let handle = try source.path(keyPath)
        /// What the property is to be set to; nil to leave it.
        typealias Make = (Any?) throws(KeyValueError) -> Any?
        let (binding, name, make) = try withoutTracking {
            () throws(KeyValueError) -> (Binding, ObservationName, Make) in
            // What the path cannot read is nil in this check, which does not report it: the binding does when it sets the property below.
            let current = try? source.declaredValue(forKeyPath: keyPath)
            if slot(ofKey: key) == nil, key.utf8.contains(UInt8(ascii: ".")) {
                try checkType(result, forKeyPath: key)
                let (own, end) = (try path(key), try pathEnd(key))
                let make: Make = { (transform.isIdentity ? $0 : transform($0)) ?? Any?.none as Any }
                if end.object != nil { _ = try end.step(setting: try make(current)) }
                return (own.makeBinding(SettablePath<Any>(own).settable, copiesValues: false), own.bindingName, make)
            }
            let settable = try settableKey(key, for: result, by: transform)
            _ = try settable.make(current)
            let copiesValues = transform.isIdentity && !mayHoldNull(unwrappedType(given))
            let binding = Binding(settable.property, "\(type(of: self)).\(key)", copiesValues: copiesValues)
            return (binding, .binding(settable.slot), settable.make)
        }
        /// Sets the property to the transformed value of the source, unless it has an equal value, as long as the binding lasts.
        @inline(never) func follow(_ observation: KeyValueObservation, on object: TrackedObject, _ input: () -> Any?) {
            binding.set(object, observation) {
                do throws(KeyValueError) { return try make(input()) } catch {
                    Diagnostics.report("A binding cannot set \(type(of: object)).\(key): \(error)")
                    return nil
                }
            }
        }
        let observation = try source.addObserver(
            self, forKeyPath: [keyPath], options: options.ofBinding, userInfo: name, file: file, line: line
        ) { (object: TrackedObject, change: Change<Any>) in
            if binding.copyValue(of: change, to: object) { return }
            follow(change.observation, on: object) { change.currentValue }
        }
        name.end(of: self, except: observation)
        withoutTracking { follow(observation, on: self) { handle.value } }
        return observation
    }

    /// Makes a property of this object follow a function of the values of a key path of another one. The function is not
    /// called with nil, which stays nil, unless its argument is optional.
    ///
    /// - Throws: As the form with a `BindingTransform`.
    /// - Complexity: As for the form with a `BindingTransform`.
    @discardableResult public func bind<Input, Output>(
        _ key: String, to keyPath: String, of source: TrackedObject, options: ObservingOptions = [],
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping (Input) -> Output
    ) throws(KeyValueError) -> KeyValueObservation {
        try bind(key, to: keyPath, of: source, options: options, transform: .init(transform), file: file, line: line)
    }

    /// Ends the binding of a property, which keeps its value.
    ///
    /// - Returns: Whether it was bound.
    /// - Complexity: O(*n*) for *n* observations that this object holds.
    @discardableResult public func unbind(_ key: String) -> Bool {
        let first = String(key.prefix { $0 != "." })
        return (slot(ofKey: key).map { .binding($0) } ?? ObservationName.path(slot(ofKey: first), key)).unbind(self)
    }
}
