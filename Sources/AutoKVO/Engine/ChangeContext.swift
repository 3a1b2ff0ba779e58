/// The contents of a `Change`, which is a reference to this object. All calls of a delivery use one context, and the thread's next
/// delivery uses it again: a change is made without an allocation and passed without counting references.
///
/// After each call the delivery checks whether any other reference to the context exists. If so, a handler kept its change: the
/// context then takes ownership of what it had borrowed, and the delivery goes on with another one.
@usableFromInline class ChangeContext: PooledObject {
    /// The subject's event, the same for all calls of a delivery: the accessors return nil for values that the observation did not
    /// ask for (`wants`). Of a change that was kept, the event in `kept`.
    @usableFromInline @exclusivity(unchecked) final var event: InPlace<ChangeEvent>
    // Declared before the variables whose size the compiler does not know: it looks up the offsets of the variables behind them.
    /// Borrowed from the delivery while the handler runs.
    @usableFromInline @exclusivity(unchecked) final var observation: Borrowed<KeyValueObservation>?
    @exclusivity(unchecked) final var route: Borrowed<Route>?
    /// Those of the change, while a handler that ignores it is called and delivers elsewhere.
    final var calls: CallsOfChange?
    @exclusivity(unchecked) private final var kept = Kept()

    /// What the context owns when a handler has kept the change, or when the change is a copy.
    private struct Kept {
        var observation: KeyValueObservation?
        var route: Route?
        /// Of an expression: a later evaluation may read another key.
        var keyRead: Text?
        var edit: CollectionChange?
        var old: Any?
        var new: Any?
        var event = ChangeEvent()
    }

    /// In an object, since the other changes have none.
    private final class Text {
        let text: String
        init(_ text: String) { self.text = text }
    }

    init(_ event: InPlace<ChangeEvent>) { self.event = event }

    /// A context that owns a change, with the values converted to a type.
    init<Value>(copyOf context: ChangeContext, convertingTo type: Value.Type) {
        (event, observation, route) = (context.event, context.observation, context.route)
        super.init()
        let change = context.event.value
        keep(
            old: context.converted(change.oldValue, .old, to: type),
            new: context.converted(change.newValue, .new, to: type))
    }

    /// Whether the observation being called has an option.
    @export(implementation) @inline(__always)
    final func wants(_ option: ObservingOptions) -> Bool { observation!.use { $0.options.contains(option) } }

    @export(implementation) final func oldValue<Value>(as type: Value.Type) -> Value? {
        wants(.old) ? load(event.value.oldValue, as: type) : nil
    }

    @export(implementation) final func newValue<Value>(as type: Value.Type) -> Value? {
        wants(.new) ? load(event.value.newValue, as: type) : nil
    }

    /// Reports, in a debug build, that a handler reads a value which its registration did not ask for.
    @export(implementation) @inline(__always)
    final func checkAsked(for option: ObservingOptions) {
        #if DEBUG
            if !wants(option) { reportNotAsked(for: option) }
        #endif
    }

    @export(implementation) final func load<Value>(_ pointer: ValuePointer?, as type: Value.Type) -> Value? {
        guard let pointer else { return nil }
        if let value = pointer.load(as: type) { return value }
        // Here, since a function that is not specialized looks up the type's `Optional` first of all.
        let number = pointer.type == Any.self ? NumberInAny.pointer(to: type, in: pointer.address) : nil
        return number?.pointee ?? deliverable(pointer.box(), as: type)
    }

    /// The value as another type. One that there is, but not as that type, is reported: the declared types left open what it would be.
    @usableFromInline final func deliverable<Value>(_ value: Any, as type: Value.Type) -> Value? {
        if let converted = convert(value, to: type) { return converted }
        guard unwrapped(value) != nil else { return nil }
        Diagnostics.report("\(quoted(keyPath)) is observed as \(type), and its value is of type \(typeName(of: value))")
        return nil
    }

    var currentObservation: KeyValueObservation { observation!.object }

