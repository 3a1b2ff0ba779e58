internal import CDeallocHook
internal import CSwiftRuntime
import Synchronization

/// What the library knows of one object that takes part in any observation, as target, as observer, or both.
///
/// A tracked object knows its record by address, and owns it until its teardown is over. Any other observer's record is
/// its associated value in CDeallocHook's table, under a private key. All records are in that table's list of members.
/// As *target* a record has a list of observations for each property slot; as *observer*, the list of the observations
/// it holds. The same `KeyValueObservation` is in both lists.
///
/// **Who may be dead.** A record pins its object: while the record lives, the object's memory stays allocated, its
/// address is not reused, and it may be asked at any time, from any thread, whether it is still alive. Everybody who
/// may outlive the object (observations, path links) holds the record, never the object.
///
/// **Locks.** `lock` guards every stored variable below it, the links of the nodes in its lists, and the closures of
/// the observations whose unmanagedRecord this record is. A thread holds at most one record's lock at a time, takes a stripe of
/// the table only while holding none, and holds none while user code runs; releasing a closure is running user code.
final class ObjectRecord: AttachedRecord, @unchecked Sendable {
    /// Puts the record into the list of all records. First in memory, so that the record is found by the member's
    /// address. Used by that address only, since other threads write it under the table's lock.
    @exclusivity(unchecked) private var member = cdh_member()
    /// The object. Pinned, so the address is valid as long as the record, alive or not.
    let address: UnsafeRawPointer
    /// What the tracked object's class declares; nil for an observer that is not a `TrackedObject`.
    /// Schemas and their layouts are never freed.
    let layout: InPlace<SlotLayout>?
    var unmanagedSchema: Borrowed<ClassSchema>? { layout?.value.schema }
    var schema: ClassSchema? { unmanagedSchema?.object }
    let lock = ShortLock()

    /// From here on guarded by `lock`, but for the constants.
    /// Set by teardown: from now on nothing is added.
    @exclusivity(unchecked) var isDying = false
    /// Nodes in the object's lists and in lists of keys derived from its keys: zero means that writes cost nothing.
    @exclusivity(unchecked) var interest: Int32 = 0
    /// Nil for an object without keys.
    private let lists: LazyElements<ObserverList>?
    /// The first of the observations in which the object is the observer.
    @exclusivity(unchecked) var firstHeld: Borrowed<KeyValueObservation>?
    /// What few objects have; nil until they do.
    @exclusivity(unchecked) private(set) var details: RecordDetails?

    init(of object: AnyObject, schema: ClassSchema?) {
        address = UnsafeRawPointer(Borrowed.to(object).address)
        layout = schema?.layout
        let count = layout?.value.count ?? 0
        lists = count > 0 ? LazyElements(count: count) : nil
        super.init()
        RuntimeCheck.run()
        csr_pin(address)
        if schema == nil, !RuntimeCheck.holds(.classWord) { makeDetails().untrackedClass = type(of: object) }
        Counters.records.add(1)
        assert(&member == memberPointer)
        cdh_join(memberPointer)
    }

    deinit {
        lists?.deallocate()
        if schema == nil { leaveTable() }
        cdh_leave(memberPointer)
        csr_unpin(address)
        Counters.records.add(-1)
    }

    override func objectIsDying() { teardown() }

    /// The object, retained, or nil if its deinit has begun.
    @inline(__always)
    func object<Object: AnyObject>(as type: Object.Type) -> Object? {
        guard csr_try_retain(address) else { return nil }
        return Borrowed<Object>.at(address).take()
    }

    /// The tracked object, retained, or nil if its deinit has begun. Only for records with a schema.
    var trackedObject: TrackedObject? { object(as: TrackedObject.self) }

    /// Whether the object's deinit has begun or is over. It retains nothing, so it may be asked under a lock, and whoever asks
    /// is never the one whose release frees the object.
    var isDeinitializing: Bool { csr_is_deinitializing(address) }

    /// The object's class. The object may be dead.
    var objectClass: AnyClass { schema?.type ?? details?.untrackedClass ?? PinnedObject.objectClass(at: address) }

    /// The details, made if they are missing. Under the lock.
    func makeDetails() -> RecordDetails {
        if let details { return details }
        let made = RecordDetails()
        details = made
        return made
    }

    /// Takes the details away. Under the lock.
    func takeDetails() -> RecordDetails? { details.take() }

