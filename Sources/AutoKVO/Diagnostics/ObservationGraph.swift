/// Who observes what at one moment: a picture for people, as Mermaid, Graphviz or JSON.
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

        package init(address: UInt, className: String, isAlive: Bool) {
            self.address = address
            self.className = className
            self.isAlive = isAlive
        }
    }

    /// One observation.
    public struct Edge: Sendable, Hashable {
        /// The addresses of the targets that are alive.
        public let targets: [UInt]
        /// The observer's address, nil for an observation without one.
        public let observer: UInt?
        /// The paths observed, as they were registered.
        public let keyPaths: [String]
        /// The options of the registration.
        public let options: ObservingOptions
        /// File and line.
        public let registeredAt: String

        package init(
            targets: [UInt], observer: UInt?, keyPaths: [String], options: ObservingOptions, registeredAt: String
        ) {
            self.targets = targets
            self.observer = observer
            self.keyPaths = keyPaths
            self.options = options
            self.registeredAt = registeredAt
        }
    }

    /// By class name and address.
    public let objects: [Object]
    /// By registration site and path.
    public let observations: [Edge]

    package init(objects: [Object], observations: [Edge]) {
        self.objects = objects
        self.observations = observations
    }
}

extension Diagnostics {
    /// All live observations of the program.
    ///
    /// It keeps no target, observer or handler alive, not even for a moment: they die when and where they would without it.
    /// Only a manual observation that has outlived its targets is retained while its paths are read.
    ///
    /// - Complexity: O(*n* log *n*) for *n* objects and observations. It takes the lock of each object once, for a moment.
    public static func graph() -> ObservationGraph {
        ObservationGraph(of: ObjectRecord.all())
    }
}

extension ObservationGraph {
    init(of records: [ObjectRecord]) {
        var sightings: [ObjectIdentifier: [Sighting]] = [:]
        for record in records {
            for sighting in record.sightings() { sightings[sighting.identity, default: []].append(sighting) }
        }
        var objects: [UInt: Object] = [:]
        func note(_ record: ObjectRecord) -> UInt {
            let address = UInt(bitPattern: record.address)
            objects[address] = Object(
                address: address, className: "\(record.objectClass)", isAlive: !record.isDeinitializing)
            return address
        }
        var edges: [Edge] = []
        for found in sightings.values {
            let places = found.compactMap(\.place).sorted { $0.order < $1.order }
            let first = found[0]
            // Without a place, either another thread is making or ending it, or it has outlived its targets.
            let keyPaths = places.isEmpty ? first.pathsOfSurvivor : places.map(\.path)
            guard !keyPaths.isEmpty else { continue }
            edges.append(
                Edge(
                    targets: withoutRepetitions(places.filter { !$0.target.isDeinitializing }.map { note($0.target) }),
                    observer: first.observer.map(note), keyPaths: withoutRepetitions(keyPaths), options: first.options,
                    registeredAt: first.site.description))
        }
        self.objects = objects.values.sorted { ($0.className, $0.address) < ($1.className, $1.address) }
        observations = edges.sorted {
            ($0.registeredAt, $0.keyPaths.first ?? "", $0.targets.first ?? 0, $0.observer ?? 0)
                < ($1.registeredAt, $1.keyPaths.first ?? "", $1.targets.first ?? 0, $1.observer ?? 0)
        }
    }
}

// MARK: - What each record knows

/// What a record knows of an observation in which its object takes part. Constants only, and no object of the program.
private struct Sighting {
    /// Pinned, so that no other observation reuses its address while the graph is made.
    let observation: PinnedReference<KeyValueObservation>
    let identity: ObjectIdentifier
    let observer: ObjectRecord?
    let options: ObservingOptions
    let site: CallSite
    /// Where it observes the record's object; nil if the object is its observer.
    let place: Place?

    struct Place {
        let target: ObjectRecord
        let path: String
        /// Its position among the observation's paths at the registration.
        let order: Int
    }

    /// Nil for an observation that has ended. Called under the lock of a record whose list keeps it in memory.
    init?(_ borrowed: Borrowed<KeyValueObservation>, at place: Place? = nil) {
        let observation = borrowed.object
        observer = observation.observerRecord
        options = observation.options
        if !observation.isLive || observer?.isDeinitializing ?? false && !observation.isManual { return nil }
        site = observation.site
        identity = ObjectIdentifier(observation)
        self.observation = PinnedReference(observation)
        self.place = place
    }

    /// The paths of a manual observation that has outlived its targets: no record knows them.
    var pathsOfSurvivor: [String] {
        options.contains(.unregisterManually) ? observation.object?.keyPaths ?? [] : []
    }
}

extension ObjectRecord {
    /// The observations of the object's keys and those the object holds as an observer.
    fileprivate func sightings() -> [Sighting] {
        lock.withLock {
            var found: [Sighting] = []
            func note(_ sighting: Sighting?) { if let sighting { found.append(sighting) } }
            forEachObservation { observation, slot, route in
                let path = route?.path.text ?? schema!.keys[slot].name
                note(Sighting(observation, at: .init(target: self, path: path, order: route?.order ?? 0)))
            }
            forEachHeld { note(Sighting($0)) }
            return found
        }
    }
}
