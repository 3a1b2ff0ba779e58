internal import CDeallocHook
internal import CSwiftRuntime
import Synchronization

/// The base class of objects that can be observed, and of observers that are told apart by nothing but being alive.
///
/// Its `deinit` is the hook: it runs after the subclasses' own deinit bodies and before any stored property is
/// destroyed, and ends every observation the object takes part in, as target or as observer. Nobody unregisters.
///
/// A tracked object is not `Sendable`: its properties are used from one thread at a time, like those of any class. What
/// the library keeps about it may be used from any thread.
open class TrackedObject: KeyValueObserver {
    /// The address of the object's record, or zero; bit 0 says that somebody observes it. All that a write looks at.
    @usableFromInline
    final let word = Atomic<UInt>(0)

    /// Makes an object that nobody observes. Costs nothing: the library learns of an object at its first observation.
    public init() {}

    deinit {
        let word = word.load(ordering: .acquiring)
        if word != 0 { endOfLife(word) }
    }

    /// What the class declares: keys and handlers. Called at the first use by name of the class, or of a class derived from it.
    open class var schema: Schema { .empty }

    /// Whether observations end by themselves with the objects of this class. A class that returns false makes every
    /// observation of which its objects are the target or the observer behave as with `.unregisterManually`.
    open class var unregistersAutomatically: Bool { true }

    /// Called with each change of an observation that was registered in Foundation's wording, without a handler.
    ///
    /// Override it, and call `super` for changes that are not yours. The base class reports a change that nobody took
    /// to `Diagnostics`.
    open func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [KeyValueChangeKey: Any]?, context: UnsafeMutableRawPointer?
    ) {
        Diagnostics.report(
            "\(type(of: self)) observes \(quoted(keyPath ?? "")) of \(object.map { "\(Swift.type(of: $0))" } ?? "nil"), and no "
                + "override of observeValue(forKeyPath:of:change:context:) took its change: it came to the base class")
    }

    /// Looks at a value for `validateValue(_:forKey:)`, after the key's own `validate:`. An override may replace the value, and
    /// throws to refuse it. For keys that are not its own it calls `super`.
    ///
    /// - Throws: In an override, any error: it reaches the caller as `.invalidValue`, a `KeyValueError` as it is.
    open func validate(_ value: inout Any?, forKey key: String) throws {}

    /// Called by `value(forKey:)` for a name that no key has. The base class throws; an override may answer instead.
    ///
    /// Key paths do not come here: they are checked against what the classes declare.
    ///
    /// - Throws: A `KeyValueError` with the reason `.unknownKey` and the nearest name.
    open func value(forUndefinedKey key: String) throws(KeyValueError) -> Any? {
        throw try ClassSchema.of(type(of: self)).unknownKey(key, in: key)
    }

    /// Called by `setValue(_:forKey:)` for a name that no key has. The base class throws; an override may take the value instead.
    ///
    /// - Throws: A `KeyValueError` with the reason `.unknownKey` and the nearest name.
    open func setValue(_ value: Any?, forUndefinedKey key: String) throws(KeyValueError) {
        throw try ClassSchema.of(type(of: self)).unknownKey(key, in: key)
    }
}

extension TrackedObject {
    /// Whether a write has to look further. One load and one branch.
    @inlinable @inline(__always)
    var isObserved: Bool { word.load(ordering: .relaxed) & 1 != 0 }

    /// The object's record, if it has one.
    var record: ObjectRecord? { existingHome?.object }

    /// The schema of the object's class, if the object has a record that knows it.
    @inline(__always)
    var knownSchema: Borrowed<ClassSchema>? { existingHome?.use { $0.unmanagedSchema } }

    /// The object's record, if it has one. It may be that of a dying object, which nothing can be attached to any more.
    @inline(__always)
    var existingHome: Borrowed<ObjectRecord>? {
        UnsafeRawPointer(bitPattern: word.load(ordering: .acquiring) & ~1).map { .at($0) }
    }

    /// The same for any object; nil for one that is not tracked.
    @inline(__always)
    static func existingHome(ofObjectAt address: UnsafeRawPointer) -> Borrowed<ObjectRecord>? {
        guard csr_is_kind_of(address, unsafeBitCast(TrackedObject.self as AnyClass, to: UnsafeRawPointer.self)) else { return nil }
        return Borrowed<TrackedObject>.at(address).use { $0.existingHome }
    }

    /// The object's record, made if there is none; nil if the object's deinit has begun.
    func makeRecord() throws(KeyValueError) -> ObjectRecord? {
        try makeHome()?.object
    }

    /// The same without a reference of its own: the record stays as long as the object is not torn down.
    @inline(__always)
    func makeHome() throws(KeyValueError) -> Borrowed<ObjectRecord>? {
        if isDeinitializing { return nil }
        if let existingHome { return existingHome }
        return try makeFirstHome()
    }

    @inline(never)
    private func makeFirstHome() throws(KeyValueError) -> Borrowed<ObjectRecord> {
        let record = ObjectRecord(of: self, schema: try ClassSchema.of(type(of: self)))
        let mine = Borrowed.to(record)
        let (stored, other) = word.compareExchange(
            expected: 0, desired: UInt(bitPattern: mine.address), ordering: .acquiringAndReleasing)
        if stored {
            // The object owns it, until `endOfLife`.
            return .retaining(record)
        }
        // Another thread was first; ours goes unused.
        return .at(UnsafeRawPointer(bitPattern: other & ~1)!)
    }

    /// Ends what the object takes part in, then runs what was left for its death, then forgets it.
    private func endOfLife(_ word: UInt) {
        let record = Borrowed<ObjectRecord>.at(UnsafeRawPointer(bitPattern: word & ~1)!)
        record.use { $0.teardown() }
        cdh_teardown(UnsafeRawPointer(Borrowed.to(self).address))
        record.release()
    }
}

extension ObjectRecord {
    /// Sets or clears the bit that makes writes look further. Under the lock.
    @inline(__always)
    func interestDidChange(by change: Int32) {
        let before = interest
        interest += change
        guard (before == 0) != (interest == 0), !isDying else { return }
        let object = UnsafeRawPointer(address).assumingMemoryBound(to: UInt8.self)
        Borrowed<TrackedObject>.at(object).use {
            let mine = UInt(bitPattern: Borrowed.to(self).address)
            $0.word.store(interest == 0 ? mine : mine | 1, ordering: .releasing)
        }
    }
}

extension TrackedObject {
    /// Whether the object's `deinit` has begun.
    var isDeinitializing: Bool { csr_is_deinitializing(Borrowed.to(self).address) }
}
