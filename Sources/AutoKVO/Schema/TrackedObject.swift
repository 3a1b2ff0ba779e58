internal import CDeallocHook
import Synchronization

/// The base class of objects that can be observed, and of observers whose observations end with them.
///
/// Its `deinit` is the hook: it runs after the subclasses' own deinit bodies and before any stored property is
/// destroyed, and ends every observation the object takes part in, as target or as observer. No code has to unregister.
///
/// A tracked object is not `Sendable`: its properties are used from one thread at a time, like those of any class. What
/// the library keeps about it may be used from any thread.
open class TrackedObject: KeyValueObserver {
    /// The address of the object's record, or zero; bit 0 is set while it is observed. An unobserved write reads nothing else.
    @usableFromInline final let stateWord = Atomic<UInt>(0)

    /// Makes an object that is not observed. The library allocates nothing for it before its first observation.
    public init() {}

    /// Ends the object's observations, then runs its deinit actions, then releases its record.
    deinit {
        let address = stateWord.load(ordering: .acquiring) & ~1
        guard let record = Borrowed<AttachedRecord>(bitPattern: address) else { return }
        record.use { $0.objectIsDying() }
        cdh_teardown(Borrowed.to(self).address)
        record.release()
    }

    /// What the class says about its keys beyond what the compiler knows. Called at the first use by name of the class, or of a class
    /// derived from it.
    open class var schema: Schema { .empty }

    /// Whether observations end by themselves with the objects of this class. A class that returns false makes every
    /// observation of which its objects are the target or the observer behave as with `.unregisterManually`, but for those with
    /// `.unregisterAutomatically`, which streams, bindings, `depend`, `observeElements`, `observe(tracking:on:)` and `observable` have.
    open class var unregistersAutomatically: Bool { true }

    /// The keys and paths that the value of a key is computed from, for code ported from Foundation: the same as `affectedBy:`
    /// of the `Key`, and added to it. An override calls `super` for keys that are not its own.
    ///
    /// Called once for each key at the first use of the class by name. What it returns is checked like a schema. The getter of a
    /// computed property needs a `Key` all the same: no Swift property can be found by a string.
    open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { [] }

    /// Whether writes of a property are announced by themselves, for code ported from Foundation: false is the same as
    /// `notifiesAutomatically: false` of the `Key`. An override calls `super` for keys that are not its own.
    ///
    /// Called once for each key at the first use of the class by name.
    open class func automaticallyNotifiesObservers(forKey key: String) -> Bool { true }

    /// Called with each change of an observation that was registered in Foundation's wording, without a handler.
    ///
    /// Override it, and call `super` for changes that are not yours. The base class reports a change that no override
    /// handled to `Diagnostics`.
    open func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [KeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        Diagnostics.report(
            "\(type(of: self)) observes \(quoted(keyPath ?? "")) of \(object.map { "\(Swift.type(of: $0))" } ?? "nil"), and no "
                + "override of observeValue(forKeyPath:of:change:context:) took its change: it came to the base class")
    }

    /// Validates a value for `validateValue(_:forKey:)`, after the key's own `validate:`. An override may replace the value, and
    /// throws to refuse it. For keys that are not its own it calls `super`.
    ///
    /// - Throws: In an override, any error: it reaches the caller as `.invalidValue`, a `KeyValueError` as it is.
    open func validate(_ value: inout Any?, forKey key: String) throws {}

    /// Called by `value(forKey:)` for a name that no key has. The base class throws; an override may return a value instead.
    ///
    /// Not called for key paths, which are checked against what the classes declare.
    ///
    /// - Throws: A `KeyValueError` with the reason `.unknownKey` and the nearest name.
    open func value(forUndefinedKey key: String) throws(KeyValueError) -> Any? {
        throw try ClassSchema.of(type(of: self)).unknownKey(key, in: key)
    }

    /// Called by `setValue(_:forKey:)` for a name that no key has. The base class throws; an override may store the value instead.
    ///
    /// - Throws: A `KeyValueError` with the reason `.unknownKey` and the nearest name.
    open func setValue(_ value: Any?, forUndefinedKey key: String) throws(KeyValueError) {
        throw try ClassSchema.of(type(of: self)).unknownKey(key, in: key)
    }
}

extension TrackedObject {
    /// Whether a write has to check for observers. One load and one branch.
    @export(implementation) @inline(__always)
    var isObserved: Bool { stateWord.load(ordering: .relaxed) & 1 != 0 }

    /// Whether the object's `deinit` has begun.
    var isDeinitializing: Bool { Borrowed.to(self).isDeinitializing }
}
