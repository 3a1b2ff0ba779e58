// What is under way keeps neither the observer nor the object. The forms with any scheduler are disfavoured, so that `.mainActor` gets
// a handler that is typed as the main actor's. Of its two forms one is called on the main actor, for an observer that is not `Sendable`.

extension PropertyHandles {
    /// Observes the property for an observer: the observation ends when either object dies, and keeps neither alive.
    ///
    ///     person.$firstName.observe(for: panel, options: .new) { panel, change in … }
    ///     person.$firstName.observe(for: panel, options: .new, on: .mainActor) { panel, change in … }
    ///     person.$friends.observe(for: panel, on: .mainActor) { panel in … }
    ///
    /// Without `on:`, the handler is called on the thread that makes the change, before the write returns:
    /// `addObserver(_:options:userInfo:file:line:_:)` is the same.
    ///
    /// With `on:`, it is called there, in the order of the changes, and the write does not wait for it: on the main actor (`.mainActor`, or a
    /// `MainActorChangeScheduler` of your own), on an actor, whose handler gets that first, or by any `ChangeScheduler`. A change that
    /// is under way does not keep the observer alive. The handler is called if both objects are alive then and the observation has
    /// not been removed; both are kept for the length of the call. An actor is not kept either: when it has died, the next change ends
    /// the observation.
    ///
    /// With `on:`, the observer is `Sendable`, since the handler uses it on another thread, and so are the values of a change that it
    /// gets. For the main actor, an observer that is not `Sendable` will do where you make the call on the main actor. A handler that gets
    /// only the observer asks nothing of the values.
    ///
    /// - Parameters:
    ///   - observer: Any object.
    ///   - options: What the changes carry and when the observation ends. `.old` and `.new` have no effect for a handler without a change.
    ///   - userInfo: Handed back in each change.
    ///   - file: The call site, for `debugDescription`. Leave it at its default.
    ///   - line: The same.
    ///   - handler: Gets the observer, so that it need not capture it, and the change.
    /// - Returns: The observation. It need not be kept.
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @discardableResult @export(implementation) public func observe<Observer: AnyObject>(
        for observer: Observer, options: ObservingOptions = [], userInfo: Any? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping (Observer, Change<Value>) -> Void
    ) -> KeyValueObservation {
        addObserver(observer, options: options, userInfo: userInfo, file: file, line: line, handler)
    }

