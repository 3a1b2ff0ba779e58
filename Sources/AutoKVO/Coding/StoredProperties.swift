/// An observed property of an object, whether a name reaches it or not: what it takes to record its changes and to undo them.
struct StoredProperty {
    private let reference: PinnedReference<TrackedObject>
    private let schema: ClassSchema
    private let key: ResolvedKey
    /// Whether the property may hold objects, by a strong reference.
    let mayHoldParts: Bool

    /// The observed properties of an object that store something. A class whose schema has a fault is a mistake in code, and traps.
    static func all(of object: TrackedObject) -> [StoredProperty] {
        let schema = orTrap(try object.requireSchema())
        return schema.keys.filter { $0.observed != nil && !$0.isDerivedProperty }.map {
            StoredProperty(
                reference: PinnedReference(object), schema: schema, key: $0,
                mayHoldParts: !$0.isWeak && heldObjects($0.declared.valueType) != .noObject)
        }
    }

    var name: String { key.name }
    var slot: Int { key.slot }
    /// The object; nil if it has died.
    var object: TrackedObject? { reference.object }
    var isWeak: Bool { key.isWeak }
    /// When it is undone, of all that one step has changed: a setter may change other properties, so it comes before those; one that
    /// converts a value by other properties comes behind them.
    var turn: Int { key.isOverridden && key.declared.write != nil ? key.height > 0 ? 1 : -1 : 0 }
    static func objects(in value: Any?) -> [TrackedObject] { trackedObjects(in: value) }
    /// The objects that the property holds by a strong reference.
    var parts: [TrackedObject] {
        mayHoldParts ? object.map { trackedObjects(in: key.declared.read($0)) } ?? [] : []
    }

    /// Observes the property on behalf of an observer, with a call before and one after each change. These calls come before those of all who
    /// observe it already: so the observer hears of what their handlers change.
    func observe<Observer: AnyObject>(
        for observer: Observer, _ handler: @escaping (Observer, Change<Any>) -> Void
    ) -> KeyValueObservation? {
        guard let object else { return nil }
        let options: ObservingOptions = [.old, .new, .prior, .unregisterAutomatically, .first]
        let handle = HandleTarget(object, path: ParsedKeyPath([.init(schema: schema, slot: key.slot)]))
        return Registration(options, nil, .closure(handler), #fileID, #line).observe(.one(handle), by: observer)
    }

    /// What a history keeps to undo a change of the property. It refers weakly to an object to which the property referred weakly. Nil for the
    /// death of such an object: there is no old value, and nothing can bring it back.
    func past(_ change: Change<Any>) -> PastChange? {
        // Where what it referred to is dead, it can only be nil again.
        let isSet = isWeak && change.newValue.flatMap(unwrapped) != nil
        let nothing: Any? = change.kind == .insertion ? [Any]() : isSet ? TrackedObject?.none as Any : nil
        guard let old = change.oldValue ?? nothing else { return nil }
        let referent = isWeak ? unwrapped(old) as? TrackedObject : nil
        return PastChange(
            kind: change.kind, indexes: change.indexes, old: referent.map { PinnedReference($0) } ?? old,
            new: change.kind == .setting ? nil : change.newValue)
    }

    /// A function that stores what is stored now again, if that is not so then.
    var keepingStored: () -> Void {
        guard let object, let storage = key.storageType, let field = key.field else { return {} }
        let stored = storage.reader(of: field)(object)
        let restore = { storage.restore(stored, in: field, of: object) }
        return { [key] in
            if storage.stores(stored, in: field, of: object) { return }
            if key.notifiesAutomatically { restore() } else { object.inTransaction(key.slot, restore) }
        }
    }

    /// Undoes a change in the property's storage: no setter runs, unless a subclass overrides the property and a `Key` declares it. A property
    /// that does not announce its changes is announced.
    func revert(_ change: PastChange) throws(KeyValueError) {
        guard let object else { return }
        func restore() throws(KeyValueError) {
            if change.kind != .setting {
                var proxied = ProxiedKey(object, schema, key)
                proxied.writesStorage = !key.isOverridden
                return try proxied.revert(change)
            }
            guard var old = change.old else { return }
            // With Foundation, a cast of a collection to a class makes an object of it and of each element.
            if isWeak, let referent = old as? PinnedReference<TrackedObject> { old = referent.object as Any }
            if key.isOverridden, let write = key.declared.write {
                write(object, old)
                if areEqual(key.declared.read(object), old) || !areEqual(old, old) { return }
                throw change.failure("the setter has not stored the value", object, key.name)
            }
            guard let storage = key.storageType, let field = key.field else { return }
            let former = key.isOverridden ? storage.reader(of: field)(object) : ()
            storage.restore(old, in: field, of: object)
            if !key.isOverridden { return }
            // What was recorded is what the getter returned. One that returns something else than is stored leads elsewhere now. Not compared by
            // their bytes: what is read is another closure each time, and has other bytes between its parts.
            let (read, stored) = (key.declared.read(object), storage.reader(of: field)(object))
            if areEqual(read, stored) || isSameContent(read, stored) { return }
            storage.restore(former, in: field, of: object)
            throw change.failure("a subclass overrides the property, and no Key lets it be set", object, key.name)
        }
        if !key.notifiesAutomatically { return try object.inTransaction(key.slot, restore) }
        try object.announcing(key.announcesItself ? nil : key.slot, restore)
    }
}

/// Tells which calls belong to one outermost change, made on one thread: the change itself and all that its handlers change.
///
/// The outermost change is under way as long as its transaction is in use. That is one of its thread's pool, so it is looked at on
/// that thread only; a token, which no other change has, says whether it is still used for the same change.
final class OutermostChange {
    private var transaction: Transaction?
    private var token: UInt = 0
    private var thread: UInt = 0

