/// What a registration asks for, in whatever form it is written, and the one way in which it is carried out: find the keys and
/// paths, check them, make the observation, attach it to both sides, make the initial calls.
///
/// Nothing is registered before everything is checked. The registration owns the handler until the observation takes it over;
/// one that fails releases it. Target and observer are kept alive by the caller, and their records by them; only the record of
/// an observer without a hook, which its observations own, is retained until the observation owns it. An object whose deinit has
/// begun cannot take part any more: `attach` makes the last check, under the lock of the object's record. No lock is held
/// here. Read next: `KeyValueObservation`, then `Removal` for how one ends.
///
/// **An example**: `try panel.observe("name", of: person, options: .initial) { panel, change in … }`.
///
///     KeyValueObserver.observe          makes the registration, which owns the closure as a `HandlerCall`
///     Registration.observe(string:)     the person's record, made if there is none; the slot of `name` in the schema of its class
///     make                              the panel's record; a `KeyValueObservation`, which takes the closure over and retains both records
///     start, attach                     `ObjectRecord.hold` under the lock of the panel's record, then `link` under that of the person's
///     callInitially                     calls the handler before `observe` returns; with `.new` it gets the value that the property has now
@usableFromInline struct Registration: ~Copyable {
    // Not copied: its members would be retained and released one by one (counts: `add`).
    @usableFromInline var options: ObservingOptions
    /// With the user info, if there is some.
    @usableFromInline var details: ObservationDetails?
    /// The type the handler expects values as.
    @usableFromInline let valueType: Any.Type
    @usableFromInline let handler: HandlerCall
    @usableFromInline let site: CallSite

    @export(implementation) init(
        _ options: ObservingOptions, _ userInfo: Any?, as valueType: Any.Type = Any.self,
        _ handler: consuming HandlerCall, _ file: StaticString, _ line: UInt
    ) {
        self.options = options
        // Not by `map`, which copies the value even if it is nil.
        details = userInfo == nil ? nil : ObservationDetails(userInfo: userInfo)
        self.valueType = valueType
        self.handler = handler
        site = CallSite(file, line)
    }

    /// A registration whose handler is called elsewhere: what is under way is dropped when the observation is removed or a side dies. It
    /// is not when a `.once` observation fires, whose change is still to be delivered.
    @usableFromInline init(
        _ options: ObservingOptions, _ userInfo: Any?, as valueType: Any.Type = Any.self, _ file: StaticString,
        _ line: UInt, _ handler: (OrderedDelivery) -> HandlerCall
    ) {
        let delivery = OrderedDelivery()
        self.init(options.union(.scheduled), userInfo, as: valueType, handler(delivery), file, line)
        useDetails().dropChanges = { delivery.close() }
    }

    // MARK: What is observed

    /// Observes paths of one object. Inlined into the caller, who knows whether the paths are a string.
    @export(implementation) @inline(__always) consuming func observe(
        _ keyPaths: some KeyPathSet, of target: TrackedObject, by observer: AnyObject? = nil
    ) throws(KeyValueError) -> KeyValueObservation {
        if let keyPath = keyPaths as? String { return try observe(string: keyPath, of: target, by: observer) }
        return try observe(keyPaths.keyPaths, of: [target], by: observer)
    }

    /// Observes what a string names: one key, in nearly all registrations.
    @usableFromInline consuming func observe(
        string: String, of target: TrackedObject, by observer: AnyObject?
    ) throws(KeyValueError) -> KeyValueObservation {
        var known = target.unmanagedRecord
        if known == nil { known = try target.makeUnmanagedRecord() }
        guard let record = known else { throw Self.dying(target, string) }
        let schema = record.use { $0.unmanagedSchema! }
        var found = schema.use { $0.slotByBits(of: string) }
        if found == nil {
            // Looked for before the names, which are hashed.
            if let kept = CheckedKeyPath.kept(string, by: schema), kept.path.isLong {
                return try observe([try check(kept, of: target)], by: observer)
            }
            found = schema.use { $0.slots[string] }
        }
        guard let slot = found else { return try observe([Dependency(target, string)], by: observer) }
        if schema.use({ $0.layout.value[slot].needsCheck }) { try target.checkFirstUse(of: slot, schema.object) }
        if options.contains(.initial) || valueType != Any.self {
            let key = record.use { $0.schema! }.keys[slot]
            if options.contains(.initial) { try key.checkKeyPath(of: target) }
            try target.requireValues(of: key.declared.valueType, as: valueType, try .parse(string))
        }
        return try Self.start(try make(record, slot, of: [target], by: observer), of: target, by: observer)
    }

