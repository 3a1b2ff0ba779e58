/// What is done to a set: how a change of it is announced by hand.
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

/// What an edit of a set moves. The two sets are of the property's type.
struct SetMovement<Elements> {
    let kind: ChangeKind
    let leaving: Elements
    let coming: Elements

    /// Neither for an insertion nor for a removal is the other set part of the change.
    var change: CollectionChange {
        CollectionChange(
            kind, removed: kind == .insertion ? nil : leaving, inserted: kind == .removal ? nil : coming)
    }
}

/// A set that can be edited by those who do not know the type of its elements.
protocol ProxiedSet: EmptyCollectionValue {
    /// What a mutation of the set that a key has would tell; nil if it moves nothing.
    static func announcement(
        of mutation: SetMutationKind, with values: [Any], on current: Any?
    ) -> CollectionChange?
    /// Mutates the set that a key has. Returns whether anything moved.
    static func perform(_ edit: SetEdit, on key: ProxiedKey) throws(KeyValueError) -> Bool
    func containsElement(_ value: Any) -> Bool
}

/// An edit of a set of any type.
enum SetEdit {
    case mutate(SetMutationKind, with: [Any])
    case symmetricDifference(with: [Any])
}

extension Set: ProxiedSet {
    static func announcement(
        of mutation: SetMutationKind, with values: [Any], on current: Any?
    ) -> CollectionChange? {
        let elements = values.compactMap { convertForCoding($0, to: Element.self) }
        let movement = movement(of: mutation, with: Set(elements), from: current as? Set ?? [])
        return movement.leaving.isEmpty && movement.coming.isEmpty ? nil : movement.change
    }

    static func perform(_ edit: SetEdit, on key: ProxiedKey) throws(KeyValueError) -> Bool {
        let movement: SetMovement<Set>
        switch edit {
        case .mutate(let kind, let values):
            let takesAll = kind == .union || kind == .set
            // What cannot be in the set need not be taken out of it.
            let elements =
                takesAll
                ? try key.convert(values, to: Element.self)
                : values.compactMap { convertForCoding($0, to: Element.self) }
            movement = Self.movement(of: kind, with: Set(elements), from: key.read(as: Set.self))
        case .symmetricDifference(let values):
            let (elements, current) = (Set(try key.convert(values, to: Element.self)), key.read(as: Set.self))
            let (leaving, coming) = (current.intersection(elements), elements.subtracting(current))
            let kind: ChangeKind = leaving.isEmpty ? .insertion : coming.isEmpty ? .removal : .replacement
            movement = SetMovement(kind: kind, leaving: leaving, coming: coming)
        }
        if movement.leaving.isEmpty, movement.coming.isEmpty { return false }
        key.edit(movement.change) { (set: inout Set) in
            set.subtract(movement.leaving)
            set.formUnion(movement.coming)
        }
        withExtendedLifetime(movement.leaving) {}
        return true
    }

    func containsElement(_ value: Any) -> Bool {
        convertForCoding(value, to: Element.self).map(contains) ?? false
    }

    private static func movement(of mutation: SetMutationKind, with other: Set, from set: Set) -> SetMovement<Set> {
        switch mutation {
        case .union: SetMovement(kind: .insertion, leaving: [], coming: other.subtracting(set))
        case .minus: SetMovement(kind: .removal, leaving: set.intersection(other), coming: [])
        case .intersect: SetMovement(kind: .removal, leaving: set.subtracting(other), coming: [])
        case .set: SetMovement(kind: .replacement, leaving: set.subtracting(other), coming: other.subtracting(set))
        }
    }
}

extension TrackedObject {
    /// Says that elements of a set are about to be put in or taken out.
    ///
    /// The change is told with the elements that really leave and come, found by comparing with the set as it is now.
    /// If none do, nobody is told. For the rest see `willChangeValue(forKey:)`.
    ///
    /// - Complexity: O(*n*) while somebody observes the object.
    public func willChangeValue(
        forKey key: String, withSetMutation mutation: SetMutationKind, using elements: Set<AnyHashable>
    ) {
        announce(key) { record, slot in
            let declared = record.schema!.keys[slot].declared
            guard let type = unwrappedType(declared.valueType) as? any ProxiedSet.Type else {
                return Transaction.begin(record, slot)
            }
            let change = type.announcement(
                of: mutation, with: elements.map(\.base), on: unwrapped(declared.read(self)))
            let thread = ThreadState.current
            if let change {
                Transaction.begin(record, slot, change)
            } else if thread.value.openTransaction(record, slot) != nil {
                // Part of the open change, whose end must not be taken for this one's.
                Transaction.begin(record, slot)
            } else {
                thread.value.beginUnobserved(record.address, slot)
            }
        }
    }

    /// Says that elements of a set have been put in or taken out, and tells the observers.
    public func didChangeValue(
        forKey key: String, withSetMutation mutation: SetMutationKind, using elements: Set<AnyHashable>
    ) {
        didChangeValue(forKey: key)
    }
}
