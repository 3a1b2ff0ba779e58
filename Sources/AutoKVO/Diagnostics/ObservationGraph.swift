// The protocol of this folder. A graph is a copy of names and addresses: it owns nothing of the program, needs no lock, and is not
// affected by deaths. Making one (`Diagnostics.graph()`) reads the lists of each record, and then what its derived values have read, under that record's lock; no two locks
// are held at once, and no user code runs. While it is made, records are owned, and observations are pinned, so that their addresses
// remain their identity: an observation may have ended, and its objects may be dead. No target, observer or handler is retained, so
// no deinit and no release of a handler moves to this thread. Other threads may register and end observations at the same time: the
// graph need not have been complete at any moment. Read next: ObservationGraph+Formats.swift, which draws it; `ObjectRecord+Linking`
// for the lists.

/// All observations of the program at one moment, to be drawn with Mermaid or Graphviz or read as JSON.
///
/// It contains names and addresses, no objects. Observations that other threads register or end meanwhile may be missing.
public struct ObservationGraph: Sendable {
    /// An object that takes part in an observation.
    public struct Object: Sendable, Hashable {
        /// Its address, which identifies it.
        public let address: UInt
        /// Its class.
        public let className: String
        /// Whether it was alive. The observer of a manual observation need not be.
        public let isAlive: Bool
    }

    /// One observation.
    public struct Edge: Sendable, Hashable {
        /// The addresses of the targets that are alive. None of an observation of what a closure reads for its observer: see `reads`.
        public let targets: [UInt]
        /// The observer's address, nil for an observation without one.
        public let observer: UInt?
        /// The paths observed, as they were registered; none of an observation of what a closure reads.
        public let keyPaths: [String]
        /// The options of the registration.
        public let options: ObservingOptions
        /// File and line.
        public let registeredAt: String
        /// How often its handler was called, the initial call included (but not the first one of `depend`); nil for an observation that was registered while
        /// `Diagnostics.countsCalls` was false. A call that has not returned is not counted yet.
        public let calls: Int?
    }

    /// That a derived value, which is kept because somebody needs it, or the closure of an observation read a property when it was computed
    /// last.
    public struct Read: Sendable, Hashable {
        /// The address of the object whose value it is, or for which the closure reads: the observer, if there is one.
        public let object: UInt
        /// The key of the derived value; empty for a closure.
        public let key: String
        /// The address of the object that was read.
        public let sourceObject: UInt
        /// The key that was read.
        public let sourceKey: String
    }

    /// By class name and address.
    public let objects: [Object]
    /// By registration site and path.
    public let observations: [Edge]
    /// By the derived value, and then in the order of reading; each once. None of a value that is being computed.
    public let reads: [Read]
}

extension Diagnostics {
    /// All live observations of the program.
    ///
    /// It keeps no target, observer or handler alive, not even for a moment: they are released when and where they would be without it.
    /// Only a manual observation that has outlived its targets is retained while its paths are read.
    ///
    /// - Complexity: O(*n* log *n*) for *n* objects and observations. It locks each object's record twice, for a moment.
    public static func graph() -> ObservationGraph { ObservationGraph(of: ObjectRecord.all(as: ObjectRecord.self)) }
}

extension ObservationGraph {
    fileprivate init(of records: [ObjectRecord]) {
        var sightings: [ObjectIdentifier: Sighting] = [:]
        var readings: [Reading] = []
        for record in records {
            record.note(in: &sightings)
            readings += record.lock.withLock { record.readings }
        }
        var objects: [UInt: Object] = [:]
        func note(_ record: ObjectRecord) -> UInt {
            let address = UInt(bitPattern: record.address)
            objects[address] = Object(
                address: address, className: "\(record.objectClass)", isAlive: !record.isDeinitializing)
            return address
        }
        let edges: [Edge] = sightings.values.compactMap { sighting in
            let keyPaths = sighting.keyPaths
            guard !keyPaths.isEmpty || sighting.isReading else { return nil }
            let targets = sighting.places.map(\.target).filter { !$0.isDeinitializing }
            return Edge(
                targets: withoutRepetitions(targets.map(note)), observer: sighting.observer.map(note),
                keyPaths: withoutRepetitions(keyPaths.filter { !$0.isEmpty }), options: sighting.options,
                registeredAt: sighting.site.description, calls: sighting.calls)
        }
        let reads = readings.map {
            Read(object: note($0.record), key: $0.key, sourceObject: note($0.source), sourceKey: $0.sourceKey)
        }
        self.reads = withoutRepetitions(reads.inOrder { ($0.object, $0.key) < ($1.object, $1.key) })
        self.objects = objects.values.inOrder { ($0.className, $0.address) < ($1.className, $1.address) }
        observations = edges.inOrder {
            ($0.registeredAt, $0.keyPaths.first ?? "", $0.targets.first ?? 0, $0.observer ?? 0)
                < ($1.registeredAt, $1.keyPaths.first ?? "", $1.targets.first ?? 0, $1.observer ?? 0)
        }
    }
}

