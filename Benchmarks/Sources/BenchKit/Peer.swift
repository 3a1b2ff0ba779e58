/// One system under measurement: the few things each of them can do, in its own idiom.
///
/// The harness is generic over it and `@inlinable`, so that every executable specialises the loops for its own types and none
/// pays for a witness table.
public protocol Peer {
    associatedtype Target: AnyObject
    associatedtype Observer: AnyObject
    associatedtype Token

    /// The name shown in the tables.
    static var system: String { get }
    static var workloads: [Workload] { get }
    /// The largest number of observations asked of this system; above it one cell would take minutes.
    static func largest(_ workload: Workload) -> Int
    /// How often a handler runs at registration (a subject that replays its value: 1).
    static var callsOnAdd: Int { get }
    /// Whether an observation lives without its token until one of its sides dies.
    static var livesWithoutToken: Bool { get }

    static func makeTarget() -> Target
    static func makeObserver() -> Observer
    static func calls(_ observer: Observer) -> Int
    static func set(_ target: Target, _ value: Int)
    static func add(_ observer: Observer, to target: Target) -> Token
    static func remove(_ token: inout Token)
    /// An observer of each of the targets, ten of them; releasing it ends its observations.
    static func makeLife(on targets: [Target]) -> Observer
    /// What a system needs after an observer has died, to be rid of what it left behind.
    static func afterLife(on targets: [Target])
}

extension Workload {
    /// What a system takes part in that is for one thread only.
    public static let ofOneThread = allCases.filter { ![.sharedChurn, .storm, .deliverAndRemove].contains($0) }
}

extension Peer {
    public static func largest(_: Workload) -> Int { 1_000_000 }
    public static var callsOnAdd: Int { 0 }
    public static var livesWithoutToken: Bool { false }
    @inlinable public static func afterLife(on targets: [Target]) {}
}

/// What is measured. `shared/performance` of the project calls them by the same names.
public enum Workload: String, CaseIterable, Sendable {
    /// A set that nobody observes.
    case setUnobserved = "W1"
    /// A set delivered to one handler.
    case setObserved = "W2"
    /// A set delivered to a thousand handlers on one key, each of an observer of its own.
    case thousandHandlers = "W3"
    /// One observation is added and removed; nobody else is there.
    case addRemove = "W4"
    /// The same while another observer is there.
    case addRemoveBesides = "W4b"
    /// An observer of ten targets is created and dies.
    case observerLife = "W5"
    /// One observation is removed from the middle of N, each of an observer of its own.
    case removeMiddle = "W6"
    /// Bytes per live observation, 100,000 on one target.
    case bytesOneTarget = "W7"
    /// Bytes per live observation, one on each of 100,000 targets.
    case bytesEachTarget = "W7t"
    /// Two threads on separate objects.
    case threads = "W8"
    /// Two threads set properties of objects of their own, and add and remove an observation on a shared one that has N.
    case sharedChurn = "shared-churn"
    /// Two threads add N observations each to one target, and remove them.
    case storm
    /// One thread sets a property that N observe, while another adds and removes observations of it.
    case deliverAndRemove = "deliver-remove"
    /// N objects with one observer each: build, notify, tear down.
    case objects
    /// One target with N observers.
    case fanOut = "fanout"
    /// One observer on N targets.
    case fanIn = "fanin"

    /// The sizes at which a workload runs; one that has no size runs at 1.
    public var sizes: [Int] {
        switch self {
        case .thousandHandlers: [1000]
        case .removeMiddle: [100, 10_000, 100_000, 1_000_000]
        case .bytesOneTarget, .bytesEachTarget: [100_000]
        case .sharedChurn, .storm, .deliverAndRemove: [1, 100, 10_000]
        case .objects, .fanOut, .fanIn: [1000, 10_000, 100_000, 1_000_000]
        default: [1]
        }
    }
}
