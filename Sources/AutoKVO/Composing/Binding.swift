import Synchronization

/// What a binding keeps of the property that follows, but not the object. Constant but for two atomic variables. Its closures run on
/// the threads of the changes, as handlers do.
///
/// **The protocol of this folder.** It uses only the public interface of the other folders. Everything is an observation: a
/// binding and a dependency have a name as user info, under which the observer has at most one of them (`ObservationName`); a
/// stream ends with its observation and the observation with its stream. Observations keep neither side alive, so both sides are
/// passed to the handler by the delivery that retains them. There is no lock here. Read next: TrackedObject+Bind.swift.
final class Binding: @unchecked Sendable {
    private let property: SettableProperty
    /// The property, with its class.
    private let name: String
    /// Whether a value of the property's type is neither transformed nor converted.
    private let copiesValues: Bool
    /// The thread that sets the property, and 0 while none does. Two may at the same time if the property is a weak one: then either
    /// may be forgotten, until it sets the property again.
    private let thread = Atomic<UInt>(0)
    /// How often it has begun inside of itself: two properties may follow each other and never have equal values.
    private let depth = Atomic<Int>(0)

    private static let maximumDepth = 64

    init(_ property: SettableProperty, _ name: String, copiesValues: Bool) {
        (self.property, self.name, self.copiesValues) = (property, name, copiesValues)
    }

    /// Sets the property to the source's value, in the handler of a change of it.
    ///
    /// Inlined: where many bindings follow each other, a hop takes longer for each function that waits for the next one (counts:
    /// `bind-hop`; presumably because the processor foresees only so many returns).
    ///
    /// - Returns: False if the value has to be transformed or converted. Then nothing is done.
    @inline(__always)
    func copyValue<Value>(of change: Change<Value>, to object: TrackedObject) -> Bool {
        guard copiesValues else { return false }
        let value = SettableProperty.value(of: change)
        guard property.isOfType(value) else { return false }
        set(object, to: value)
        return true
    }

    /// Sets the property to a value of its type, unless it has an equal one.
    @inline(__always)
    func set(_ object: TrackedObject, to value: Any) {
        if property.holds(value, in: object) { return }
        let this = thisThread()
        if thread.load(ordering: .relaxed) == this { return setInCircle(object, to: value) }
        // Without the two atomic additions that counting takes.
        thread.store(this, ordering: .relaxed)
        property.set(object, to: value)
        thread.store(0, ordering: .relaxed)
    }

    @inline(never)
    private func setInCircle(_ object: TrackedObject, to value: Any) {
        // A value that does not equal itself, such as NaN, stops when it has passed round the circle once.
        if !property.areEqual(value, value) { return }
        let outer = depth.wrappingAdd(1, ordering: .relaxed).oldValue
        defer { depth.wrappingSubtract(1, ordering: .relaxed) }
        if outer < Self.maximumDepth - 1 { return property.set(object, to: value) }
        Diagnostics.report("\(name) is bound in a circle in which no value becomes equal; it was left as it is")
    }
}

/// What a binding by name keeps.
struct KeyBinding {
    private let binding: Binding
    private let key: SettableKey
    private let keyPath: String
    private let transform: BindingTransform
    var slot: Int { key.slot }

    /// Checks all that can be checked before there is a value.
    init(
        of key: String, of object: TrackedObject, to keyPath: String, of source: TrackedObject.Type,
        _ transform: BindingTransform
    ) throws(KeyValueError) {
        self.keyPath = keyPath
        self.transform = transform
        let given = try source.valueType(forKeyPath: keyPath)
        guard let result = transform.resultType(for: given) else {
            throw KeyValueError(
                .invalidValue("the binding's transform takes no \(given)"), className: "\(type(of: object))", key: key,
                keyPath: keyPath)
        }
        self.key = try SettableKey(key, of: object, for: result)
        // An `Any?` may hold an NSNull, which is nil.
        binding = Binding(
            self.key.property, "\(type(of: object)).\(key)",
            copiesValues: transform.isIdentity && !isOpen(unwrappedType(given)))
    }

    /// What the property would be set to for a value of the source.
    func converted(_ value: Any?) throws(KeyValueError) -> Any { try key.converted(transform(value)) }

    /// Sets the property to the source's value at a change, unless it has an equal value.
    @inline(__always)
    func follow(_ change: Change<Any>, on object: TrackedObject) {
        if !binding.copyValue(of: change, to: object) { follow(change.currentValue, on: object) }
    }

    /// Sets the property to the transformed value of the source, unless it has an equal value.
    @inline(never)
    func follow(_ value: Any?, on object: TrackedObject) {
        do throws(KeyValueError) {
            binding.set(object, to: try converted(value))
        } catch {
            Diagnostics.report("A binding to \(keyPath.debugDescription) cannot set the property: \(error)")
        }
    }
}
