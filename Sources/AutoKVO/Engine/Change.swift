/// What happened to a property.
///
/// A handler gets it as an argument and may keep it: it holds neither the target nor the observer. Values that the
/// registration did not ask for are nil; a debug build reports to `Diagnostics` that such a value was read, once for each place of
/// registration, with the option to add. A value that was asked for and is itself nil is present: `.some(nil)` in a
/// `Change<String?>`, and in a `Change<Any>` an `Any` that holds the empty optional, so that `as? String` gives nil.
///
/// A change is used on the thread it was delivered on; it is not `Sendable`.
public struct Change<Value> {
    @usableFromInline let context: ChangeContext

    @inline(__always)
    init(_ context: ChangeContext) { self.context = context }

    /// The value from before the change, if the registration asked for `.old`. For a collection edit, the elements that
    /// were removed or replaced. Where the change is the death of an object that is referred to weakly, what was read from it, or computed
    /// with it by an operator or by a key that is `affectedBy` others, is gone: nil.
    @export(implementation) public var oldValue: Value? {
        context.checkAsked(for: .old)
        return context.oldValue(as: Value.self)
    }

    /// The value from after the change, if the registration asked for `.new`; never in a prior call. For a collection
    /// edit, the elements that were inserted or put in place of others.
    @export(implementation) public var newValue: Value? {
        context.checkAsked(for: .new)
        return context.newValue(as: Value.self)
    }

    /// The path as it was registered.
    public var keyPath: String { context.keyPath }

    /// Whether the whole value was set, or a collection edited.
    public var kind: ChangeKind { context.event.value.kind }

    /// Where a collection was edited: for a removal, indexes from before it; for an insertion or replacement, from
    /// after it. Nil for `.setting` and for sets.
    public var indexes: RangeSet<Int>? { context.event.value.indexes }

    /// Whether this call is made before the change, for a registration with `.prior`.
    public var isPrior: Bool { context.event.value.isPrior }

    /// The object that was registered with: for an observation of several targets, the one of them that changed.
    /// Not nil while the handler runs, which keeps the target alive. A change that was kept does not keep it: nil when it has died. Nil also
    /// for an observation of what a closure reads, which has no target.
    public var target: TrackedObject? { context.target }

    /// The observer, if the registration named one. Alive while the handler runs.
    public var observer: AnyObject? { context.observer }

    /// The registration.
    public var observation: KeyValueObservation { context.currentObservation }

    /// What was given at the registration for its handler.
    public var userInfo: Any? { context.currentObservation.userInfo }

    /// Whether the last component of the path changed, not an object on the way to it.
    package var isLastComponent: Bool { context.event.value.isLastComponent }

    /// The whole value that the path has now, read at each use.
    ///
    /// After an edit of a collection `newValue` has only the elements that came. Any `newValue` is outdated when the property is set
    /// again: by this handler, by another thread, or before a change arrives that is delivered elsewhere. What another handler sets
    /// is delivered after this change, so it does not outdate it.
    ///
    /// Nil if the target is dead, or if the value cannot be converted to the type of the change's values, which is reported to
    /// `Diagnostics`. Of a path on which an object is missing the value is nil: an optional type holds it as `.some(nil)`, as `newValue`
    /// does.
    @export(implementation) public var currentValue: Value? { currentValue(as: Value.self) }

    /// The same as another type.
    ///
    /// - Complexity: That of reading the key or path, and of the conversion.
    public func currentValue<Other>(as type: Other.Type) -> Other? {
        guard let value = context.currentObservation.currentValue(by: context.route?.object) else { return nil }
        return context.deliverable(value, as: type)
    }

    /// The same, not converted, in a handler of the change: the target is alive then.
    var valueInHandler: Any {
        context.observation!.use { $0.currentValue(by: context.route?.object) } ?? Any?.none as Any
    }

    /// Whether a handler of the change may be called once more: neither the observation nor this path of it has been removed meanwhile.
    @usableFromInline var isHeard: Bool { !context.isWithdrawn }
}

/// What kind of change a property went through.
public enum ChangeKind: UInt, Sendable, Hashable {
    /// The value as a whole was set.
    case setting = 1
    /// Elements were inserted into a collection; `indexes` says where they are now.
    case insertion = 2
    /// Elements were removed from a collection; `indexes` says where they were.
    case removal = 3
    /// Elements of a collection were replaced by others, or changed places.
    case replacement = 4
}
