internal import CSwiftRuntime

/// What a `Change` refers to. One object serves all calls of a delivery, and then the next delivery on the thread:
/// a change is a single reference, made without an allocation and passed without counting.
///
/// After each call the delivery looks whether anybody but itself refers to the context. If so a handler kept its
/// change: the context then takes what it had borrowed into possession and is left to the handler.
@usableFromInline
final class ChangeContext {
    /// What happened. The same for all calls of a delivery: what an observation did not ask for is kept from it when it looks
    /// (`wants`).
    @usableFromInline @exclusivity(unchecked) var event = ChangeEvent()
    /// Before what has no fixed size for the compiler, behind which fields are looked up.
    @exclusivity(unchecked) var nextSpare: Borrowed<ChangeContext>?
    /// Borrowed from the delivery while the handler runs.
    @usableFromInline @exclusivity(unchecked) var observation: Borrowed<KeyValueObservation>?
    @exclusivity(unchecked) var route: Borrowed<Route>?
    /// In possession, once the change was kept.
    private var keptObservation: KeyValueObservation?
    private var keptRoute: Route?
    private var keptEdit: CollectionChange?

    init() {
        Counters.contexts.add(1)
    }

    deinit {
        if keptObservation != nil {
            for value in [event.old, event.new] {
                guard let value = value.map({ UnsafeMutableRawPointer(mutating: $0).assumingMemoryBound(to: Any.self) })
                else { continue }
                value.deinitialize(count: 1)
                value.deallocate()
            }
        }
        Counters.contexts.add(-1)
    }

    /// Whether the observation being called has an option.
    @inlinable @inline(__always)
    func wants(_ option: ObservingOptions) -> Bool {
        observation.unsafelyUnwrapped.use { $0.options.contains(option) }
    }

    @inlinable
    func load<Value>(_ pointer: UnsafeRawPointer?, as value: Value.Type) -> Value? {
        guard let pointer else { return nil }
        if event.type == value { return pointer.assumingMemoryBound(to: Value.self).pointee }
        if value == Any.self { return unsafeBitCast(Boxed(value: box(pointer)), to: Boxed<Value>.self).value }
        return loadConverting(pointer, as: value)
    }

    @usableFromInline
    func box(_ pointer: UnsafeRawPointer) -> Any { ChangeEvent.box(pointer, event.type) }

    @usableFromInline
    func loadConverting<Value>(_ pointer: UnsafeRawPointer, as value: Value.Type) -> Value? {
        convert(box(pointer), to: Value.self)
    }

    var indexes: RangeSet<Int>? { event.indexes }

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

    /// Takes what is borrowed into possession, because a handler kept its change.
    func keep() {
        keptObservation = observation?.object
        keptRoute = route?.object
        keptEdit = event.edit?.object
        event.old = wants(.old) ? event.old.map { ChangeEvent.copy($0, event.type) } : nil
        event.new = wants(.new) ? event.new.map { ChangeEvent.copy($0, event.type) } : nil
        event.type = Any.self
    }

    /// A context that owns what this one tells, its values converted to a type, and that nobody else refers to.
    func copy<Value>(convertingTo value: Value.Type) -> ChangeContext {
        func converted(_ pointer: UnsafeRawPointer?) -> UnsafeRawPointer? {
            load(pointer, as: value).map { withUnsafePointer(to: $0) { ChangeEvent.copy($0, value) } }
        }
        let copy = ChangeContext()
        copy.event = event
        copy.observation = observation
        copy.route = route
        copy.keptObservation = observation?.object
        copy.keptRoute = route?.object
        copy.keptEdit = event.edit?.object
        copy.event.old = wants(.old) ? converted(event.old) : nil
        copy.event.new = wants(.new) ? converted(event.new) : nil
        copy.event.type = Any.self
        return copy
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
    /// Observations of the property itself with one of these options came while the change was under way, too late to get
    /// what they ask for, and wait for the next one.
    var excluded: ObservingOptions = []
    /// How a collection is edited. The delivery holds it.
    var edit: Borrowed<CollectionChange>?
    /// Tells the prior and the other call of one change from those of another.
    var token: UInt = 0
    /// The same for all notifications of one change; zero where there is only one.
    var change: UInt = 0
    /// The values, in memory that holds a value of `type`; nil where there is none, or nobody asked.
    @usableFromInline var type: Any.Type = Any.self
    @usableFromInline var old: UnsafeRawPointer?
    @usableFromInline var new: UnsafeRawPointer?

    var indexes: RangeSet<Int>? { edit?.use { $0.indexes } }

    /// The value behind a pointer to a value of a type.
    static func box(_ pointer: UnsafeRawPointer, _ type: Any.Type) -> Any {
        // The general way looks the type's functions up at run time, which takes 60 ns.
        if type == Any.self { return pointer.assumingMemoryBound(to: Any.self).pointee }
        if type == Int.self { return pointer.assumingMemoryBound(to: Int.self).pointee }
        if type == String.self { return pointer.assumingMemoryBound(to: String.self).pointee }
        if type == Double.self { return pointer.assumingMemoryBound(to: Double.self).pointee }
        if type == Bool.self { return pointer.assumingMemoryBound(to: Bool.self).pointee }
        func load<T>(_: T.Type) -> Any { pointer.assumingMemoryBound(to: T.self).pointee }
        return _openExistential(type, do: load)
    }

    /// A copy of its own of the value behind a pointer, as a value of type `Any`.
    static func copy(_ pointer: UnsafeRawPointer, _ type: Any.Type) -> UnsafeRawPointer {
        let copy = UnsafeMutablePointer<Any>.allocate(capacity: 1)
        copy.initialize(to: box(pointer, type))
        return UnsafeRawPointer(copy)
    }

    /// Whether old and new are known and equal: the whole values, or the elements that were replaced.
    var isUnchanged: Bool {
        guard kind == .setting || kind == .replacement, !isPrior, let old, let new else { return false }
        return areEqual(ChangeEvent.box(old, type), ChangeEvent.box(new, type))
    }
}
