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
@usableFromInline struct SetMovement<Elements: SetAlgebra & Collection> {
    @usableFromInline let kind: ChangeKind
    @usableFromInline let leaving: Elements
    @usableFromInline let coming: Elements

    /// - Parameter isReplacement: Whether the change is a replacement also if elements only leave, or only come.
    @export(implementation) init(leaving: Elements = [], coming: Elements = [], isReplacement: Bool = false) {
        (self.leaving, self.coming) = (leaving, coming)
        let isReplacement = isReplacement || !leaving.isEmpty && !coming.isEmpty
        kind = isReplacement ? .replacement : leaving.isEmpty ? .insertion : .removal
    }

    /// What a mutation of a set with the elements of another moves; nil is the symmetric difference.
    @export(implementation) init(of mutation: SetMutationKind?, with other: Elements, from set: Elements) {
        switch mutation {
        case .union: self.init(coming: other.elements(notIn: set))
        case .minus: self.init(leaving: set.members(in: other))
        case .intersect: self.init(leaving: set.subtracting(other))
        case .set: self.init(from: set, to: other, isReplacement: true)
        case nil: self.init(leaving: set.members(in: other), coming: other.elements(notIn: set))
        }
    }

    /// What leaves and comes where one set takes another one's place.
    @export(implementation) init(from old: Elements, to new: Elements, isReplacement: Bool) {
        let (leaving, coming) = (old.elements(leavingFor: new), new.elements(leavingFor: old))
        self.init(leaving: leaving, coming: coming, isReplacement: isReplacement)
    }

    @export(implementation) var isEmpty: Bool { leaving.isEmpty && coming.isEmpty }

    /// The change of an insertion has no old value, and that of a removal no new one.
    @usableFromInline var change: CollectionChange {
        CollectionChange(kind, removed: kind == .insertion ? nil : leaving, inserted: kind == .removal ? nil : coming)
    }
}

extension SetAlgebra where Self: Collection {
    /// What `subtracting` gives, which for a `Set` looks at each element of the other one, however few are here.
    @export(implementation) func elements(notIn other: Self) -> Self { Self(filter { !other.contains($0) }) }

    /// What `intersection` gives, which for a `Set` takes as long as that is large, however few are in the other one. The elements of other kinds
    /// of sets are not found one by one.
    @export(implementation) func members(in other: Self) -> Self {
        guard other.count <= Swift.max(count, 1), let one = other.first, _customIndexOfEquatableElement(one) != nil
        else {
            return intersection(other)
        }
        return Self(other.compactMap(member))
    }

    /// The element that is equal to another one.
    @export(implementation) func member(_ element: Element) -> Element? {
        // That of a `Set` finds it by its hash.
        if let index = _customIndexOfEquatableElement(element) { return index.map { self[$0] } }
        return intersection(Self(CollectionOfOne(element))).first
    }

    /// Which elements leave when another set takes this one's place: of objects also those for which an equal one comes.
    @export(implementation) func elements(leavingFor other: Self) -> Self {
        guard Element.self is AnyObject.Type else {
            // An equal object may come for one inside of these.
            let bare = unwrappedType(Element.self)
            let mayHideObject = bare == AnyHashable.self || bare is AnyClass
            return mayHideObject ? Self(AutoKVO.elements(self, without: other)) : subtracting(other)
        }
        let coming = Set(other.map { ObjectIdentifier($0 as AnyObject) })
        return Self(filter { !coming.contains(ObjectIdentifier($0 as AnyObject)) })
    }
}

/// A set that a proxy can edit without knowing the type of its elements.
@usableFromInline protocol ProxiedSet: SetAlgebra, Collection {}

extension Set: ProxiedSet {}

extension ProxiedSet {
    /// The change that announces a mutation of a set by hand; nil if no element moves.
    static func change(by mutation: SetMutationKind, with values: [Any], of current: Any?) -> CollectionChange? {
        let movement = SetMovement(of: mutation, with: elements(among: values), from: current as? Self ?? [])
        return movement.isEmpty ? nil : movement.change
    }

    /// Mutates the set of a key; nil is the symmetric difference. Returns whether any element moved.
    @usableFromInline static func perform(
        _ mutation: SetMutationKind?, with values: [Any], on key: ProxiedKey
    ) throws(KeyValueError) -> Bool {
        let editor = key.editor(of: Self.self)
        // A value that the set cannot hold is not in it, so it need not be taken out.
        let onlyTakesOut = mutation == .minus || mutation == .intersect
        let elements = onlyTakesOut ? elements(among: values) : Self(try key.convert(values, to: Element.self))
        return editor.move {
            if mutation == .set, key.isDistinct, $0 == elements { return SetMovement() }
            return SetMovement(of: mutation, with: elements, from: $0)
        }
    }

    /// Takes the elements out that a condition is true of.
    @usableFromInline static func removeAll(of key: ProxiedKey, where condition: (Any) -> Bool) {
        key.editor(of: Self.self).move { SetMovement(leaving: Self($0.filter { condition($0) })) }
    }

    /// Undoes an edit by which elements left and came: those that came leave, and those that left come, as far as they are not there. An
    /// element that came for an equal one is replaced by that.
    static func revert(leaving left: [Any], coming came: [Any], on key: ProxiedKey) throws(KeyValueError) {
        let left = Self(try key.convert(left, to: Element.self))
        // As it was: by name, an NSNull would become nil.
        let came = key.isOwn ? Self(try key.convert(came, to: Element.self)) : elements(among: came)
        key.editor(of: Self.self).move { set in
            var gone = set.intersection(came)
            if gone.count < came.count {
                // What does not equal itself is not found.
                let strange = set.filter { !set.contains($0) }
                let staying = AutoKVO.elements(strange, without: came)
                gone.formUnion(Self(AutoKVO.elements(strange, without: staying)))
            }
            return SetMovement(leaving: gone, coming: Self(left.filter { !set.contains($0) || gone.contains($0) }))
        }
    }

    func containsElement(_ value: Any) -> Bool { convertForCoding(value, to: Element.self).map(contains) ?? false }

    private static func elements(among values: [Any]) -> Self {
        Self(values.compactMap { convertForCoding($0, to: Element.self) })
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
        guard isObserved, let record, let declared = record.schema?.keys[slot].declared,
            let type = unwrappedType(declared.valueType) as? any ProxiedSet.Type
        else { return Transaction.announce(self, slot) }
        // Handlers of changes before this one may change the set.
        Transaction.completeDeliveries(before: record, slot, ThreadContext.current)
        let change = type.change(by: mutation, with: elements.map(\.base), of: unwrapped(declared.read(self)))
        Transaction.announce(self, slot, change, isSilent: change == nil)
    }

    /// Announces that elements have been put in a set or taken out of it, and calls the observers.
    ///
    /// - Complexity: What any change takes, and O(*n*) for *n* changes that this thread has begun and not ended.
    @export(implementation) public func didChangeValue(
        forKey key: String, withSetMutation mutation: SetMutationKind, using elements: Set<AnyHashable>
    ) {
        didChangeValue(forKey: key)
    }
}
