extension Property {
    /// Makes the property follow another one: `label.$title.bind(to: person.$firstName)`.
    ///
    /// It is set at once, and again at each change, through this handle: to the storage, so that `didSet` does not run, and without
    /// a `Key` in the schema. The rest is as for `TrackedObject.bind(_:to:of:options:transform:file:line:)`: equal values are not
    /// set again, the property has one binding at a time, whichever way it was made, and the binding ends when either object dies.
    ///
    /// - Parameters:
    ///   - source: The handle of a property, or of a path: that can be followed by an optional property, or with a transform.
    ///   - options: `.retainsTarget` keeps the source alive, `.distinct` ignores changes of the source to an equal value.
    ///     Others have no effect.
    ///   - file: The call site, for `debugDescription`. Leave it at its default.
    ///   - line: The same.
    /// - Returns: The observation of the source. Removing it is the same as `unbind(_:)` of the key; it need not be kept.
    /// - Complexity: O(*n*) for *n* observations that this object holds. The property is set on the thread that changes the source.
    @inlinable @discardableResult public func bind<Source: PropertyHandle>(
        to source: Source, options: ObservingOptions = [], file: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueObservation where Source.Current == Value {
        bind(settable, to: source, copiesValues: true, options, file, line) { (value: Value) in value }
    }

    /// Makes the property, which is optional, follow one that is not.
    ///
    /// - Complexity: O(*n*) for *n* observations that this object holds, and that of observing the source.
    @inlinable @discardableResult public func bind<Source: PropertyHandle>(
        to source: Source, options: ObservingOptions = [], file: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueObservation where Value == Source.Current? {
        bind(to: source, options: options, file: file, line: line) { $0 }
    }

    /// Makes the property follow a function of another one's values. The function is called on the thread of the change.
    ///
    /// - Complexity: O(*n*) for *n* observations that this object holds, and that of observing the source.
    @inlinable @discardableResult public func bind<Source: PropertyHandle>(
        to source: Source, options: ObservingOptions = [], file: StaticString = #fileID, line: UInt = #line,
        transform: @escaping (Source.Current) -> Value
    ) -> KeyValueObservation {
        bind(settable, to: source, copiesValues: false, options, file, line, transform)
    }

    /// Makes the property follow what a closure reads: `label.$text.bind { "\(person.fullName), \(person.age)" }`.
    ///
    /// The closure is called now, and after each change of something that it read, as in `observe(reading:)`. It keeps what it captures,
    /// until the binding ends with the object of this property.
    ///
    /// - Returns: The observation of what the closure reads. Removing it is the same as `unbind()`; it need not be kept.
    /// - Complexity: O(*n*) for *n* reads, and *m* observations that this object holds.
    @discardableResult public func bind(
        file: StaticString = #fileID, line: UInt = #line, to value: @escaping () -> Value
    ) -> KeyValueObservation {
        bind(makeBinding(settable, copiesValues: false), []) { binding, options, name in
            object.observe(reading: { _ in value() }, options: options, userInfo: name, file: file, line: line) {
                binding.follow($1, on: $0) { (value: Value) in value }
            }
        }
    }

    /// Makes the property follow one of another object by a key path of its handle: `label.$title.bind(to: \.$firstName, of: person)`.
    ///
    /// - Complexity: O(*n*) for *n* observations that this object holds, and that of observing the source.
    @inlinable @discardableResult public func bind<Root: TrackedObject, Source: PropertyHandle>(
        to keyPath: KeyPath<Root, Source>, of source: Root, options: ObservingOptions = [],
        file: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueObservation where Source.Current == Value {
        let source = handles(at: keyPath, of: source)
        return bind(settable, to: source, copiesValues: true, options, file, line) { (value: Value) in value }
    }

    /// Makes the property follow a function of the values of one of another object, by a key path of its handle.
    ///
    /// - Complexity: O(*n*) for *n* observations that this object holds, and that of observing the source.
    @inlinable @discardableResult public func bind<Root: TrackedObject, Source: PropertyHandle>(
        to keyPath: KeyPath<Root, Source>, of source: Root, options: ObservingOptions = [],
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping (Source.Current) -> Value
    ) -> KeyValueObservation {
        bind(settable, to: handles(at: keyPath, of: source), copiesValues: false, options, file, line, transform)
    }

    /// Makes the property follow a key path of another object, any one: `label.$title.bind(to: \.fullName, of: person)`.
    ///
    /// - Complexity: O(*n*) for *n* observations that this object holds, and that of observing the source.
    @_disfavoredOverload @discardableResult public func bind<Root: TrackedObject>(
        to keyPath: KeyPath<Root, Value>, of source: Root, options: ObservingOptions = [],
        file: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueObservation {
        bind(to: keyPath, of: source, options: options, file: file, line: line) { $0 }
    }

    /// Makes the property follow a function of the values of a key path of another object, any one. The function is called on the thread
    /// of the change.
    ///
    /// - Complexity: O(*n*) for *n* observations that this object holds, and that of observing the source.
    @_disfavoredOverload @discardableResult public func bind<Root: TrackedObject, Input>(
        to keyPath: KeyPath<Root, Input>, of source: Root, options: ObservingOptions = [],
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping (Input) -> Value
    ) -> KeyValueObservation {
        bind(makeBinding(settable, copiesValues: false), options) { binding, options, name in
            object.observe(keyPath, of: source, options: options, userInfo: name, file: file, line: line) {
                binding.follow($1, on: $0, transform)
            }
        }
    }

    /// Ends the binding of the property, which keeps its value.
    ///
    /// - Returns: Whether it was bound, by its handle or by its name.
    /// - Complexity: O(*n*) for *n* observations that the object holds.
    @discardableResult public func unbind() -> Bool { bindingName.unbind(object) }
}

// MARK: What is not compiled with the call

extension PropertyHandle {
    /// Makes a property, which is this one, follow a function of another one's values.
    @usableFromInline func bind<Input, Bound>(
        _ property: SettableProperty, to source: some PropertyHandles, copiesValues: Bool, _ options: ObservingOptions,
        _ file: StaticString, _ line: UInt, _ transform: @escaping (Input) -> Bound
    ) -> KeyValueObservation {
        bind(makeBinding(property, copiesValues: copiesValues), options) { binding, options, name in
            source.addObserver(object, options: options, userInfo: name, file: file, line: line) { object, change in
                if !binding.copyValue(of: change, to: object) { binding.follow(change, on: object, transform) }
            }
        }
    }

    /// The name of its binding.
    var bindingName: ObservationName { keySlot.map { .binding($0) } ?? .path(firstSlot, keyPath) }

    func makeBinding(_ property: SettableProperty, copiesValues: Bool) -> Binding {
        Binding(property, SettableProperty.name(keyPath, of: object), copiesValues: copiesValues)
    }

    /// Replaces the former binding. The initial call sets the property, to what the source's property reads.
    fileprivate func bind(
        _ binding: Binding, _ options: ObservingOptions,
        _ observe: (Binding, ObservingOptions, ObservationName) -> KeyValueObservation
    ) -> KeyValueObservation {
        let name = bindingName
        let hadFormer = name.end(of: object)
        let observation = observe(binding, options.ofBinding.union(.initial), name)
        // The former one may have made another when it ended.
        if hadFormer, observation.isValid { name.end(of: object, except: observation) }
        return observation
    }
}
