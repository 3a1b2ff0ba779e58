/// The state of one object that takes part in observations, as target, as observer, or both. The protocol of this folder:
///
/// - **Owners.** A tracked object owns its record until its teardown is over; the record of any other observer is owned by the
///   observer's observations. A record owns one `ObserverList` for each key, and a list its observations; the list only refers to
///   links.
///   Observations and links own records, never objects. As *observer* an object has a list of the observations that it holds.
/// - **Locks.** Each record has one lock. It guards the record's lists, the observations of its object, and the paths that
///   begin at its object. A thread holds at most one record's lock, and a stripe of CDeallocHook's table only while it holds
///   none. No lock is held while user code runs; releasing a closure or a value is running user code.
/// - **Deaths.** Any object may die on another thread at any time. Its record pins it: the memory stays allocated and the
///   address is not reused, so `object(as:)` either retains the object or returns nil. It is called once, and the result used.
/// - **Threads.** `ThreadContext` has the changes that are under way on one thread. It needs no lock.
///
/// **An example**: `person.observe("name") { … }`, the first observation that the person takes part in, and then the person's death.
///
///     TrackedObject.makeFirstRecord     makes the record, and stores its address in the object's word, unless another thread has stored one
///     KeyValueObservation.attach        there is no observer; with one, `hold` would come first, under the lock of the observer's record
///     ObjectRecord.link, changeList     under the lock: makes the list of `name` and appends the observation, which the list retains
///     interestDidChange                 the first one: sets bit 0 of the object's word, so writes look for observers from now on
///     TrackedObject.deinit              `objectIsDying`, which is `teardown`, on the thread that has released the person last
///     targetIsDying, end                of each observation: its state becomes *ended*, it is unlinked, and then, without the lock, its closure
///                                       is released; but where a delivery pins it, that releases the closure when it is over
///     record.release                    the record, and with it the person's memory, is freed when nothing else refers to it, such as an observation
///                                       that somebody keeps
///
/// Read next: `Transaction` for a change, `Subject+Delivery` for the calls, `KeyValueObservation` and
/// `ObservationFlags` for the states of an observation, `ObjectRecord+Linking` for the lists, `Paths/Route` for paths.
class ObjectRecord: AttachedRecord, @unchecked Sendable {
    /// The object.
    private let pinned: PinnedObject
    /// What the tracked object's class declares; nil for an observer that is not a `TrackedObject`.
    /// Schemas and their layouts are never freed.
    let layout: InPlace<SlotLayout>?
    let lock = ShortLock()
    /// Used under the lock.
    @exclusivity(unchecked) final var guarded = GuardedState()

    /// What `lock` guards.
    struct GuardedState {
        /// The first of the observations in which the object is the observer.
        var firstHeld: Borrowed<KeyValueObservation>?
        /// Nil as long as the object needs none.
        var details: RecordDetails?
        /// Number of observations and links in the object's lists. While it is zero, writes call no function of this folder.
        var interest: Int32 = 0
        /// Set by teardown: nothing is added after that.
        var isDying = false

        /// The details, made if they are missing.
        mutating func makeDetails() -> RecordDetails {
            if details == nil { details = RecordDetails() }
            return details!
        }
    }

    fileprivate init(of object: AnyObject, schema: ClassSchema?) {
        pinned = PinnedObject(object)
        layout = schema?.layout
        super.init()
        Counters.records.add(1)
    }

    deinit {
        // Before its address is given up. No other record has no schema.
        if layout == nil { Self.untracked.withLock { $0.remove(self, at: address) } }
        pinned.unpin()
        Counters.records.add(-1)
    }

    /// The record of a tracked object, which is not that object's yet.
    static func of(_ object: TrackedObject, schema: ClassSchema) -> ObjectRecord {
        schema.keys.isEmpty ? ObjectRecord(of: object, schema: schema) : RecordWithLists(of: object, schema: schema)
    }

    override final func objectIsDying() { teardown() }

    /// The object's address, which is valid as long as the record, whether the object is alive or not.
    var address: UnsafeRawPointer { pinned.address }

    /// Identifies the object, which may be dead. No other object has this identifier while the record exists.
    var target: ObjectIdentifier { pinned.identifier }

    /// The object, retained, or nil if its deinit has begun.
    @inline(__always)
    func object<Object: AnyObject>(as type: Object.Type) -> Object? { pinned.object(as: type) }

    /// The tracked object, retained, or nil if its deinit has begun. Only for records with a schema.
    var trackedObject: TrackedObject? { object(as: TrackedObject.self) }

    /// Whether the object's deinit has begun or is over.
    var isDeinitializing: Bool { pinned.isDeinitializing }

    /// The object's class, also after its deinit.
    final var objectClass: AnyClass { pinned.objectClass }

