/// Everything a registration was asked for, whatever its wording, and the one way it is carried out:
/// check all of it, make the observation, attach it to both sides, make the initial calls.
@usableFromInline
struct Registration {
    @usableFromInline var observer: AnyObject?
    @usableFromInline var options: ObservingOptions
    @usableFromInline var handler: HandlerCall
    @usableFromInline var userInfo: Any?
    /// The type the handler expects values as.
    @usableFromInline var valueType: Any.Type
    @usableFromInline var site: CallSite
    /// Whether the handler cannot tell paths apart and gets one initial call for all of them.
    var sharesInitialCall = false

    @inlinable
    init(
        observer: AnyObject? = nil, options: ObservingOptions, userInfo: Any? = nil, valueType: Any.Type = Any.self,
        handler: HandlerCall, site: CallSite
    ) {
        self.observer = observer
        self.options = options
        self.handler = handler
        self.userInfo = userInfo
        self.valueType = valueType
        self.site = site
    }

    // MARK: One target, one path

    /// Observes one path of one object: what nearly all registrations are. It takes plain arguments instead of a
    /// registration, which would be retained and released part by part (70 ns of 200).
    @usableFromInline
    static func observe(
        _ keyPath: String, of target: TrackedObject, by observer: AnyObject?, _ options: ObservingOptions,
        _ handler: HandlerCall,
        _ site: CallSite
    ) throws(KeyValueError) -> KeyValueObservation {
        if let unmanagedRecord = target.unmanagedRecord ?? (try? target.makeUnmanagedRecord()),
            let slot = unmanagedRecord.use({ $0.unmanagedSchema!.use { $0.slot(of: keyPath) } }),
            let observation = try observe(slot, unmanagedRecord, of: target, by: observer, options, handler, site)
        {
            return observation
        }
        return try Registration(observer: observer, options: options, handler: handler, site: site).observe(
            keyPath, of: target)
    }

    /// Observes one property that the compiler has checked.
    static func observe(
        slot: Int, of target: TrackedObject, by observer: AnyObject? = nil, _ options: ObservingOptions,
        _ userInfo: Any?,
        _ handler: HandlerCall, _ site: CallSite
    ) -> KeyValueObservation {
        do throws(KeyValueError) {
            guard let unmanagedRecord = try target.makeUnmanagedRecord() else { throw dying(target, "") }
            if userInfo == nil,
                let observation = try observe(slot, unmanagedRecord, of: target, by: observer, options, handler, site)
            {
                return observation
            }
            let registration = Registration(
                observer: observer, options: options, userInfo: userInfo, handler: handler, site: site)
            return try registration.observe(slot, unmanagedRecord, of: target)
        } catch {
            fatalMisuse("\(error), at \(site.description)")
        }
    }

    /// Observes one property for which nothing is to be done but to attach the observation; nil where there is more to do.
    @inline(__always)
    private static func observe(
        _ slot: Int, _ unmanagedRecord: Borrowed<ObjectRecord>, of target: TrackedObject, by observer: AnyObject?,
        _ options: ObservingOptions, _ handler: HandlerCall, _ site: CallSite
    ) throws(KeyValueError) -> KeyValueObservation? {
        guard options.isDisjoint(with: [.initial, .once, .retainsTarget]) else { return nil }
        var options = options
        var unmanagedObserverRecord: Borrowed<ObjectRecord>?
        // Not bound to a name, for which it would be retained.
        if let address = unsafeBitCast(observer, to: UnsafeRawPointer?.self) {
            unmanagedObserverRecord = TrackedObject.unmanagedRecord(ofObjectAt: address)
            if unmanagedObserverRecord == nil { unmanagedObserverRecord = makeUnmanagedRecord(of: observer!) }
            guard let unmanagedObserverRecord else { return nil }
            if isManual(unmanagedObserverRecord) { options.insert(.unregisterManually) }
        }
        if isManual(unmanagedRecord) { options.insert(.unregisterManually) }
        let observation = KeyValueObservation(
            unmanagedRecord: unmanagedRecord, slot: slot, unmanagedObserverRecord: unmanagedObserverRecord,
            options: options, handler: handler, details: nil,
            site: site)
        return try attached(observation, target, observer)
    }

    /// The record of a tracked observer, made if there is none; nil for any other, whose record could be dropped on the way, and
    /// so is looked for in `make`. Seldom needed, and so not part of the short way.
    @inline(never)
    private static func makeUnmanagedRecord(of observer: AnyObject) -> Borrowed<ObjectRecord>? {
        try? (observer as? TrackedObject)?.makeUnmanagedRecord()
    }

