extension PropertyHandle where Value: Collection, Value.Element: TrackedObject {
    /// Observes a property of each object in the collection, as long as the object is in it.
    ///
    ///     team.$members.observeEach(\.$salary) { member, change in … }
    ///
    /// An object that joins is observed from then on, and one that leaves no longer; one that is in the collection several times is
    /// observed once, until it is out. An object that only changes its place is observed all the while.
    ///
    /// - Parameters:
    ///   - keyPath: The handle of the property, or a path of handles.
    ///   - options: As for any observation of the property. With `.initial` there is a call for each object, also for those that join; with
    ///     `.once` there is one for each. `.unregisterManually` has no effect.
    ///   - userInfo: Each change has it.
    ///   - file: The call site, for `debugDescription`. Leave it at its default.
    ///   - line: The same.
    ///   - handler: Gets the object and its change, on the thread that makes the change. It should not capture the collection's owner.
    ///     `change.observation` is that of the one object, and ends for it alone, until the object has left and joins again.
    /// - Returns: The observation of the collection. All ends with it, and it ends with the collection's owner.
    /// - Complexity: O(*n*) for *n* objects; O(*k*) for an edit of *k* of them.
    @discardableResult public func observeEach<Handle: PropertyHandle>(
        _ keyPath: KeyPath<Value.Element, Handle>, options: ObservingOptions = [], userInfo: Any? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping (Value.Element, Change<Handle.Value>) -> Void
    ) -> KeyValueObservation {
        let each = ObservedEach<Value.Element>(callsInitially: options.contains(.initial)) { member in
            Registration(
                options.subtracting([.retainsTarget, .initial]).union(.unregisterAutomatically), userInfo,
                .closure(handler, .targetAndChange), file, line
            ).observe(member[keyPath: keyPath].target)
        }
        let own = options.intersection(.retainsTarget).union(.initial)
        let observation = observeElements(
            as: Value.self, own.ofElements, file, line, { each.add($0) }, { each.remove($0) })
        observation.onEnd { _ in each.end() }
        return observation
    }
}

/// The objects of a collection that are observed. The collection is changed by one thread at a time; any thread may end it.
private final class ObservedEach<Member: TrackedObject> {
    private typealias Members = [ObjectIdentifier: (count: Int, observation: KeyValueObservation?)]
    private let callsInitially: Bool
    private let observe: (Member) -> KeyValueObservation
    /// Nil when it has ended.
    private let members = Guarded<Members?>([:])

    init(callsInitially: Bool, _ observe: @escaping (Member) -> KeyValueObservation) {
        (self.callsInitially, self.observe) = (callsInitially, observe)
    }

    func add(_ member: Member) {
        let identity = ObjectIdentifier(member)
        let isNew = members.withLock { members in
            members?[identity, default: (0, nil)].count += 1
            return members?[identity]?.count == 1
        }
        guard isNew else { return }
        let observation = observe(member)
        let isKept = members.withLock { members in
            members?[identity]?.observation = observation
            return members?[identity] != nil
        }
        if !isKept { return observation.remove() }
        // Only now: the handler may take the object out, and put it in again.
        if callsInitially { observation.callInitially() }
    }

    func remove(_ member: Member) {
        let identity = ObjectIdentifier(member)
        let gone = members.withLock { members -> KeyValueObservation? in
            guard let found = members?[identity] else { return nil }
            members![identity] = found.count > 1 ? (found.count - 1, found.observation) : nil
            return found.count > 1 ? nil : found.observation
        }
        gone?.remove()
    }

    func end() {
        let ended = members.withLock { members -> Members? in
            defer { members = nil }
            return members
        }
        for member in (ended ?? [:]).values { member.observation?.remove() }
    }
}
