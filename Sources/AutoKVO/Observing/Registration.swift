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

    /// Observes one path of one object.
    @usableFromInline
    func observe(_ keyPath: String, of target: TrackedObject) throws(KeyValueError) -> KeyValueObservation {
        let observation: KeyValueObservation
        do throws(KeyValueError) {
            guard let record = try target.makeRecord() else { throw dying(target, keyPath) }
            guard let slot = record.schema!.slot(of: keyPath) else { return try observe([keyPath], of: [target]) }
            observation = try make(record, slot, target)
        } catch {
            handler.release()
            throw error
        }
        return try start(observation, [target])
    }

    /// Observes one property that the compiler has checked.
    func observe(slot: Int, of target: TrackedObject) -> KeyValueObservation {
        do throws(KeyValueError) {
            guard let record = try target.makeRecord() else { throw dying(target, "") }
            return try start(try make(record, slot, target), [target])
        } catch {
            preconditionFailure("\(error)")
        }
    }

    private func make(
        _ record: ObjectRecord, _ slot: Int, _ target: TrackedObject
    ) throws(KeyValueError) -> KeyValueObservation {
        if valueType != Any.self { try checkType(record.schema!.keys[slot].declared.valueType, record.schema!, slot) }
        let options = effectiveOptions(target)
        return KeyValueObservation(
            record: record, slot: slot, observerRecord: try observerRecord(), options: options, handler: handler,
            details: details(options, targets: [target]), site: site)
    }

    private func checkType(_ type: Any.Type, _ schema: ClassSchema, _ slot: Int) throws(KeyValueError) {
        guard !canConvert(from: type, to: valueType) else { return }
        throw KeyValueError(
            .wrongType(expected: "\(type)", actual: "\(valueType)"), className: schema.className, key: schema.keys[slot].name)
    }

    // MARK: Several

    /// Observes paths of objects as one observation.
    @usableFromInline
    func observe(_ keyPaths: [String], of targets: [TrackedObject]) throws(KeyValueError) -> KeyValueObservation {
        if keyPaths.count == 1, targets.count == 1, targets[0].schemaSlot(of: keyPaths[0]) != nil {
            return try observe(keyPaths[0], of: targets[0])
        }
        let observation: KeyValueObservation
        do throws(KeyValueError) { observation = try makeGroup(keyPaths, targets) } catch {
            handler.release()
            throw error
        }
        return targets.isEmpty ? observation : try start(observation, targets)
    }

    private func makeGroup(_ keyPaths: [String], _ targets: [TrackedObject]) throws(KeyValueError) -> KeyValueObservation {
        if keyPaths.isEmpty { throw KeyValueError(.emptyPathSet) }
        var parsed: [(ObjectRecord, ParsedKeyPath)] = []
        for target in targets {
            for keyPath in keyPaths {
                let path = try ParsedKeyPath.parse(keyPath, for: type(of: target))
                if valueType != Any.self {
                    let type = try path.valueType(from: Swift.type(of: target))
                    guard canConvert(from: type, to: valueType) else {
                        throw KeyValueError(
                            .wrongType(expected: "\(type)", actual: "\(valueType)"), className: "\(Swift.type(of: target))",
                            key: path.keys.last!, keyPath: keyPath)
                    }
                }
                guard let record = try target.makeRecord() else { throw dying(target, keyPath) }
                parsed.append((record, path))
            }
        }
        if targets.isEmpty { for keyPath in keyPaths { _ = try ParsedKeyPath.parse(keyPath) } }
        let options = targets.reduce(options) { $0.union(effectiveOptions($1)) }
        let details = details(options, targets: targets) ?? ObservationDetails()
        let observation = KeyValueObservation(
            record: parsed.first?.0, slot: -1, observerRecord: try observerRecord(), options: options, handler: handler,
            details: details, site: site)
        let isOneOfSeveral = parsed.count > 1
        details.routes = parsed.map { record, path in
            Route(path, root: record, sink: .observation(observation), isOneOfSeveral: isOneOfSeveral)
        }
        if targets.isEmpty {
            details.endedPaths = keyPaths
            observation.end(.targetDeinitialized)
        }
        return observation
    }

    // MARK: Common parts

    private func observerRecord() throws(KeyValueError) -> ObjectRecord? {
        guard let observer else { return nil }
        guard let record = try ObjectRecord.make(for: observer) else { throw dying(observer, "") }
        return record
    }

    private func effectiveOptions(_ target: TrackedObject) -> ObservingOptions {
        if options.contains(.unregisterManually) { return options }
        let isAutomatic =
            type(of: target).unregistersAutomatically
            && ((observer as? TrackedObject).map { type(of: $0).unregistersAutomatically } ?? true)
        return isAutomatic ? options : options.union(.unregisterManually)
    }

    private func details(_ options: ObservingOptions, targets: [TrackedObject]) -> ObservationDetails? {
        let keepsTargets = options.contains(.retainsTarget)
        guard userInfo != nil || keepsTargets || options.isSuperset(of: [.once, .prior]) else { return nil }
        let details = ObservationDetails(userInfo: userInfo)
        if keepsTargets { details.retainedTargets = targets }
        return details
    }

    private func dying(_ object: AnyObject, _ keyPath: String) -> KeyValueError {
        KeyValueError(.deinitializingObject, className: "\(type(of: object))", key: keyPath)
    }

    private func start(
        _ observation: KeyValueObservation, _ targets: [TrackedObject]
    ) throws(KeyValueError) -> KeyValueObservation {
        guard observation.attach() else {
            observation.end(.removed)
            throw dying(targets[0], observation.keyPaths.first ?? "")
        }
        if options.contains(.initial) { observation.callInitially(once: sharesInitialCall) }
        return observation
    }
}

extension KeyValueObservation {
    /// The initial calls, one for each path of each target, or a single one.
    fileprivate func callInitially(once: Bool) {
        let wantsNew = options.contains(.new)
        let roads = routes.map { $0.map(Optional.some) } ?? [nil]
        for route in once ? roads.prefix(1) : roads[...] {
            Delivery.call(self, route, isInitial: true, old: nil, new: wantsNew ? currentValue(by: route) : nil)
        }
    }
}

extension TrackedObject {
    fileprivate func schemaSlot(of keyPath: String) -> Int? {
        (try? ClassSchema.of(type(of: self)))?.slot(of: keyPath)
    }
}
