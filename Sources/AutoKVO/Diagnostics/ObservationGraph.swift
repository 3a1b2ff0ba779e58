internal import CDeallocHook
internal import CSwiftRuntime

/// Who observes what at one moment: a picture for people, as Mermaid, Graphviz or JSON.
///
/// It holds names and addresses, no objects. What registers and ends on other threads while it is taken may be missing.
public struct ObservationGraph: Sendable {
    /// An object that takes part in an observation.
    public struct Object: Sendable, Hashable {
        /// Its address, which tells it from others.
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
        /// The addresses of the targets alive.
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
    /// - Complexity: O(*n*) for *n* objects and observations. It takes the locks that registrations take, each for a moment.
    public static func graph() -> ObservationGraph {
        ObservationGraph(of: ObjectRecord.all())
    }
}

extension ObservationGraph {
    init(of records: [ObjectRecord]) {
        var found: [ObjectIdentifier: KeyValueObservation] = [:]
        for record in records {
            for observation in record.observationsAsTarget() + record.heldObservations() where observation.isValid {
                found[ObjectIdentifier(observation)] = observation
            }
        }
        var objects: [UInt: Object] = [:]
        var edges: [Edge] = []
        func note(_ object: AnyObject?, _ record: ObjectRecord) -> UInt {
            let address = UInt(bitPattern: record.address)
            objects[address] = Object(
                address: address, className: object.map { "\(type(of: $0))" } ?? record.schema?.className ?? "?",
                isAlive: object != nil)
            return address
        }
        for observation in found.values {
            let roots = observation.routes?.map(\.root) ?? observation.record.map { [$0] } ?? []
            var targets: [UInt] = []
            for root in roots {
                guard let target = root.trackedObject else { continue }
                let address = note(target, root)
                if !targets.contains(address) { targets.append(address) }
            }
            let observer = observation.observerRecord.map { note(observation.observer, $0) }
            edges.append(
                Edge(
                    targets: targets, observer: observer, keyPaths: observation.keyPaths, options: observation.options,
                    registeredAt: observation.registrationSite))
        }
        self.objects = objects.values.sorted { ($0.className, $0.address) < ($1.className, $1.address) }
        observations = edges.sorted {
            ($0.registeredAt, $0.keyPaths.first ?? "", $0.targets.first ?? 0, $0.observer ?? 0)
                < ($1.registeredAt, $1.keyPaths.first ?? "", $1.targets.first ?? 0, $1.observer ?? 0)
        }
    }
}

extension ObjectRecord {
    /// The records of all objects that take part in an observation.
    static func all() -> [ObjectRecord] {
        var room = max(cdh_live_entries(), 16)
        while true {
            var pointers = [UnsafeMutableRawPointer?](repeating: nil, count: room)
            let count = cdh_collect(key, { csr_try_retain($0) ? $0 : nil }, &pointers, room)
            let records = pointers.prefix(count).compactMap { $0.map { Unmanaged<ObjectRecord>.fromOpaque($0).takeRetainedValue() } }
            if count <= room { return records }
            room = count + count / 8
        }
    }
}