    /// Observes one path of one object.
    @usableFromInline
    func observe(_ keyPath: String, of target: TrackedObject) throws(KeyValueError) -> KeyValueObservation {
        let observation: KeyValueObservation?
        do throws(KeyValueError) {
            guard let unmanagedRecord = try target.makeUnmanagedRecord() else {
                throw Registration.dying(target, keyPath)
            }
            let slot = unmanagedRecord.use { $0.schema!.slot(of: keyPath) }
            if let slot, options.contains(.initial) {
                try unmanagedRecord.use { $0.schema! }.keys[slot].checkKeyPath(of: target)
            }
            observation = if let slot { try make(slot, unmanagedRecord) } else { nil }
            if needsDetails { observation?.details = details([target]) }
        } catch {
            handler.release()
            throw error
        }
        // Outside of the `do`, since whoever fails to make an observation releases the handler, and only once.
        if let observation { return try start(observation, target) }
        return try observe(keyPath.keyPaths, of: [target])
    }

    private func observe(
        _ slot: Int, _ unmanagedRecord: Borrowed<ObjectRecord>, of target: TrackedObject
    ) throws(KeyValueError) -> KeyValueObservation {
        let observation = try make(slot, unmanagedRecord)
        if needsDetails { observation.details = details([target]) }
        return try start(observation, target)
    }

    private func make(_ slot: Int, _ unmanagedRecord: Borrowed<ObjectRecord>) throws(KeyValueError)
        -> KeyValueObservation
    {
        let schema = unmanagedRecord.use { $0.schema! }
        if valueType != Any.self { try checkType(schema.keys[slot].declared.valueType, schema, slot) }
        let observerRecord = try observerRecord()
        defer { withExtendedLifetime(observerRecord) {} }
        return KeyValueObservation(
            unmanagedRecord: unmanagedRecord, slot: slot, unmanagedObserverRecord: observerRecord.map(Borrowed.to),
            options: effectiveOptions(unmanagedRecord.object, observerRecord), handler: handler, details: nil,
            site: site)
    }

    private func checkType(_ type: Any.Type, _ schema: ClassSchema, _ slot: Int) throws(KeyValueError) {
        guard !canConvert(from: type, to: valueType) else { return }
        throw KeyValueError(
            .wrongType(expected: "\(type)", actual: "\(valueType)"), className: schema.className,
            key: schema.keys[slot].name)
    }

    // MARK: Several

    /// Observes paths of objects as one observation.
    @usableFromInline
    func observe(_ keyPaths: [String], of targets: [TrackedObject]) throws(KeyValueError) -> KeyValueObservation {
        if keyPaths.count == 1, targets.count == 1, !keyPaths[0].isPathList, isKey(keyPaths[0], of: targets[0]) {
            return try observe(keyPaths[0], of: targets[0])
        }
        guard targets.isEmpty else { return try observe(targets.map { Dependency($0, keyPaths: keyPaths) }) }
        do throws(KeyValueError) {
            if keyPaths.isEmpty { throw KeyValueError(.emptyPathSet) }
            for keyPath in keyPaths { _ = try ParsedKeyPath.parse(keyPath) }
            return try makeEnded(keyPaths)
        } catch {
            handler.release()
            throw error
        }
    }

    /// Observes of each object paths of its own, as one observation.
    func observe(_ parts: [Dependency]) throws(KeyValueError) -> KeyValueObservation {
        let observation: KeyValueObservation
        do throws(KeyValueError) {
            observation = try makeGroup(parts)
        } catch {
            handler.release()
            throw error
        }
        return try start(observation, parts[0].target)
    }

    private func isKey(_ keyPath: String, of target: TrackedObject) -> Bool {
        (try? ClassSchema.of(type(of: target)))?.slot(of: keyPath) != nil
    }

