import Observation

/// A member of a view that reads a property without a declared key. Swift does not say which property a computed key path reads,
/// so each change of the object is looked at: does it change what the key path reads?
///
/// What is kept between the two calls of a change is in a `Guarded`, all else is constant; nothing is kept between changes.
class InferredMember: @unchecked Sendable {
    /// A key of the object is about to change.
    func willChange(_ key: ResolvedKey, of object: TrackedObject) {}
    /// A key of the object has changed.
    func didChange(_ slot: Int, of object: TrackedObject) {}
}

final class InferredMemberOf<Object: TrackedObject, Value>: InferredMember, @unchecked Sendable {
    private let member: KeyPath<ObservableView<Object>, Value>
    private let keyPath: KeyPath<Object, Value>
    private let registrar: ObservationRegistrar
    /// By the slots of the keys that are changing.
    private let pending = Guarded<[Int: Pending]>([:])

    private enum Pending {
        /// The registrar knows of the change.
        case announced
        /// The value from before the change.
        case value(Value)
    }

    init(
        _ member: KeyPath<ObservableView<Object>, Value>, reading keyPath: KeyPath<Object, Value>,
        _ registrar: ObservationRegistrar
    ) {
        self.member = member
        self.keyPath = keyPath
        self.registrar = registrar
    }

    override func willChange(_ key: ResolvedKey, of object: TrackedObject) {
        let object = known(object, as: Object.self)
        let value = object[keyPath: keyPath]
        let isProperty = key.mayHold(value, in: object)
        if isProperty { registrar.willSet(ObservableView(object), keyPath: member) }
        set(isProperty ? .announced : .value(value), key.slot)
    }

    override func didChange(_ slot: Int, of object: TrackedObject) {
        let object = known(object, as: Object.self)
        let view = ObservableView(object)
        switch set(nil, slot) {
        case .announced: break
        case .value(let old) where areEqual(old, object[keyPath: keyPath]): return
        // The value from before a change without a prior call is not known, so the value may be another one.
        default: registrar.willSet(view, keyPath: member)
        }
        registrar.didSet(view, keyPath: member)
    }

    /// Replaces what is pending of a key. What it was is released by the caller, without the lock.
    @discardableResult
    private func set(_ new: Pending?, _ slot: Int) -> Pending? {
        pending.withLock { pending in
            defer { pending[slot] = new }
            return pending[slot]
        }
    }
}

extension ResolvedKey {
    /// Whether the storage of the key's property has this type, and may hold this value now.
    fileprivate func mayHold<Value>(_ value: Value, in object: TrackedObject) -> Bool {
        guard let field, let storageType, storageType.valueType == Value.self else { return false }
        // A weak property's storage is not to be read directly.
        if storageType.isWeak { return areEqual(value, declared.read(object)) }
        return storageType.mayHold(value, in: field, of: object)
    }
}
