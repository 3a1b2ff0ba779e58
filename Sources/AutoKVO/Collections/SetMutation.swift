/// What is done to a set, for announcing a change of it by hand.
public enum SetMutationKind: UInt, Sendable, Hashable {
    /// Elements are put in: an insertion of those that were not there.
    case union = 1
    /// Elements are taken out: a removal of those that were there.
    case minus = 2
    /// All other elements are taken out: a removal.
    case intersect = 3
    /// The set becomes another one: a replacement of those that leave by those that come.
    case set = 4
}

/// Which elements an edit of a set moves.
@usableFromInline
struct SetMovement<Elements: SetAlgebra & Collection> {
    @usableFromInline let kind: ChangeKind
    @usableFromInline let leaving: Elements
    @usableFromInline let coming: Elements

    @inlinable init(_ kind: ChangeKind, leaving: Elements = [], coming: Elements = []) {
        (self.kind, self.leaving, self.coming) = (kind, leaving, coming)
    }

    /// What a mutation of a set with the elements of another moves; nil is the symmetric difference.
    @inlinable init(of mutation: SetMutationKind?, with other: Elements, from set: Elements) {
        switch mutation {
        case .union: self.init(.insertion, coming: other.subtracting(set))
        case .minus: self.init(.removal, leaving: set.intersection(other))
        case .intersect: self.init(.removal, leaving: set.subtracting(other))
        case .set: self.init(.replacement, leaving: set.subtracting(other), coming: other.subtracting(set))
        case nil:
            let (leaving, coming) = (set.intersection(other), other.subtracting(set))
            let kind: ChangeKind = leaving.isEmpty ? .insertion : coming.isEmpty ? .removal : .replacement
            self.init(kind, leaving: leaving, coming: coming)
        }
    }

    @inlinable var isEmpty: Bool { leaving.isEmpty && coming.isEmpty }

    // The change of an insertion has no old value, and that of a removal no new one.
    @usableFromInline var removed: Any? { kind == .insertion ? nil : leaving }
    @usableFromInline var inserted: Any? { kind == .removal ? nil : coming }
}

/// A set that can be edited without knowing the type of its elements.
protocol ProxiedSet: EmptyCollectionValue {
    /// The change that announces a mutation of a set by hand; nil if no element moves.
    static func announcement(
        of mutation: SetMutationKind, with values: [Any], on current: Any?
    ) -> CollectionChange?
    /// Mutates the set of a key; nil is the symmetric difference. Returns whether any element moved.
    static func perform(
        _ mutation: SetMutationKind?, with values: [Any], on key: ProxiedKey
    ) throws(KeyValueError) -> Bool
    func containsElement(_ value: Any) -> Bool
}

extension Set: ProxiedSet {
    static func announcement(
        of mutation: SetMutationKind, with values: [Any], on current: Any?
    ) -> CollectionChange? {
        let movement = SetMovement(of: mutation, with: elements(among: values), from: current as? Set ?? [])
        if movement.isEmpty { return nil }
        return CollectionChange(movement.kind, removed: movement.removed, inserted: movement.inserted)
    }

    static func perform(
        _ mutation: SetMutationKind?, with values: [Any], on key: ProxiedKey
    ) throws(KeyValueError) -> Bool {
        let set = ProxiedCollection<Set>(key: key)
        // A value that the set cannot hold is not in it, so it need not be taken out.
        let onlyTakesOut = mutation == .minus || mutation == .intersect
        let elements = onlyTakesOut ? elements(among: values) : Set(try key.convert(values, to: Element.self))
        return set.move(SetMovement(of: mutation, with: elements, from: set.value))
    }

    func containsElement(_ value: Any) -> Bool {
        convertForCoding(value, to: Element.self).map(contains) ?? false
    }

    private static func elements(among values: [Any]) -> Set {
        Set(values.compactMap { convertForCoding($0, to: Element.self) })
    }
}

extension TrackedObject {
    /// Announces that elements are about to be put in a set or taken out of it.
    ///
    /// The change has the elements that really leave and come, found by comparing with the set as it is now. If none
    /// do, no observer is called. For the rest see `willChangeValue(forKey:)`.
    ///
    /// - Complexity: O(*n*) while the object is observed.
    public func willChangeValue(
        forKey key: String, withSetMutation mutation: SetMutationKind, using elements: Set<AnyHashable>
    ) {
        guard let slot = announcedSlot(key) else { return }
        guard isObserved, let declared = record?.schema?.keys[slot].declared,
            let type = unwrappedType(declared.valueType) as? any ProxiedSet.Type
        else { return Transaction.begin(self, slot) }
        let change = type.announcement(of: mutation, with: elements.map(\.base), on: unwrapped(declared.read(self)))
        Transaction.begin(self, slot, change, isSilent: change == nil)
    }

    /// Announces that elements have been put in a set or taken out of it, and calls the observers.
    public func didChangeValue(
        forKey key: String, withSetMutation mutation: SetMutationKind, using elements: Set<AnyHashable>
    ) {
        didChangeValue(forKey: key)
    }
}
