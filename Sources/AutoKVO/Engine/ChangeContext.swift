/// What a `Change` refers to. One object serves all calls of a delivery, and then the next delivery on the thread:
/// a change is a single reference, made without an allocation and passed without counting.
///
/// After each call the delivery checks whether anything else refers to the context. If so a handler kept its
/// change: the context then takes ownership of what it had borrowed, and belongs to the handler.
@usableFromInline
final class ChangeContext {
    /// What happened. The same for all calls of a delivery: what an observation did not ask for is hidden from it by the
    /// accessors (`wants`).
    @usableFromInline @exclusivity(unchecked) var event = ChangeEvent()
    /// Before what has no fixed size for the compiler, behind which fields are looked up.
    @exclusivity(unchecked) var nextSpare: Borrowed<ChangeContext>?
    /// Borrowed from the delivery while the handler runs.
    @usableFromInline @exclusivity(unchecked) var observation: Borrowed<KeyValueObservation>?
    @exclusivity(unchecked) var route: Borrowed<Route>?
    /// Owned, once the change was kept; so are the values then.
    private var keptObservation: KeyValueObservation?
    private var keptRoute: Route?
    private var keptEdit: CollectionChange?

    init() {
        Counters.contexts.add(1)
    }

    deinit {
        if keptObservation != nil {
            event.oldValue?.deallocate()
            event.newValue?.deallocate()
        }
        Counters.contexts.add(-1)
    }

    /// Whether the observation being called has an option.
    @inlinable @inline(__always)
    func wants(_ option: ObservingOptions) -> Bool {
        observation.unsafelyUnwrapped.use { $0.options.contains(option) }
    }

    @inlinable
    func oldValue<Value>(as type: Value.Type) -> Value? { wants(.old) ? load(event.oldValue, as: type) : nil }

    @inlinable
    func newValue<Value>(as type: Value.Type) -> Value? { wants(.new) ? load(event.newValue, as: type) : nil }

    @inlinable
    func load<Value>(_ pointer: ValuePointer?, as type: Value.Type) -> Value? {
        guard let pointer else { return nil }
        return pointer.load(as: type) ?? convertValue(pointer, to: type)
    }

    @usableFromInline
    func convertValue<Value>(_ pointer: ValuePointer, to type: Value.Type) -> Value? {
        convert(pointer.box(), to: type)
    }

    var currentObservation: KeyValueObservation { observation!.object }
    var currentRoute: Route? { route?.object }

    private var root: ObjectRecord? {
        if let route { return route.use { $0.root } }
        return observation!.use { $0.record }
    }

    var target: TrackedObject? { root?.trackedObject }
    var observer: AnyObject? { observation!.use { $0.observer } }

    var keyPath: String {
        if let route { return route.use { $0.path.text } }
        return observation!.use { $0.directKey }
    }

    /// Takes ownership of what is borrowed, because a handler kept its change.
    func keep() { keep(old: oldValue(as: Any.self), new: newValue(as: Any.self)) }

    /// A context that owns the change, its values converted to a type, and that nothing else refers to.
    func copy<Value>(convertingTo type: Value.Type) -> ChangeContext {
        let copy = ChangeContext()
        copy.event = event
        copy.observation = observation
        copy.route = route
        copy.keep(old: oldValue(as: type), new: newValue(as: type))
        return copy
    }

    private func keep(old: Any?, new: Any?) {
        keptObservation = observation?.object
        keptRoute = route?.object
        keptEdit = event.edit?.object
        event.type = Any.self
        event.old = old.map { ValuePointer.allocate($0).address }
        event.new = new.map { ValuePointer.allocate($0).address }
    }
}

/// One change of one property, or of one path, on its way to the handlers. Plain words: it points to what it tells.
///
/// It is made where it stays, in a context: a copy of what was just written field by field would wait for those writes.
@usableFromInline
struct ChangeEvent {
    var kind = ChangeKind.setting
    var isPrior = false
    /// The call made at the registration.
    var isInitial = false
    /// Calls made before a nested change: that change may be inside a `coalescingChanges`, which holds back only what it contains.
    var isCompleting = false
    var isLastComponent = true
    /// Observations of the property itself with one of these options were added while the change was under way, after the
    /// value they need was discarded: they are called for the next change.
    var excluded: ObservingOptions = []
    /// How a collection is edited. The delivery keeps it.
    var edit: Borrowed<CollectionChange>?
    /// Tells the prior and the other call of one change from those of another.
    var token: UInt = 0
    /// The addresses of the values, in memory that holds a value of `type`; nil where there is none, or no observer needs it.
    @usableFromInline var type: Any.Type = Any.self
    @usableFromInline var old: UnsafeRawPointer?
    @usableFromInline var new: UnsafeRawPointer?

    @inlinable @inline(__always)
    var oldValue: ValuePointer? { ValuePointer(type, old) }
    @inlinable @inline(__always)
    var newValue: ValuePointer? { ValuePointer(type, new) }

    var indexes: RangeSet<Int>? { edit?.use { $0.indexes } }

    /// Whether old and new are known and equal: the whole values, or the elements that were replaced.
    var isUnchanged: Bool {
        guard kind == .setting || kind == .replacement, !isPrior, let oldValue, let newValue else { return false }
        return areEqual(oldValue.box(), newValue.box())
    }
}