    private func makeGroup(_ parts: [Dependency]) throws(KeyValueError) -> KeyValueObservation {
        if parts.isEmpty { throw KeyValueError(.emptyPathSet) }
        var parsed: [(ObjectRecord, ParsedKeyPath)] = []
        var options = options
        let observerRecord = try observerRecord()
        // A path that is named twice for one object is observed once.
        var seen: Set<ObservedPath> = []
        for part in parts {
            if part.keyPaths.isEmpty { throw KeyValueError(.emptyPathSet) }
            for keyPath in part.keyPaths
            where seen.insert(ObservedPath(target: ObjectIdentifier(part.target), keyPath: keyPath)).inserted {
                parsed.append(try parse(keyPath, of: part.target))
                options.formUnion(effectiveOptions(parsed.last!.0, observerRecord))
            }
        }
        let details = details(parts.map(\.target))
        let observation = KeyValueObservation(
            unmanagedRecord: Borrowed.to(parsed[0].0), slot: -1,
            unmanagedObserverRecord: observerRecord.map(Borrowed.to), options: options, handler: handler,
            details: details,
            site: site)
        let isOneOfSeveral = parsed.count > 1
        details.routes = RouteList(
            parsed.enumerated().map { order, part in
                Route(
                    part.1, root: part.0, sink: .observation(observation), isOneOfSeveral: isOneOfSeveral, order: order)
            })
        withExtendedLifetime(observerRecord) {}
        return observation
    }

    private struct ObservedPath: Hashable {
        let target: ObjectIdentifier
        let keyPath: String
    }

    /// An observation of no object, which has ended from the start.
    private func makeEnded(_ keyPaths: [String]) throws(KeyValueError) -> KeyValueObservation {
        let observerRecord = try observerRecord()
        let details = details([])
        let observation = KeyValueObservation(
            unmanagedRecord: nil, slot: -1, unmanagedObserverRecord: observerRecord.map(Borrowed.to), options: options,
            handler: handler, details: details, site: site)
        details.routes = RouteList([])
        observation.end(.targetDeinitialized)
        details.endedPaths = keyPaths
        withExtendedLifetime(observerRecord) {}
        return observation
    }

    private func parse(_ keyPath: String, of target: TrackedObject) throws(KeyValueError) -> (
        ObjectRecord, ParsedKeyPath
    ) {
        let path = try ParsedKeyPath.parse(keyPath, for: type(of: target))
        if valueType != Any.self {
            let type = try path.valueType(from: Swift.type(of: target))
            guard canConvert(from: type, to: valueType) else {
                throw KeyValueError(
                    .wrongType(expected: "\(type)", actual: "\(valueType)"), className: "\(Swift.type(of: target))",
                    key: path.keys.last!, keyPath: keyPath)
            }
        }
        guard let record = try target.makeRecord() else { throw Registration.dying(target, keyPath) }
        return (record, path)
    }

    // MARK: Common parts

    private func observerRecord() throws(KeyValueError) -> ObjectRecord? {
        guard let observer else { return nil }
        guard let record = try ObjectRecord.make(for: observer) else { throw Registration.dying(observer, "") }
        return record
    }

    /// Whether the class of a tracked object has said that observations of its objects end by hand.
    private static func isManual(_ unmanagedRecord: Borrowed<ObjectRecord>) -> Bool {
        unmanagedRecord.use { $0.layout!.value.unregistersManually }
    }

    private func effectiveOptions(_ target: ObjectRecord, _ observer: ObjectRecord?) -> ObservingOptions {
        let byHand = [target, observer].contains { $0?.layout?.value.unregistersManually ?? false }
        return byHand ? options.union(.unregisterManually) : options
    }

    private var needsDetails: Bool {
        userInfo != nil || options.contains(.retainsTarget) || options.isSuperset(of: [.once, .prior])
    }

    private func details(_ targets: [TrackedObject]) -> ObservationDetails {
        let details = ObservationDetails(userInfo: userInfo)
        if options.contains(.retainsTarget) { details.retainedTargets = targets }
        return details
    }

    private static func dying(_ object: AnyObject, _ keyPath: String) -> KeyValueError {
        KeyValueError(.deinitializingObject, className: "\(type(of: object))", key: keyPath)
    }

    private func start(
        _ observation: KeyValueObservation, _ target: TrackedObject
    ) throws(KeyValueError) -> KeyValueObservation {
        let observation = try Registration.attached(observation, target, observer)
        if options.contains(.initial) { observation.callInitially(once: sharesInitialCall) }
        return observation
    }

    @inline(__always)
    private static func attached(
        _ observation: KeyValueObservation, _ target: TrackedObject, _ observer: AnyObject?
    ) throws(KeyValueError) -> KeyValueObservation {
        if observation.attach() { return observation }
        observation.end(.removed)
        let isObservers = observation.observerRecord?.isDeinitializing ?? false
        throw Registration.dying(
            isObservers ? observer ?? target : target, isObservers ? "" : observation.keyPaths.first ?? "")
    }
}