    /// Observes the property for an observer, with a handler that gets only the observer. See
    /// `observe(for:options:userInfo:file:line:_:)`.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @discardableResult @export(implementation) public func observe<Observer: AnyObject>(
        for observer: Observer, options: ObservingOptions = [], userInfo: Any? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping (Observer) -> Void
    ) -> KeyValueObservation {
        let handler = { (observer: Observer, _: Change<Never>) in handler(observer) }
        return Registration(options.withoutValues, userInfo, .closure(handler, .observer), file, line)
            .observe(targets, by: observer)
    }

    /// Calls a handler of an observer with the value now, and with the value after each change. See
    /// `onValue(options:userInfo:file:line:_:)` for the values, and `observe(for:options:userInfo:file:line:_:)` for `on:`.
    ///
    ///     person.$firstName.onValue(for: label, on: .mainActor) { label, name in label.text = name }
    ///
    /// With `on:`, the handler gets the value that the property had at the change; also the first value is sent.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @discardableResult @export(implementation) public func onValue<Observer: AnyObject>(
        for observer: Observer, options: ObservingOptions = [], userInfo: Any? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping (Observer, Current) -> Void
    ) -> KeyValueObservation {
        let turns = Turns()
        return addObserver(observer, options: options.ofWholeValue, userInfo: userInfo, file: file, line: line) {
            observer, change in
            turns.hand(change.currentValue(as: Current.self), while: change.isHeard) {
                if change.isHeard { handler(observer, $0) }
            }
        }
    }

    // MARK: Elsewhere, without the change

    /// Observes the property for an observer and delivers on the main actor that it changed. See
    /// `observe(for:options:userInfo:file:line:_:)`.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @discardableResult @export(implementation) public func observe<Observer: AnyObject & Sendable>(
        for observer: Observer, options: ObservingOptions = [], userInfo: (any Sendable)? = nil,
        on scheduler: some MainActorChangeScheduler, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @MainActor (Observer) -> Void
    ) -> KeyValueObservation {
        let destination: Destination<Observer, Void> = .mainActor(scheduler) { observer, _ in handler(observer) }
        return observe(for: observer, options.withoutValues, userInfo, file, line, .nothing(), to: destination)
    }

    /// Observes the property for an observer and delivers on the main actor that it changed. The observer need not be `Sendable`: the
    /// call is made on the main actor, too. See `observe(for:options:userInfo:file:line:_:)`.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @MainActor @discardableResult @export(implementation) public func observe<Observer: AnyObject>(
        for observer: Observer, options: ObservingOptions = [], userInfo: (any Sendable)? = nil,
        on scheduler: some MainActorChangeScheduler, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @MainActor (Observer) -> Void
    ) -> KeyValueObservation {
        let destination: Destination<Observer, Void> = .mainActor(scheduler) { observer, _ in handler(observer) }
        return observe(for: observer, options.withoutValues, userInfo, file, line, .nothing(), to: destination)
    }

    /// Observes the property for an observer and delivers on an actor that it changed. See
    /// `observe(for:options:userInfo:file:line:_:)`.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @discardableResult @export(implementation) public func observe<Observer: AnyObject & Sendable, A: Actor>(
        for observer: Observer, options: ObservingOptions = [], userInfo: (any Sendable)? = nil, on actor: A,
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping @Sendable (isolated A, Observer) -> Void
    ) -> KeyValueObservation {
        observe(
            for: observer, options.withoutValues, userInfo, file, line, .nothing(),
            to: .actor(actor) { (actor: isolated A, observer, _) in handler(actor, observer) })
    }

    /// Observes the property for an observer and delivers by a scheduler that it changed. See
    /// `observe(for:options:userInfo:file:line:_:)`.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @_disfavoredOverload @discardableResult @export(implementation) public func observe<Observer: AnyObject & Sendable>(
        for observer: Observer, options: ObservingOptions = [], userInfo: (any Sendable)? = nil,
        on scheduler: some ChangeScheduler, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @Sendable (Observer) -> Void
    ) -> KeyValueObservation {
        let destination: Destination<Observer, Void> = .scheduler(scheduler) { observer, _ in handler(observer) }
        return observe(for: observer, options.withoutValues, userInfo, file, line, .nothing(), to: destination)
    }

    /// Observes the property for an observer elsewhere.
    @usableFromInline func observe<Observer: AnyObject, Content>(
        for observer: Observer, _ options: ObservingOptions, _ userInfo: Any?, _ file: StaticString, _ line: UInt,
        _ parcel: Parcel<Content>, to destination: Destination<Observer, Content>
    ) -> KeyValueObservation {
        Registration(options, userInfo, file, line) { $0.handler(parcel, to: destination) }
            .observe(targets, by: observer)
    }
}

// MARK: Elsewhere, with the change