    var unmanagedSchema: Borrowed<ClassSchema>? { layout?.value.schema }
    var schema: ClassSchema? { unmanagedSchema?.object }

    /// The list of a slot; nil if the slot was never observed. Except for its `interest`, it is read under the lock.
    @inline(__always)
    final func list(_ slot: Int) -> InPlace<ObserverList>? { withLists.use { $0.lists[slot, room: $0.room] } }

    /// Whether a change of a key is open, of whatever thread.
    final func isOpen(_ slot: Int) -> Bool { list(slot)?.value.isOpen ?? false }

    /// The list of a slot, made if it is missing. Under the lock.
    func makeList(_ slot: Int) -> InPlace<ObserverList> {
        list(slot) ?? withLists.use { $0.lists.make(slot, of: layout!.value.count, room: $0.room, ObserverList()) }
    }

    /// This record as what it is: that of an object whose class has keys is always a `RecordWithLists` (see `of`).
    @inline(__always)
    private var withLists: Borrowed<RecordWithLists> { .at(Borrowed.to(self).rawAddress) }
}

/// The record of an object that has keys. The lock of `ObjectRecord` guards the lists, too.
private final class RecordWithLists: ObjectRecord, @unchecked Sendable {
    let lists = LazyElements<ObserverList>()
    /// The list that is made first. Used by its address only.
    @exclusivity(unchecked) private var first = ObserverList()

    @inline(__always)
    var room: InPlace<ObserverList> { InPlace(of: first) }

    deinit { lists.deallocate(count: layout!.value.count) }
}

/// The state of an object that has observed weak properties, or keys derived from paths. Guarded by the record's lock.
final class RecordDetails {
    /// The routes that watch the paths of derived keys, by the derived key's slot.
    var derivedKeyRoutes: [Int: [Route]] = [:]
    /// The routes of expressions that observers of the object have, which begin at no key of it, by their sequence numbers.
    var functionRoutes: [UInt64: Route] = [:]
    /// The heights of derived keys that are higher than the schema says: see `ObjectRecord.height`.
    var heights: [Int: Int] = [:]
    /// In the order of registration.
    var sortedFunctionRoutes: [Route] { functionRoutes.sorted { $0.key < $1.key }.map(\.value) }
    /// For weak properties that are observed: the watch on the object they refer to.
    var watches: [Int: DeathWatch] = [:]
    /// The watches of weak properties that refer to the object, by their numbers.
    var watchers: [UInt64: DeathWatch] = [:]
    /// How often a weak property of the object was set since it has a record: an unchanged number says that none was set.
    var weakWrites: UInt32 = 0
    /// What was told of the object's keys and paths that have an open subject elsewhere.
    var told: [Subject.Identity: ToldElsewhere] = [:]
    /// The `ObservationCore` of an object whose `observable` was read. Released by teardown, without the lock.
    var observationCore: AnyObject?
}

// MARK: - Finding the record of an object

extension ObjectRecord {
    /// The records of untracked observers. The lock serialises making, finding and freeing them.
    ///
    /// Such an object has no teardown, so the table does not own its record: the observations do, and the last of them to
    /// be freed frees it. It pins the address until then, so no other object can have the same one.
    fileprivate static let untracked = Guarded(AssociatedReferences<ObjectRecord>())

    /// The record of an object, made if there is none; nil if the object's deinit has begun.
    static func make(for object: AnyObject) throws(KeyValueError) -> ObjectRecord? {
        if let tracked = object as? TrackedObject { return try tracked.makeRecord() }
        let object = Borrowed.to(object)
        if object.isDeinitializing { return nil }
        RuntimeCheck.run()
        return untracked.withLock { records in
            if let record = records[object.rawAddress] { return record }
            let record = ObjectRecord(of: object.object, schema: nil)
            records.insert(record, at: object.rawAddress)
            return record
        }
    }

    /// The record of an object, if it has one.
    static func existing(for object: AnyObject) -> ObjectRecord? {
        if let tracked = object as? TrackedObject { return tracked.record }
        return untracked.withLock { $0[Borrowed.to(object).rawAddress] }
    }

    // MARK: - Reading values of the object

    /// The value of a key of the object; nil if the object's deinit has begun.
    func readValue(_ slot: Int) -> Any? {
        if let expression = expression(slot) { return expression.value() }
        return trackedObject.map { object in layout!.value[slot].declaration.use { $0.read(object) } }
    }

    /// The same, and whether the value is what the key's `@Observed` property stores: a getter may make another one of it.
    func readComparing(_ slot: Int) -> (value: Any, isStored: Bool)? {
        guard let object = trackedObject, let key = schema?.keys[slot] else { return nil }
        let value = key.declared.read(object)
        return (value, key.observed?.stores(value, in: object) ?? false)
    }
}