// MARK: - Reading the records

private typealias Reading = (record: ObjectRecord, key: String, source: ObjectRecord, sourceKey: String)

/// What the records contain of an observation. Constants only, and no object of the program.
private final class Sighting {
    /// Pinned, so that no other observation reuses its address while the graph is made.
    let observation: PinnedReference<KeyValueObservation>
    let observer: ObjectRecord?
    let options: ObservingOptions
    let site: CallSite
    let calls: Int?
    /// Where it observes which path, and the path's number in the order of registration.
    var places: [(target: ObjectRecord, path: String, sequence: UInt64)] = []
    /// Whether it observes what a closure reads for its observer.
    var isReading = false

    /// Nil for an observation that has ended. Called under the lock of a record whose list keeps it in memory.
    init?(_ observation: KeyValueObservation) {
        (observer, options, site) = (observation.observerRecord, observation.options, observation.site)
        if !observation.isLive || observer?.isDeinitializing ?? false && !observation.isManual { return nil }
        self.observation = PinnedReference(observation)
        // The details of one that counts are constant.
        calls = observation.flags.contains(.counted) ? observation.details!.calls.load(ordering: .relaxed) : nil
    }

    /// In the order of the registration.
    var keyPaths: [String] {
        if !places.isEmpty { return places.inOrder { $0.sequence < $1.sequence }.map(\.path) }
        // Either another thread is making or ending it, or it is a manual one that has outlived its targets.
        return options.contains(.unregisterManually) ? observation.object?.keyPaths ?? [] : []
    }
}

extension ObjectRecord {
    /// What the derived keys that somebody needs, and closures for the object, have read. Under the lock.
    fileprivate var readings: [Reading] {
        let derived = (0..<(layout?.value.count ?? 0)).compactMap { slot in
            list(slot)?.value.expression.map { (schema!.keys[slot].name, $0.object) }
        }
        let routes = (guarded.details?.sortedFunctionRoutes ?? []) + held.compactMap(routeOfReading)
        return (derived + routes.map { ("", $0.expression!) }).flatMap { key, expression in
            expression.sourcesUnderLock.map { (self, key, $0.record, $0.record.schema!.keys[$0.slot].name) }
        }
    }

    /// The route of an observation of what a closure reads for the object as its observer. Under the lock.
    private func routeOfReading(_ observation: KeyValueObservation) -> Route? {
        guard observation.unmanagedRecord == .to(self) else { return nil }
        return observation.details?.routes?.all.first { !($0.expression?.function.isOfTarget ?? true) }
    }

    /// Adds the observations of the object's keys and those that the object has as an observer.
    fileprivate func note(in sightings: inout [ObjectIdentifier: Sighting]) {
        func note(_ observation: KeyValueObservation) {
            let identity = ObjectIdentifier(observation)
            if sightings[identity] == nil { sightings[identity] = Sighting(observation) }
        }
        lock.withLock {
            held.forEach(note)
            for each in held where routeOfReading(each) != nil { sightings[ObjectIdentifier(each)]?.isReading = true }
            forEachObservation { observation, slot, route in
                note(observation)
                let path = route?.path.text ?? schema!.keys[slot].name
                sightings[ObjectIdentifier(observation)]?.places.append((self, path, route?.sequence ?? 0))
            }
        }
    }
}
