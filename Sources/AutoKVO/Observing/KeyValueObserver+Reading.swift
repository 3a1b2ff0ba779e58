extension KeyValueObserver {
    /// Observes whatever a closure reads: `panel.observe(reading: { $0.model?.fullName }) { panel, change in … }`.
    ///
    /// The closure is called now, and after each change of something that it read the last time: observed, weak and derived properties
    /// of any tracked object, handles, `value(forKey:)`, elements. It may read something else each time. What is read inside
    /// `withoutTracking(_:)` does not count. The handler is called if the value is another one (by `==`; by identity for objects without
    /// one; what cannot be compared is different), with the values from before and after as far as the options ask for them. With
    /// `.prior` it is also called before each change of what was read; if the value turns out to be equal, no other call follows.
    ///
    /// The closure gets the observer, so that it need capture nothing. The observation ends with the observer, keeps nothing alive that
    /// was read but for objects in a value that is a collection, a tuple or a structure, and has no key paths and no target. That of an observer which is no `TrackedObject` also ends, with
    /// `.targetDeinitialized`, when all that was read is dead. A closure that reads nothing that is observed is reported to `Diagnostics`.
    ///
    /// Not for actors: the closure would run outside of the actor. Let another object observe, `on:` the actor.
    ///
    /// - Parameters:
    ///   - value: Called on the thread of this call, and of the changes, before the write returns. A write in it is done and reported
    ///     to `Diagnostics`, unless nobody observes the object.
    ///   - options: Which values the change has, `.initial`, `.prior`, `.once`.
    ///   - userInfo: The observation's `userInfo`.
    ///   - file: The call site, for `debugDescription`. Leave it at its default.
    ///   - line: The same.
    ///   - handler: Called on the thread of the change, before the write returns.
    /// - Returns: The observation. It need not be kept.
    /// - Precondition: The observer's deinit has not begun.
    /// - Complexity: O(*n*) for *n* reads.
    @discardableResult @export(implementation) public func observe<Value>(
        reading value: @escaping (Self) -> Value, options: ObservingOptions = [], userInfo: Any? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping (Self, Change<Value>) -> Void
    ) -> KeyValueObservation {
        Registration(options, userInfo, .closure(handler), file, line)
            .observe(reading: { value(known($0, as: Self.self)) }, as: Value.self, by: self)
    }
}