    /// The list of a slot, or nil where it was never observed. What is in it is read under the lock, but for its `interest`.
    @inline(__always)
    func list(_ slot: Int) -> InPlace<ObserverList>? {
        lists?[slot]
    }

    /// The list of a slot, made if it is missing. Under the lock.
    func makeList(_ slot: Int) -> InPlace<ObserverList> {
        list(slot) ?? lists!.make(slot, ObserverList())
    }
}

/// What is known of an object that has weak properties, or keys derived from paths. Guarded by the record's lock.
final class RecordDetails {
    /// The routes that watch the paths of derived keys, by the derived key's slot.
    @exclusivity(unchecked) var derivedKeyRoutes: [Int: [Route]] = [:]
    /// For weak properties that somebody observes: the watch on the object they refer to.
    @exclusivity(unchecked) var watches: [Int: DeathWatch] = [:]
    /// How often a weak property of the object was set since it has a record, to tell whether one was set meanwhile.
    @exclusivity(unchecked) var weakWrites: UInt32 = 0
    /// The class of an object that is not tracked, if its memory does not say it. Constant.
    @exclusivity(unchecked) fileprivate(set) var untrackedClass: AnyClass?
}

// MARK: - Finding the record of an object

extension ObjectRecord {
    /// The key under which the records of untracked observers are in the table: an address of our own.
    private nonisolated(unsafe) static let key = UnsafeRawPointer(
        UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))

    /// The record of an object, made if there is none; nil if the object's deinit has begun.
    static func make(for object: AnyObject) throws(KeyValueError) -> ObjectRecord? {
        if let tracked = object as? TrackedObject { return try tracked.makeRecord() }
        let address = UnsafeRawPointer(Borrowed.to(object).address)
        if csr_is_deinitializing(address) { return nil }
        return untracked.withLock { _ in
            if let record = findUntracked(at: address) { return record }
            let record = ObjectRecord(of: object, schema: nil)
            let result = cdh_associate(address, key, Borrowed.to(record).address, nil, CDH_LAST)
            precondition(result == CDH_OK, "AutoKVO could not get memory for the record of an observed object.")
            return record
        }
    }

    /// Serialises making, finding and freeing the records of untracked observers, which the table alone finds.
    ///
    /// Such an object has no teardown, so the table does not own its record: the observations do, and the last of them to
    /// be freed frees it. It pins the address until then, so nobody else can stand under it.
    ///
    /// It guards no value of its own, but an empty one would lie at the lock object's own address, where the thread sanitizer
    /// takes its use for a write of the object's class.
    private static let untracked = Guarded(0)

    /// The record of an untracked observer. Under the mutex, without which its deinit cannot be completed.
    private static func findUntracked(at address: UnsafeRawPointer) -> ObjectRecord? {
        guard let pointer = cdh_associated(address, key, nil), csr_try_retain(pointer) else { return nil }
        return Borrowed<ObjectRecord>.at(pointer).take()
    }

    /// The last thing the record of an untracked observer does. Another may stand in its place already.
    private func leaveTable() {
        Self.untracked.withLock { _ in
            guard cdh_associated(address, Self.key, nil) == Borrowed.to(self).address else { return }
            _ = cdh_dissociate(address, Self.key)
        }
    }

    /// The record of an object, if it has one.
    static func existing(for object: AnyObject) -> ObjectRecord? {
        if let tracked = object as? TrackedObject { return tracked.record }
        return untracked.withLock { _ in findUntracked(at: UnsafeRawPointer(Borrowed.to(object).address)) }
    }

    /// The records of all objects that take part in an observation.
    static func all() -> [ObjectRecord] {
        var room = 16
        while true {
            var pointers = [UnsafeMutableRawPointer?](repeating: nil, count: room)
            let retain: cdh_try_retain_fn = { member in
                let record = Borrowed<ObjectRecord>(firstProperty: UnsafeMutableRawPointer(member)).address
                return csr_try_retain(record) ? record : nil
            }
            let count = cdh_collect(retain, &pointers, room)
            let records = pointers.prefix(count).compactMap { pointer in
                pointer.map { Borrowed<ObjectRecord>.at($0).take() }
            }
            if count <= room { return records }
            room = count + count / 8
        }
    }

    private var memberPointer: UnsafeMutablePointer<cdh_member> {
        Borrowed.to(self).firstProperty.assumingMemoryBound(to: cdh_member.self)
    }
}
