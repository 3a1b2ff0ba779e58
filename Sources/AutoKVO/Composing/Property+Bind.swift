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
    ///     Options for the values and the initial call have no effect.
    ///   - file: Where the call stands in the program, for `debugDescription`. Not to be given.
    ///   - line: The same.
    /// - Returns: The observation of the source. Removing it is the same as `unbind(_:)` of the key; it need not be kept.
    /// - Complexity: O(*n*) for *n* observations that this object holds. The property is set on the thread that changes the source.
    @discardableResult @export(implementation) public func bind<Source: PropertyHandle>(
        to source: Source, options: ObservingOptions = [], file: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueObservation where Source.Current == Value {
        bind(to: source, options: options, file: file, line: line) { $0 }
    }

    /// Makes the property, which is optional, follow one that is not.
    @discardableResult @export(implementation) public func bind<Source: PropertyHandle>(
        to source: Source, options: ObservingOptions = [], file: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueObservation where Value == Source.Current? {
        bind(to: source, options: options, file: file, line: line) { $0 }
    }

    /// Makes the property follow a function of another one's values. The function is called on the thread of the change.
    @discardableResult @export(implementation) public func bind<Source: PropertyHandle>(
        to source: Source, options: ObservingOptions = [], file: StaticString = #fileID, line: UInt = #line,
        transform: @escaping (Source.Current) -> Value
    ) -> KeyValueObservation {
        bind(source.value, options, transform) { options, name, follow in
            source.addObserver(object, options: options, userInfo: name, file: file, line: line) { object, change in
                follow(object, change.currentValue(as: Source.Current.self))
            }
        }
    }

    /// Makes the property follow one of another object by a key path of its handle: `label.$title.bind(to: \.$firstName, of: person)`.
    @discardableResult @export(implementation) public func bind<Root: TrackedObject, Source: PropertyHandle>(
        to keyPath: KeyPath<Root, Source>, of source: Root, options: ObservingOptions = [],
        file: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueObservation where Source.Current == Value {
        bind(to: source[keyPath: keyPath], options: options, file: file, line: line)
    }

    /// Makes the property follow a function of the values of one of another object, by a key path of its handle.
    @discardableResult @export(implementation) public func bind<Root: TrackedObject, Source: PropertyHandle>(
        to keyPath: KeyPath<Root, Source>, of source: Root, options: ObservingOptions = [],
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping (Source.Current) -> Value
    ) -> KeyValueObservation {
        bind(to: source[keyPath: keyPath], options: options, file: file, line: line, transform: transform)
    }

    /// Makes the property follow a key of another object: `label.$title.bind(to: \.fullName, of: person)`.
    ///
    /// - Precondition: The key path is one that a key is declared with; any other traps, as in
    ///   `observe(_:options:userInfo:file:line:_:)`.
    @_disfavoredOverload
    @discardableResult @export(implementation) public func bind<Root: TrackedObject>(
        to keyPath: KeyPath<Root, Value>, of source: Root, options: ObservingOptions = [],
        file: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueObservation {
        bind(to: keyPath, of: source, options: options, file: file, line: line) { $0 }
    }

    /// Makes the property follow a function of the values of a key of another object. The function is called on the thread of the
    /// change.
    ///
    /// - Precondition: The key path is one that a key is declared with.
    @_disfavoredOverload
    @discardableResult @export(implementation) public func bind<Root: TrackedObject, Input>(
        to keyPath: KeyPath<Root, Input>, of source: Root, options: ObservingOptions = [],
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping (Input) -> Value
    ) -> KeyValueObservation {
        bind(source[keyPath: keyPath], options, transform) { options, name, follow in
            object.observe(keyPath, of: source, options: options, userInfo: name, file: file, line: line) {
                (object: TrackedObject, change: Change<Input>) in follow(object, change.currentValue)
            }
        }
    }

    /// Binds the property: observes, replaces the former binding, and sets the property to the first value.
    ///
    /// - Parameter observe: Makes the observation. Its handler gives the other closure the object and the source's value.
    @usableFromInline func bind<Input>(
        _ first: @autoclosure () -> Input, _ options: ObservingOptions, _ transform: @escaping (Input) -> Value,
        _ observe: (ObservingOptions, ObservationName, @escaping (TrackedObject, Input?) -> Void) -> KeyValueObservation
    ) -> KeyValueObservation {
        // The handler does not keep the object, which is its observer.
        let (circle, equality, handle, key) = (BindingCircle(), AnyEquality.of(Value.self), ofOtherObject, key)
        func follow(_ object: TrackedObject, _ input: Input?) {
            guard let input else { return }
            let (property, new) = (handle(object), transform(input))
            circle.set(new, insteadOf: property.value, by: equality.callAsFunction, "\(type(of: object)).\(key)") {
                property.value = new
            }
        }
        let name = ObservationName(role: .binding, text: key)
        let observation = observe(options.subtracting([.old, .new, .initial, .prior, .once]), name, follow)
        name.end(of: object, except: observation)
        follow(object, first())
        return observation
    }
}
