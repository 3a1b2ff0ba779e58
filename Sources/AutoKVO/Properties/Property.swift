// How a change of a property gets to the engine. There are three ways:
//
// - a setter (`Observed`, `Property.value`): `TrackedObject.write`. It calls the observers after the store if the property's own
//   list is all that the change concerns, and else makes the store inside a transaction;
// - a change in place (`_modify`): `InPlaceEdit`, the same in two halves;
// - anything else (a weak property, an edit of a collection, a property set by name): `TrackedObject.announcing`, which always
//   opens a transaction.
//
// All three first ask `ObservedWrite` whether somebody has to be notified. The storage belongs to the object, and a
// `PropertyStorage` is its address: whoever uses one keeps the object alive. No lock guards it, as a property is used by one
// thread at a time; only a weak property is also read by the thread on which its object dies, and is guarded by the lock of the
// owner's record. Read next: `TrackedObject+Write`, `Observed`, `ObservedWeak`.
//
// **An example**: `person.$age.value = 3`, where somebody observes `age`.
//
//     Property.write            the person is observed, and the property is not being changed in place, which would trap: `Observed.write`
//     Observed.write            returns at once if the property is `.distinct` and has an equal value
//     TrackedObject.write       finds the slot by the storage's offset; not if a subclass may override the getter: then `announcingWrite`
//     ObservedWrite.init        completes deliveries that the write must not overtake; nil if nobody has to be notified: then only the store
//     store                     the values are swapped; inside of `Transaction.begin` and `end` if the change concerns more than the list of
//                               `age`, somebody asks for a prior call, or a change is open; in a `coalescingChanges` that has all observers
//                               of the list already nothing else is done
//     notify                    else: a `Subject` of the thread's pool calls the observers in the list of `age`

/// One property of one object, as `$name` returns it: checked by the compiler, where a string is looked up at run time.
///
/// It keeps the object alive. It is meant for a single expression; it is three words and needs no allocation.
///
/// The handle of an array or a set can be read like the collection, and its edits report to observers what moved: see
/// `append(_:)` and `insert(_:)`. Like the property itself, a handle is used by one thread at a time; if several threads
/// edit one property, the caller has to serialise the edits. Code that can read the property can write it through its
/// handle, from any module: `private(set)` does not prevent `object.$age.value = 1`. `@ObservedReadOnly` does.
public struct Property<Value>: PropertyHandle {
    /// The object whose property this is.
    public let object: TrackedObject
    /// The property's storage in the object. It begins with the value, unless `indirect` says otherwise.
    @usableFromInline let storage: PropertyStorage<Value>
    /// Reads and writes the property if its storage does not hold the value itself.
    @usableFromInline let indirect: IndirectStorage<Value>.Type?

    @export(implementation)
    init(_ object: TrackedObject, _ storage: PropertyStorage<Value>, indirect: IndirectStorage<Value>.Type? = nil) {
        (self.object, self.storage, self.indirect) = (object, storage, indirect)
    }

    @_documentation(visibility: internal) @export(implementation) public var target: HandleTarget {
        let offset = storage.offset(in: object)
        return offset < 0 ? HandleTarget(object, ofOneValued: Value.self) : HandleTarget(object, offset: offset)
    }

    /// The key of the property.
    ///
    /// A class whose schema has a fault is a mistake in code and traps.
    ///
    /// - Complexity: O(1) after the first use of the class.
    public var key: String { target.key.name }

    /// Announces a change of the property around a closure that makes it, also if the closure throws.
    ///
    /// All changes of the property inside the closure are part of this one change, which is a `.setting`. Observers are called on this
    /// thread, after the closure and before the call returns.
    ///
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws.
    /// - Complexity: What any change takes, O(*n*) for *n* changes that this thread has begun and not ended, and the closure.
    @discardableResult
    public func withMutation<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try object.inTransaction(target.slot(), body)
    }
}

/// Reads and writes a property whose storage does not begin with its value. A class, so that it is one word to a `Property`.
@usableFromInline class IndirectStorage<Value> {
    @usableFromInline
    class func read(_ storage: PropertyStorage<Value>, _ object: TrackedObject) -> Value { preconditionFailure() }
    /// Writes the property, and notifies its observers.
    @usableFromInline class func write(_ value: Value, _ storage: PropertyStorage<Value>, _ object: TrackedObject) {}
}