extension PropertyHandles where Value: Sendable {
    /// Observes the property for an observer and delivers its changes on the main actor. See
    /// `observe(for:options:userInfo:file:line:_:)`.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @discardableResult @export(implementation) public func observe<Observer: AnyObject & Sendable>(
        for observer: Observer, options: ObservingOptions = [], userInfo: (any Sendable)? = nil,
        on scheduler: some MainActorChangeScheduler, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @MainActor (Observer, Change<Value>) -> Void
    ) -> KeyValueObservation {
        observe(for: observer, options, userInfo, file, line, .change(), to: .mainActor(scheduler, handler))
    }

    /// Observes the property for an observer and delivers its changes on the main actor. The observer need not be `Sendable`: the call is
    /// made on the main actor, too. See `observe(for:options:userInfo:file:line:_:)`.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @MainActor @discardableResult @export(implementation) public func observe<Observer: AnyObject>(
        for observer: Observer, options: ObservingOptions = [], userInfo: (any Sendable)? = nil,
        on scheduler: some MainActorChangeScheduler, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @MainActor (Observer, Change<Value>) -> Void
    ) -> KeyValueObservation {
        observe(for: observer, options, userInfo, file, line, .change(), to: .mainActor(scheduler, handler))
    }

    /// Observes the property for an observer and delivers its changes on an actor. See
    /// `observe(for:options:userInfo:file:line:_:)`.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @discardableResult @export(implementation) public func observe<Observer: AnyObject & Sendable, A: Actor>(
        for observer: Observer, options: ObservingOptions = [], userInfo: (any Sendable)? = nil,
        on actor: A, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @Sendable (isolated A, Observer, Change<Value>) -> Void
    ) -> KeyValueObservation {
        observe(for: observer, options, userInfo, file, line, .change(), to: .actor(actor, handler))
    }

    /// Observes the property for an observer and delivers its changes by a scheduler. See
    /// `observe(for:options:userInfo:file:line:_:)`.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @_disfavoredOverload @discardableResult @export(implementation) public func observe<Observer: AnyObject & Sendable>(
        for observer: Observer, options: ObservingOptions = [], userInfo: (any Sendable)? = nil,
        on scheduler: some ChangeScheduler, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @Sendable (Observer, Change<Value>) -> Void
    ) -> KeyValueObservation {
        observe(for: observer, options, userInfo, file, line, .change(), to: .scheduler(scheduler, handler))
    }
}

// MARK: Elsewhere, with the whole value

extension PropertyHandles where Current: Sendable {
    /// Calls a handler of an observer with the value now and after each change, on the main actor. See
    /// `onValue(for:options:userInfo:file:line:_:)`.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @discardableResult @export(implementation) public func onValue<Observer: AnyObject & Sendable>(
        for observer: Observer, options: ObservingOptions = [], userInfo: (any Sendable)? = nil,
        on scheduler: some MainActorChangeScheduler, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @MainActor (Observer, Current) -> Void
    ) -> KeyValueObservation {
        observe(for: observer, options.ofWholeValue, userInfo, file, line, .value(), to: .mainActor(scheduler, handler))
    }

    /// Calls a handler of an observer with the value now and after each change, on the main actor. The observer need not be `Sendable`: the
    /// call is made on the main actor, too. See `onValue(for:options:userInfo:file:line:_:)`.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @MainActor @discardableResult @export(implementation) public func onValue<Observer: AnyObject>(
        for observer: Observer, options: ObservingOptions = [], userInfo: (any Sendable)? = nil,
        on scheduler: some MainActorChangeScheduler, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @MainActor (Observer, Current) -> Void
    ) -> KeyValueObservation {
        observe(for: observer, options.ofWholeValue, userInfo, file, line, .value(), to: .mainActor(scheduler, handler))
    }

    /// Calls a handler of an observer with the value now and after each change, on an actor. See
    /// `onValue(for:options:userInfo:file:line:_:)`.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @discardableResult @export(implementation) public func onValue<Observer: AnyObject & Sendable, A: Actor>(
        for observer: Observer, options: ObservingOptions = [], userInfo: (any Sendable)? = nil,
        on actor: A, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @Sendable (isolated A, Observer, Current) -> Void
    ) -> KeyValueObservation {
        observe(for: observer, options.ofWholeValue, userInfo, file, line, .value(), to: .actor(actor, handler))
    }

    /// Calls a handler of an observer with the value now and after each change, by a scheduler. See
    /// `onValue(for:options:userInfo:file:line:_:)`.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @_disfavoredOverload @discardableResult @export(implementation) public func onValue<Observer: AnyObject & Sendable>(
        for observer: Observer, options: ObservingOptions = [], userInfo: (any Sendable)? = nil,
        on scheduler: some ChangeScheduler, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @Sendable (Observer, Current) -> Void
    ) -> KeyValueObservation {
        observe(for: observer, options.ofWholeValue, userInfo, file, line, .value(), to: .scheduler(scheduler, handler))
    }
}