    var target: TrackedObject? { route.map { $0.use { $0.target } } ?? observation!.use { $0.record?.trackedObject } }

    var observer: AnyObject? { observation!.use { $0.observer } }

    var keyPath: String { kept.keyRead?.text ?? route?.object.text ?? currentObservation.directKey }

    /// Takes ownership of what it borrows, because a handler kept its change.
    final func keep() { keep(old: oldValue(as: Any.self), new: newValue(as: Any.self)) }

    private final func keep(old: Any?, new: Any?) {
        kept = Kept(
            observation: observation?.object, route: route?.object,
            keyRead: route.flatMap { $0.object.expression == nil ? nil : Text($0.object.text) },
            edit: event.value.edit?.object, old: old, new: new, event: event.value)
        kept.event.type = Any.self
        kept.event.old = old == nil ? nil : UnsafeRawPointer(PropertyStorage(at: &kept.old).pointer)
        kept.event.new = new == nil ? nil : UnsafeRawPointer(PropertyStorage(at: &kept.new).pointer)
        event = InPlace(at: &kept.event)
    }

    /// Whether nothing is left of an earlier delivery. The event and `nextSpare` are written before they are read.
    final var isBlank: Bool {
        observation == nil && route == nil && calls == nil && kept.observation == nil && kept.route == nil
            && kept.keyRead == nil && kept.edit == nil && kept.old == nil && kept.new == nil
    }

    /// Releases what it owns. No handler is called with it.
    final func drop() { kept = Kept() }

    /// A value that the observation asked for.
    private final func converted<Value>(_ value: ValuePointer?, _ option: ObservingOptions, to type: Value.Type) -> Any?
    {
        guard let value, wants(option) else { return nil }
        return value.type == type ? value.box() : convertedSlowly(value, to: type)
    }

    /// Not inlined: it looks up the type's `Optional` first of all (counts: `set-scheduled`).
    @inline(never)
    private final func convertedSlowly<Value>(_ value: ValuePointer, to type: Value.Type) -> Any? {
        if let value = load(value, as: type) { return value }
        return unwrapped(value.box()) == nil ? .some(Any?.none as Any) : nil
    }
}

/// One change of one property, or of one path. It refers to the values by address, and owns nothing.
///
/// It is initialized in its final location, in a subject: copying what has just been stored field by field waits for the stores.
@usableFromInline struct ChangeEvent {
    var kind = ChangeKind.setting
    var isPrior = false
    /// The call made at the registration.
    var isInitial = false
    var isLastComponent = true
    /// Observations with one of these options are not called: they were added while the change was under way, after the old value was
    /// discarded; or a derived value has become what it was before the change, and the program has read another one in between, of which
    /// those that get values know nothing.
    var excluded: ObservingOptions = []
    /// Whether observers have been told different old values: see `ToldElsewhere`.
    var isAmbiguous = false
    /// How an array is edited: for its indexes. The subject owns it. An edit of a set has elements, which a kept change may not keep.
    var edit: Borrowed<CollectionChange>?
    /// Identifies the change that makes a prior call and the call after it.
    var token: UInt = 0
    /// Identifies what one change tells together; 0 where that is one subject.
    var delivery: UInt = 0
    /// The addresses of the values, in memory that holds a value of `type`; nil where there is none, or no observer needs it.
    @usableFromInline var type: Any.Type = Any.self
    @usableFromInline var old: UnsafeRawPointer?
    @usableFromInline var new: UnsafeRawPointer?

    @export(implementation) @inline(__always) var oldValue: ValuePointer? { ValuePointer(type, old) }
    @export(implementation) @inline(__always) var newValue: ValuePointer? { ValuePointer(type, new) }

    var indexes: RangeSet<Int>? { edit?.object.indexes }

    /// Whether old and new are known and equal: the whole values, or the elements that were replaced.
    var isUnchanged: Bool {
        guard !isAmbiguous, let oldValue, let newValue else { return false }
        return areEqual(oldValue.box(), newValue.box())
    }
}
