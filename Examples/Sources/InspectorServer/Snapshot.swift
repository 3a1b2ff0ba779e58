import AutoKVO

/// What the page shows of a graph: observations that differ in nothing it shows are one.
struct Snapshot: Codable, Equatable {
    struct Object: Codable, Equatable {
        var address: String
        var className: String
        var isAlive: Bool
    }

    struct Observation: Codable, Equatable {
        /// The observer's address; nil for a closure.
        var observer: String?
        var targets: [String]
        var keyPaths: [String]
        var options: String
        var registeredAt: String
        /// How many observations it stands for.
        var count = 1
        /// Nil for those that were registered before the inspector was started.
        var calls: Int?
        /// Nil also while it is not known yet.
        var callsPerSecond: Double?

        /// The key paths, or what is shown in their place: an observation of what a closure reads has none, and no target; one of a key path that
        /// is no key has a target.
        var paths: [String] { keyPaths.isEmpty ? [targets.isEmpty ? "(a closure)" : "(a key path)"] : keyPaths }

        /// Its name from one snapshot to the next.
        struct Identity: Hashable {
            let observer: String?
            let targets, keyPaths: [String]
            let registeredAt: String
        }

        var identity: Identity {
            Identity(observer: observer, targets: targets, keyPaths: keyPaths, registeredAt: registeredAt)
        }
    }

    /// That a derived value read a property when it was computed last.
    struct Read: Codable, Equatable {
        var object, key, sourceObject, sourceKey: String
    }

    var objects: [Object]
    var observations: [Observation]
    var reads: [Read]

    init(_ graph: ObservationGraph) {
        func name(_ address: UInt) -> String { "0x" + String(address, radix: 16) }
        objects = graph.objects.map { Object(address: name($0.address), className: $0.className, isAlive: $0.isAlive) }
        reads = graph.reads.map {
            Read(object: name($0.object), key: $0.key, sourceObject: name($0.sourceObject), sourceKey: $0.sourceKey)
        }
        observations = []
        var indices: [Observation.Identity: Int] = [:]
        for edge in graph.observations {
            let observation = Observation(
                observer: edge.observer.map(name), targets: edge.targets.map(name), keyPaths: edge.keyPaths,
                options: "\(edge.options)", registeredAt: edge.registeredAt, calls: edge.calls)
            if let index = indices[observation.identity] {
                observations[index].count += 1
                if let calls = edge.calls { observations[index].calls = (observations[index].calls ?? 0) + calls }
            } else {
                indices[observation.identity] = observations.count
                observations.append(observation)
            }
        }
    }
}
