extension TrackedObject {
    /// Makes a property of this object follow a key path of another one.
    ///
    ///     try label.bind("title", to: "fullName", of: person)
    ///
    /// The property is set at once, and again at each change, unless it has an equal value already: so two properties
    /// that are bound to each other stop at the first equal value. It is set to the whole value that the path has at that
    /// time: when an edit of a collection, or a write that a handler corrects, returns, both sides are equal. A property follows one thing at a time: binding it
    /// again replaces what it followed. The binding ends with the life of either object, and keeps neither alive.
    ///
    /// A nil that comes to a property that cannot be nil throws here; later it is reported to `Diagnostics`, and the
    /// property keeps its value. A `.default` gives such a property another value instead.
    ///
    /// - Parameters:
    ///   - key: A key of this object that can be set.
    ///   - keyPath: A key or path of the source.
    ///   - source: The object that is followed, which may be this object itself.
    ///   - options: `.retainsTarget` keeps the source alive, `.distinct` looks at changes of the source only if it
    ///     really changed. What concerns the values and the initial call is the binding's own affair.
    ///   - transform: What happens to the values on their way.
    ///   - file: Where the call stands in the program, for `debugDescription`. Not to be given.
    ///   - line: The same.
    /// - Returns: The observation of the source. Removing it is the same as `unbind(_:)`; it need not be kept.
    /// - Throws: A `KeyValueError` if the key is unknown or cannot be set, the path is wrong, or its values do not fit
    ///   the key or the transform. Then nothing is bound or set, and what the property followed it goes on following.
    @discardableResult
    public func bind(
        _ key: String, to keyPath: String, of source: TrackedObject, options: ObservingOptions = [],
        transform: BindingTransform = .identity, file: StaticString = #fileID, line: UInt = #line
    ) throws(KeyValueError) -> KeyValueObservation {
        let path = try ParsedKeyPath.parse(keyPath, for: type(of: source))
        let binding = try Binding(of: key, of: self, to: path, of: type(of: source), transform)
        _ = try binding.converted(path.value(from: source))
        let observation = try source.addObserver(
            self, forKeyPath: [keyPath], options: options.subtracting([.old, .new, .initial, .prior, .once]),
            userInfo: ObservationName(role: .binding, text: key), file: file, line: line
        ) { (object: TrackedObject, change: Change<Any>) in
            binding.follow(change.currentValue, on: object)
        }
        observation.replaceOthersOfItsName()
        binding.follow(path.value(from: source), on: self)
        return observation
    }

    /// Makes a property of this object follow what a function makes of the values of a key path of another one. The
    /// function is not asked about nil, which stays nil, unless its argument is optional.
    ///
    /// - Throws: As the form with a `BindingTransform`.
    @discardableResult
    public func bind<Input, Output>(
        _ key: String, to keyPath: String, of source: TrackedObject, options: ObservingOptions = [],
        file: StaticString = #fileID, line: UInt = #line, transform: @escaping (Input) -> Output
    ) throws(KeyValueError) -> KeyValueObservation {
        try bind(
            key, to: keyPath, of: source, options: options, transform: BindingTransform(transform), file: file,
            line: line)
    }

    /// Ends the binding of a property, which keeps its value.
    ///
    /// - Returns: Whether it was bound.
    /// - Complexity: O(*n*) for *n* observations that this object holds.
    @discardableResult
    public func unbind(_ key: String) -> Bool {
        guard let observation = KeyValueObservation.named(ObservationName(role: .binding, text: key), heldBy: self)
        else { return false }
        observation.remove()
        return true
    }
}

extension Property {
    /// Makes the property follow another one of the same type: `label.$title.bind(to: person.$firstName)`.
    ///
    /// What the compiler cannot see is a mistake in code and traps: a nil that comes at first, an object whose deinit
    /// has begun. See `TrackedObject.bind(_:to:of:options:transform:file:line:)`.
    @discardableResult
    public func bind(
        to source: Property<Value>, options: ObservingOptions = [], file: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueObservation {
        bind(to: source, options: options, .identity, file, line)
    }

    /// Makes the property follow what a function makes of another one's values.
    @discardableResult
    public func bind<Other>(
        to source: Property<Other>, options: ObservingOptions = [], file: StaticString = #fileID, line: UInt = #line,
        transform: @escaping (Other) -> Value
    ) -> KeyValueObservation {
        bind(to: source, options: options, BindingTransform(transform), file, line)
    }

    private func bind<Other>(
        to source: Property<Other>, options: ObservingOptions, _ transform: BindingTransform, _ file: StaticString,
        _ line: UInt
    ) -> KeyValueObservation {
        do throws(KeyValueError) {
            return try object.bind(
                key, to: source.key, of: source.object, options: options, transform: transform, file: file, line: line)
        } catch {
            misuse("\(error)")
        }
    }
}