    var isUnderWay: Bool { thread == thisThread() && transaction.map { $0.token == token } ?? false }

    /// Whether a change of some objects is open on this thread, or the calls are held back that one would make.
    static func isOpen(of isConcerned: (ObjectIdentifier) -> Bool) -> Bool {
        let thread = ThreadContext.current
        return thread.value.coalescing != nil
            || thread.value.openTransactions.members.contains { $0.use { $0.changed.map(isConcerned) ?? false } }
    }

    /// Makes the calls that are left of the changes under way on this thread, or those of them that are due.
    static func finishCalls(where isDue: (Subject) -> Bool = { _ in true }) {
        let thread = ThreadContext.current
        Transaction.complete(thread.value.pending.members.map(\.object).filter(isDue), thread)
    }

    /// Makes those of changes of some objects of which an observer, which comes before others (`.first`), has not heard.
    ///
    /// - Parameter makesEdits: Whether the second one of two edits is made, too.
    static func finishCalls(for observer: AnyObject, makesEdits: Bool, of isConcerned: (ObjectIdentifier) -> Bool) {
        finishCalls {
            isConcerned($0.root.target) && (makesEdits || $0.continuation == nil) && $0.isLeft(for: observer)
        }
    }

    /// Makes those of an object, and those that changes of what a getter of it reads concern, before its setter is called.
    static func finishCalls(of object: TrackedObject, readingBy getter: () -> Void) {
        let thread = ThreadContext.current
        if thread.value.pending.isEmpty { return }
        var sources = Recorder.keys(readBy: getter).read
        // Of a derived value that is kept only the key is read.
        var open = Array(sources)
        while let (key, record) = open.popLast() {
            for link in record.expression(key.slot)?.sources ?? []
            where sources.updateValue(link.record, forKey: link.key) == nil { open.append((link.key, link.record)) }
        }
        let topics = sources.flatMap { Transaction.topics(of: $0.value, $0.key.slot, thread) }
        let own = object.unmanagedRecord.map { [$0.rawAddress] } ?? []
        Transaction.complete(thread.value.pending(of: Set(topics + own)), thread)
    }

    /// Whether a call is the first one of an outermost change. What a prior handler changes may be heard of before the change for which that is
    /// called, and which is being prepared then.
    func begins(of isConcerned: (ObjectIdentifier) -> Bool) -> Bool {
        if isUnderWay { return false }
        let context = ThreadContext.current
        let edits = context.value.twoEdits.flatMap { $0.object.changedFirst.map(isConcerned) ?? false ? $0 : nil }
        var first = edits ?? context.value.delivering
        if edits == nil, !(first?.object.isCoalescing ?? false) {
            let open = context.value.openTransactions.members.map(\.object)
            first = open.first { $0.isPreparing && $0.changed.map(isConcerned) ?? false }.map { .to($0) } ?? first
        }
        (transaction, thread) = (first?.object, thisThread())
        token = transaction?.token ?? 0
        return true
    }
}
