internal import CSwiftRuntime

/// Who is to be told of a change: the list of a property, or a path's observation.
///
/// It owns neither, so that a change counts few references: an `OpenEvent` owns what it is about.
enum ChangeSubject: Hashable {
    case list(Unmanaged<ObjectRecord>, slot: Int)
    case route(Unmanaged<Route>)

    /// Of the record or the route.
    private var address: UnsafeMutableRawPointer {
        switch self {
        case .list(let record, _): record.toOpaque()
        case .route(let route): route.toOpaque()
        }
    }

    private var slot: Int {
        switch self {
        case .list(_, let slot): slot
        case .route: -1
        }
    }

    @inline(__always)
    static func == (a: ChangeSubject, b: ChangeSubject) -> Bool { a.address == b.address && a.slot == b.slot }

    func hash(into hasher: inout Hasher) {
        hasher.combine(address)
        hasher.combine(slot)
    }

    func retain() { csr_retain(address) }
    func release() { csr_release(address) }
}

/// A property's change that has begun and not ended on this thread.
struct OpenChange {
    let record: ObjectRecord
    /// The object's, to compare with.
    let address: UnsafeRawPointer
    let slot: Int
    /// Further announcements of the same property inside this one.
    var depth = 0
    /// What it will tell. Two changes that are open at once may share an event: see `OpenEvent.depth`.
    let events: Few<OpenEvent>

    init(_ record: ObjectRecord, _ slot: Int, _ events: Few<OpenEvent>) {
        self.record = record
        address = record.address
        self.slot = slot
        self.events = events
    }
}

/// What is going to be told to one subject when all the changes that lead to it have ended.
///
/// Two changes that are open at once may lead to one derived key: it is told once, before the first and after the last.
final class OpenEvent {
    /// Owned.
    let subject: ChangeSubject
    /// The open changes that lead to it.
    var depth = 1
    /// How a collection is edited; nil where the whole value is set.
    let edit: CollectionChange?
    /// The last observation that counts: those added later wait for the next change.
    let bound: UInt64
    /// Tells the prior and the other call of one change from those of another, on any thread.
    let token: UInt
    let wants: ObserverList.Needs
    @exclusivity(unchecked) var old: KnownValue
    @exclusivity(unchecked) var new = KnownValue()
    /// Whether the property is the last component of the route that is told.
    let isLastComponent: Bool
    let excluded: ObservingOptions
    /// Observations with `.once` that this event has made the prior call to, and that are to get the other call too.
    private var claimed: [KeyValueObservation] = []

    init(
        _ affected: Delivery.Affected, _ edit: CollectionChange?, isLastComponent: Bool, token: UInt = 0,
        old: KnownValue = KnownValue(), excluded: ObservingOptions = []
    ) {
        subject = affected.subject
        subject.retain()
        bound = affected.bound
        wants = affected.needs
        self.edit = edit
        self.isLastComponent = isLastComponent
        self.token = token
        self.old = old
        self.excluded = excluded
    }

    /// What was not called after all may be told of the next change: because the value has stayed the same, the path was
    /// removed, or the change was dropped, with its object or its thread.
    deinit {
        for observation in claimed { observation.giveUpClaim(of: token) }
        subject.release()
    }

    func willCallAgain(_ observation: KeyValueObservation) { claimed.append(observation) }
}

/// A value that is known or not. An optional `Any` is not used for it: each time one is moved or dropped, the runtime is asked
/// for its type first.
struct KnownValue {
    private(set) var isKnown = false
    private var value: Any = ()

    init() {}

    init(_ value: Any) {
        self.value = value
        isKnown = true
    }

    /// A pointer to the value, nil if it is not known.
    @inline(__always)
    mutating func withPointer(_ body: (UnsafeRawPointer?) -> Void) {
        let isKnown = isKnown
        withUnsafePointer(to: &value) { body(isKnown ? UnsafeRawPointer($0) : nil) }
    }
}

/// How a collection is edited.
final class CollectionChange {
    let kind: ChangeKind
    let indexes: RangeSet<Int>?
    /// The elements that leave and come, where the caller knows them (sets); otherwise they are read at the indexes.
    let removed: Any?
    let inserted: Any?

    init(_ kind: ChangeKind, indexes: RangeSet<Int>? = nil, removed: Any? = nil, inserted: Any? = nil) {
        self.kind = kind
        self.indexes = indexes
        self.removed = removed
        self.inserted = inserted
    }
}
