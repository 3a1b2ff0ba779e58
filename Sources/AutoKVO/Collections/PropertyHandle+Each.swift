extension PropertyHandle where Value: Collection, Value.Element: TrackedObject {
    /// Observes a property of each object in the collection, as long as the object is in it.
    ///
    ///     team.$members.observeEach(\.$salary) { member, change in … }
    ///
    /// An object that joins is observed from then on, and one that leaves no longer; one that is in the collection several times is
    /// observed once, until it is out. An object that only changes its place is observed all the while, unless `update(to:)` moves it, or an
    /// `edit` that also adds or removes elements: then it leaves, and joins again.
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
        let ofEach = options.subtracting([.retainsTarget, .initial, .unregisterManually]).union(
            .unregisterAutomatically)
        let each = ObservedEach<Value.Element>(callsInitially: options.contains(.initial)) { member in
            Registration(ofEach, userInfo, .closure(handler, .targetAndChange), file, line)
                .observe(HandleKeyPath(member, keyPath).targets)
        }
        let own = options.intersection(.retainsTarget).union(.initial)
        let handler = { (change: Change<Any>) in
            if change.kind != .setting {
                return change.forEachElement(added: each.add, removed: each.remove, items(Value.self))
            }
            // Not by the old value: there is none if an object on the way has died.
            let members = change.newValue.flatMap(unwrapped).flatMap(items(Value.self)) ?? []
            let (gone, new) = each.keep(only: members.compactMap { $0 as? Value.Element })
            change.context.makeCalls(gone.count + new.count) { number in
                if number < gone.count { gone[number].remove() } else { each.add(new[number - gone.count]) }
            }
            // One of these may have ended all.
            for observation in gone { observation.remove() }
        }
        var registration = Registration(own.ofElements, nil, .closure(handler), file, line)
        // Before the initial call, in which it may end.
        registration.useDetails().onEnd = [{ _ in each.end() }]
        return registration.observe(targets)
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
        members.withLock { members -> KeyValueObservation? in
            members?[identity]?.count -= 1
            return members?[identity]?.count == 0 ? members?.removeValue(forKey: identity)?.observation : nil
        }?.remove()
    }

    /// Lets go of the objects that are not among those of a collection.
    ///
    /// - Returns: The observations of those, which are to be removed, and of the elements those that are to be added.
    func keep(only elements: [Member]) -> (gone: [KeyValueObservation], new: [Member]) {
        let counts = Dictionary(elements.map { (ObjectIdentifier($0), 1) }, uniquingKeysWith: +)
        let (former, new) = members.withLock { members -> (Members, [Member]) in
            let former = members ?? [:]
            members?.removeAll()
            for (identity, count) in counts { members?[identity] = former[identity].map { (count, $0.observation) } }
            return (former, members.map { known in elements.filter { known[ObjectIdentifier($0)] == nil } } ?? [])
        }
        return (former.filter { counts[$0.key] == nil }.compactMap(\.value.observation), new)
    }

    func end() { members.withLock { $0.take() }?.values.forEach { $0.observation?.remove() } }
}
