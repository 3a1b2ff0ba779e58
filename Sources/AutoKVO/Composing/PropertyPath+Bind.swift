extension PropertyPath {
    /// Makes the property at the end of the path follow another one: `controller.$selection.$name.bind(to: form.$text)`.
    ///
    /// The property is set in the object that is there now, and at each change of the source in the one that is there then, unless
    /// the value is equal. Where an object on the way is nil, nothing is set. An object that comes later, such as a new selection, keeps
    /// its value until the source changes. A path has one binding at a time, and it ends when the source or the object at which the
    /// path begins dies.
    ///
    /// A path of handles writes to the storage, as handles do, if the property is `@Observed`. One that `path(_:as:)` has made sets by
    /// name what a `Key` offers. What cannot be set is reported to `Diagnostics`.
    ///
    /// - Parameters:
    ///   - source: The handle of a property or of a path.
    ///   - options: `.retainsTarget` keeps the source alive, `.distinct` ignores its changes to an equal value.
    ///   - file: The call site, for `debugDescription`. Leave it at its default.
    ///   - line: The same.
    /// - Returns: The observation of the source. It need not be kept.
    /// - Complexity: O(*n*) for *n* observations that the first object holds, and O(*m*) at each change for *m* keys.
    @discardableResult public func bind<Source: PropertyHandle>(
        to source: Source, options: ObservingOptions = [], file: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueObservation where Source.Current == Value {
        bind(to: source, options: options, file: file, line: line) { $0 }
    }

    /// Makes the property, which is optional, follow one that is not.
    ///
    /// - Complexity: O(*n*) for *n* observations that the first object holds, and O(*m*) at each change for *m* keys.
    @discardableResult public func bind<Source: PropertyHandle>(
        to source: Source, options: ObservingOptions = [], file: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueObservation where Value == Source.Current? {
        bind(to: source, options: options, file: file, line: line) { $0 }
    }

    /// Makes the property follow a function of another one's values. The function is called on the thread of the change.
    ///
    /// - Complexity: O(*n*) for *n* observations that the first object holds, and O(*m*) at each change for *m* keys.
    @discardableResult public func bind<Source: PropertyHandle>(
        to source: Source, options: ObservingOptions = [], file: StaticString = #fileID, line: UInt = #line,
        transform: @escaping (Source.Current) -> Value
    ) -> KeyValueObservation {
        bind(SettablePath<Value>(self).settable, to: source, copiesValues: false, options, file, line, transform)
    }

    /// Ends the binding of the path, whose property keeps its value.
    ///
    /// - Returns: Whether it was bound.
    /// - Complexity: O(*n*) for *n* observations that the object holds.
    @discardableResult public func unbind() -> Bool { bindingName.unbind(object) }
}

extension Property {
    /// Makes this property and another one follow each other: at first, this one takes the other's value. Several can show and set one
    /// property in this way, which may have a binding of its own.
    ///
    /// If both are set before their changes are delivered, as in one `coalescingChanges`, both end equal: the change that is delivered first
    /// wins, which is that of the property that was set first. If several properties show one, the first of them all wins.
    ///
    /// - Parameters:
    ///   - source: The other property.
    ///   - options: `.distinct` ignores changes to an equal value.
    ///   - file: The call site, for `debugDescription`. Leave it at its default.
    ///   - line: The same.
    /// - Returns: The observation of the other property. Both directions end with it, with `unbind()` of either, with either object, and where
    ///   one of the objects ends what it observes, as by `stopObserving()`: each observes the other one.
    /// - Complexity: O(*n*) for *n* observations that this object holds. Each change compares the values several times.
    @discardableResult public func bindBothWays(
        to source: Property<Value>, options: ObservingOptions = [], file: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueObservation {
        bindBothWays(source, options, file, line, { $0! }, { $0 })
    }

    /// Makes this property and one at the end of a path follow each other:
    /// `form.$text.bindBothWays(to: controller.$selection.$name, nilAs: "")`.
    ///
    /// This property shows the one that the path leads to. When it changes, it sets that one, and nothing where an object on the way is
    /// nil. A new selection is read, and never written with the last one's value.
    ///
    /// If both are set before their changes are delivered, as in one `coalescingChanges`, this property wins, since paths are delivered after
    /// properties. If the path leads to another object by then, that one is read, and the edit is lost.
    ///
    /// - Parameters:
    ///   - source: The path.
    ///   - value: What this property is set to where the path leads to no object.
    ///   - options: `.distinct` ignores changes to an equal value.
    ///   - file: The call site, for `debugDescription`. Leave it at its default.
    ///   - line: The same.
    /// - Returns: The observation of the path. Both directions end with it, with `unbind()` of either side, with either object, and where one of
    ///   the objects ends what it observes, as by `stopObserving()`: each observes the other one.
    /// - Complexity: O(*n* + *m*) for *n* observations that this object holds and *m* keys of the path. Each change follows the path, and
    ///   compares the values, several times.
    @discardableResult public func bindBothWays(
        to source: PropertyPath<Value>, nilAs value: Value, options: ObservingOptions = [],
        file: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueObservation {
        bindBothWays(source, options, file, line, { $0 ?? value }, { $0 })
    }

    /// The same for a property at the end of the path that is optional. The binding never sets that to nil. Where it is nil, this property
    /// shows the given value, which is not written back.
    ///
    /// - Complexity: O(*n* + *m*) for *n* observations that this object holds and *m* keys of the path. Each change follows the path, and
    ///   compares the values, several times.
    @discardableResult public func bindBothWays(
        to source: PropertyPath<Value?>, nilAs value: Value, options: ObservingOptions = [],
        file: StaticString = #fileID, line: UInt = #line
    ) -> KeyValueObservation {
        bindBothWays(source, options, file, line, { ($0 ?? nil) ?? value }, { $0 })
    }

    /// Makes this property follow a function of another one's values, and the other one the inverse of it.
    ///
    /// What this property shows is not written back: only a value that differs from what the transform gives for the other one's.
    /// So a transform that rounds changes nothing as long as nobody edits. Both functions are called on the thread of the change.
    ///
    /// - Complexity: O(*n*) for *n* observations that this object holds. Each change calls `transform` and compares the values several times.
    @discardableResult public func bindBothWays<Other>(
        to source: Property<Other>, options: ObservingOptions = [], file: StaticString = #fileID, line: UInt = #line,
        transform: @escaping (Other) -> Value, inverse: @escaping (Value) -> Other
    ) -> KeyValueObservation {
        bindBothWays(source, options, file, line, { transform($0!) }, inverse)
    }

    /// Makes this property follow a function of the values at the end of a path, and that end the inverse of it. The function gets
    /// nil where the path leads to no object.
    ///
    /// - Complexity: O(*n* + *m*) for *n* observations that this object holds and *m* keys of the path. Each change follows the path, and
    ///   calls `transform` and compares the values, several times.
    @discardableResult public func bindBothWays<Other>(
        to source: PropertyPath<Other>, options: ObservingOptions = [], file: StaticString = #fileID,
        line: UInt = #line, transform: @escaping (Other?) -> Value, inverse: @escaping (Value) -> Other
    ) -> KeyValueObservation {
        bindBothWays(source, options, file, line, transform, inverse)
    }

    private func bindBothWays<Source: PropertyHandle>(
        _ source: Source, _ options: ObservingOptions, _ file: StaticString, _ line: UInt,
        _ transform: @escaping (Source.Value?) -> Value, _ inverse: @escaping (Value) -> Source.Value
    ) -> KeyValueObservation {
        var own = settable
        own.comparesCopies = true
        let (other, shown) = (SettablePath<Source.Value>(source, isShown: true), ShownObject())
        let binding = makeBinding(own, copiesValues: false)
        func current(_ root: TrackedObject) -> Value { transform(other.value(from: root)) }
        // An edit is for the object that was shown.
        func writeBack(_ object: TrackedObject, to root: TrackedObject, _ reading: KeyValueObservation) {
            let value = own.value(in: object, as: Value.self)
            let end = other.object(from: root)
            guard shown.isShown(end), !areSame(current(root), value), !shown.isEqual(to: value) else { return }
            if end == nil { return other.reportMisfit(from: root) }
            let edited = inverse(value)
            // The functions may have selected another object, or ended this.
            guard other.object(from: root) === end, reading.isValid else { return }
            other.set(edited, from: root) { reading.isValid }
            // A setter may have made of it what was there before, which is no change.
            let result = current(root)
            if shown.isShown(end), shown.isEqual(to: result) { _ = follow(root, in: object, reading) }
        }
        // What is set may have its observers change the source.
        func follow(_ root: TrackedObject, in object: TrackedObject, _ reading: KeyValueObservation) -> Value? {
            guard binding.set(object, reading, to: { current(root) }), reading.isValid else { return nil }
            let (end, value) = (other.object(from: root), current(root))
            guard other.object(from: root) === end, reading.isValid else { return nil }
            shown.set(end, value)
            return value
        }
        // What is shown changes when it has been set: setting it completes deliveries of what was shown before.
        func show(_ root: TrackedObject, in object: TrackedObject, _ reading: KeyValueObservation) {
            // Where there is nothing new to show, an edit of which the binding has not been notified yet is written back first.
            if shown.isEqual(to: current(root)), !shown.isEqual(to: own.value(in: object, as: Value.self)) {
                OutermostChange.finishCalls()
            }
            shown.set(nil, nil)
            // A handler may have corrected it. One that is another one each time would always seem corrected.
            if let new = follow(root, in: object, reading), areSame(new, current(root)) {
                writeBack(object, to: root, reading)
            }
        }
        let (name, back) = (bindingName, ObservationName.shown(source.bindingName))
        let reading = source.addObserver(object, options: options.ofBinding, userInfo: name, file: file, line: line) {
            if let root = $1.target { show(root, in: $0, $1.observation) }
        }
        // If each of the two kept the other one, neither would die.
        let forth = options.ofBinding.subtracting(.retainsTarget)
        let writing = addObserver(source.object, options: forth, userInfo: back, file: file, line: line) {
            if let object = $1.target { writeBack(object, to: $0, reading) }
        }
        // Another object may have an equal value, which is no change of the path where that leads through a derived value.
        let moving = other.observeObject(from: source.object, by: object, options.ofBinding, file, line) {
            if let root = $1.target { show(root, in: $0, reading) }
        }
        name.end(of: object, except: reading)
        reading.onEnd { _ in moving?.remove() }
        reading.onEnd { _ in writing.remove() }
        // If one of the objects dies, both end by themselves.
        writing.onEnd { if $0 == .removed { reading.remove() } }
        withoutTracking { show(source.object, in: object, reading) }
        return reading
    }
}