    /// Observes paths of several objects as one observation.
    @usableFromInline consuming func observe(
        _ keyPaths: [String], of targets: [TrackedObject], by observer: AnyObject? = nil
    ) throws(KeyValueError) -> KeyValueObservation {
        if !targets.isEmpty { return try observe(targets.map { Dependency($0, keyPaths: keyPaths) }, by: observer) }
        if keyPaths.isEmpty { throw KeyValueError(.emptyPathSet) }
        let paths = try keyPaths.map { keyPath throws(KeyValueError) in try ParsedKeyPath.parse(keyPath) }
        return try observeNothing(paths, by: observer)
    }

    /// An observation of no object, which has ended.
    consuming func observeNothing(
        _ paths: [ParsedKeyPath], by observer: AnyObject?
    ) throws(KeyValueError) -> KeyValueObservation {
        let observation = try makeWithRoutes(nil, of: [], by: observer) { _ in RouteList() }
        observation.end(.targetDeinitialized)
        observation.details!.endedPaths = paths
        return observation
    }

    /// Observes, of each object, paths of its own, as one observation.
    @usableFromInline consuming func observe(
        _ dependencies: [Dependency], by observer: AnyObject? = nil
    ) throws(KeyValueError) -> KeyValueObservation {
        if dependencies.isEmpty || dependencies.contains(where: { $0.keyPaths.isEmpty }) {
            throw KeyValueError(.emptyPathSet)
        }
        var found: [CheckedPath] = []
        // A path that is named twice for one object is observed once. Two handles are the same if they are of the same properties.
        var seen: [ObjectIdentifier: (names: Set<String>, paths: [CheckedPath])] = [:]
        for dependency in dependencies {
            let (target, handle) = (dependency.target, dependency.handlePath)
            for keyPath in dependency.keyPaths {
                let new = try handle == nil ? check(keyPath, of: target) : check(handle!, of: target)
                func slot(_ path: ParsedKeyPath) -> Int? { path.slot(of: 0, in: new.record.unmanagedSchema!) }
                func isNew(_ old: CheckedPath) -> Bool {
                    slot(old.path) != slot(new.path) || !old.path.isSame(as: new.path)
                }
                let isNewName = seen[ObjectIdentifier(target), default: ([], [])].names.insert(keyPath).inserted
                if isNewName || seen[ObjectIdentifier(target)]!.paths.allSatisfy(isNew) {
                    found.append(new)
                    seen[ObjectIdentifier(target)]!.paths.append(new)
                }
            }
        }
        if found.count == 1, found[0].path.keys == [found[0].path.text] {
            if let property = found[0].path.properties.first {
                return try observe(key: property.slot, of: found[0].target, by: observer)
            }
            return try observe(string: found[0].path.text, of: found[0].target, by: observer)
        }
        return try observe(found, by: observer)
    }

    /// A path, and the object at which it begins with its record.
    typealias CheckedPath = (target: TrackedObject, record: ObjectRecord, path: ParsedKeyPath)

    private mutating func check(_ keyPath: String, of target: TrackedObject) throws(KeyValueError) -> CheckedPath {
        try check(try CheckedKeyPath.of(keyPath, from: target.requireSchema()), of: target)
    }

    mutating func check(_ checked: CheckedKeyPath, of target: TrackedObject) throws(KeyValueError) -> CheckedPath {
        try checked.checkFirstUse(from: target)
        try target.requireValues(of: checked.valueType, as: valueType, checked.path)
        return try check(checked.path, of: target)
    }

    mutating func check(_ path: ParsedKeyPath, of target: TrackedObject) throws(KeyValueError) -> CheckedPath {
        guard let record = try target.makeRecord() else { throw Self.dying(target, path.text) }
        if isManual(.to(record)) { options.insert(.unregisterManually) }
        return (target, record, path)
    }

    /// Observes paths, each by a route.
    consuming func observe(_ paths: [CheckedPath], by observer: AnyObject?) throws(KeyValueError) -> KeyValueObservation
    {
        let isSeveral = paths.count > 1
        let observation = try makeWithRoutes(.to(paths[0].record), of: paths.map { $0.target }, by: observer) { new in
            RouteList(paths.map { Route($0.path, root: $0.record, sink: .observation(new), isOneOfSeveral: isSeveral) })
        }
        if observation.options.contains(.initial) { observation.awaitInitialCalls() }
        return try Self.start(observation, of: paths[0].target, by: observer)
    }

    @inline(__always) consuming func observe(
        key slot: Int, of target: TrackedObject, by observer: AnyObject?
    ) throws(KeyValueError) -> KeyValueObservation {
        guard let record = try target.makeUnmanagedRecord() else { throw Self.dying(target, "") }
        return try Self.start(try make(record, slot, of: [target], by: observer), of: target, by: observer)
    }

    // MARK: How it is done

    /// The details, made if there are none.
    @inline(never) mutating func useDetails() -> ObservationDetails {
        if details == nil { details = ObservationDetails() }
        return details!
    }

    /// Makes the observation of one key, or, without a slot, one that is to get routes.
    ///
    /// - Parameter record: The record of the target, the first of several.
    @inline(__always) consuming func make(
        _ record: Borrowed<ObjectRecord>?, _ slot: Int = -1, of targets: @autoclosure () -> [TrackedObject],
        by observer: AnyObject?
    ) throws(KeyValueError) -> KeyValueObservation {
        var options = options
        let site = site
        var observerRecord: Borrowed<ObjectRecord>?
        var madeRecord: Borrowed<ObjectRecord>?
        if let unmanagedObserver = Borrowed<AnyObject>.toOptional(observer) {
            if unmanagedObserver.use({ $0 is TrackedObject }) {
                observerRecord = Borrowed<TrackedObject>.at(unmanagedObserver.rawAddress).use { $0.unmanagedRecord }
            }
            if observerRecord == nil { madeRecord = try Self.makeRecord(of: observer!) }
        }
        observerRecord = observerRecord ?? madeRecord
        if isManual(record) || isManual(observerRecord) { options.insert(.unregisterManually) }
        options.remove(.unregisterAutomatically)
        if options.isSuperset(of: [.once, .prior]) || options.contains(.scheduled) { _ = useDetails() }
        if options.contains(.retainsTarget) { useDetails().retainedTargets = .init(retaining: targets()) }
        let isCounted = Diagnostics.countsCalls
        if isCounted { _ = useDetails() }
        let details = details.take()
        let observation = KeyValueObservation(
            unmanagedRecord: record, slot: slot, unmanagedObserverRecord: observerRecord, options: options,
            handler: handler, site: site, flags: isCounted ? .counted : .any)
        madeRecord?.release()
        // Stored only if there are any (counts: `add-remove-closure`).
        if let details = consume details { observation.details = details }
        return observation
    }

    /// Makes an observation with routes.
    @inline(never) consuming func makeWithRoutes(
        _ record: Borrowed<ObjectRecord>?, of targets: @autoclosure () -> [TrackedObject], by observer: AnyObject?,
        _ routes: (KeyValueObservation) -> RouteList
    ) throws(KeyValueError) -> KeyValueObservation {
        let details = useDetails()
        let observation = try make(record, of: targets(), by: observer)
        details.routes = routes(observation)
        return observation
    }

    /// Attaches an observation to both sides and makes the initial calls.
    @inline(__always) private static func start(
        _ observation: KeyValueObservation, of target: TrackedObject, by observer: AnyObject?
    ) throws(KeyValueError) -> KeyValueObservation {
        try attach(observation, of: target, by: observer)
        if observation.options.contains(.initial) { observation.callInitially() }
        return observation
    }

    /// Attaches an observation to both sides, or ends it.
    @inline(__always) static func attach(
        _ observation: KeyValueObservation, of target: AnyObject, by observer: AnyObject?
    ) throws(KeyValueError) {
        if observation.attach() { return }
        observation.end(.removed)
        let isObservers = observation.observerRecord?.isDeinitializing ?? false
        throw dying(isObservers ? observer ?? target : target, isObservers ? "" : observation.keyPaths.first ?? "")
    }

    /// The record of an observer, made if there is none. Seldom needed where a key is observed, and so not inlined there.
    ///
    /// - Returns: The record, retained: that of an observer that is not tracked is kept only by its observations.
    @inline(never)
    private static func makeRecord(of observer: AnyObject) throws(KeyValueError) -> Borrowed<ObjectRecord> {
        guard let record = try ObjectRecord.make(for: observer) else { throw dying(observer, "") }
        return .retaining(record)
    }

    /// Whether the object's class says that observations of its objects end only by removal, and that counts.
    private borrowing func isManual(_ record: Borrowed<ObjectRecord>?) -> Bool {
        !options.contains(.unregisterAutomatically) && record?.use { $0.layout?.value.unregistersManually } ?? false
    }

    static func dying(_ object: AnyObject, _ keyPath: String) -> KeyValueError {
        KeyValueError(.deinitializingObject, className: "\(type(of: object))", key: keyPath)
    }
}
