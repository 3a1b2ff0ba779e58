/// A change that was made, as far as it takes to undo it.
struct PastChange {
    var kind: ChangeKind
    let indexes: RangeSet<Int>?
    let old: Any?
    let new: Any?
    /// Whether to undo it is to make the change that was made.
    var isInverse = false

    /// The change that undoes this one. To undo that is to make this one.
    var inverse: PastChange {
        let kinds: [ChangeKind: ChangeKind] = [.insertion: .removal, .removal: .insertion]
        return PastChange(kind: kinds[kind] ?? kind, indexes: indexes, old: new, new: old, isInverse: true)
    }

    func failure(_ reason: String, _ object: TrackedObject, _ keyPath: String) -> KeyValueError {
        KeyValueError(
            .invalidValue("the change cannot be \(isInverse ? "made" : "undone"): \(reason)"),
            className: "\(type(of: object))", key: lastKey(of: keyPath), keyPath: keyPath)
    }

    /// The value that comes when the change is undone, and the one that goes: an option that the observation lacked, if it is not there.
    fileprivate var options: (old: String, new: String) { isInverse ? (".new", ".old") : (".old", ".new") }
}

/// The last component of a path.
func lastKey(of keyPath: String) -> String { keyPath.split(separator: ".").last.map(String.init) ?? keyPath }

extension Change {
    /// Whether it is of what a closure or a key path computes, which cannot be set.
    var isOfComputed: Bool { context.route?.use { $0.expression != nil } ?? false }
    /// Whether nothing was before: it is the call made at the registration, or an object on the way was nil.
    var isFirst: Bool { context.event.value.isInitial || wasNil }
    /// Whether there was a value, or is one, which is nil: not one that the type of the change's values cannot hold.
    var wasNil: Bool { context.event.value.oldValue.map { unwrapped($0.box()) == nil } ?? false }
    var isNil: Bool { context.event.value.newValue.map { unwrapped($0.box()) == nil } ?? false }
}

extension TrackedObject {
    /// Undoes a change of what is at the end of a path, by name.
    func revert(_ change: PastChange, forKeyPath keyPath: String) throws(KeyValueError) {
        let end = try pathEnd(keyPath)
        guard let (schema, key) = end.key, let owner = end.object else { throw end.noObject! }
        try schema.requireSetter(of: key, in: keyPath)
        try key.checkKeyPath(of: owner, in: keyPath)
        if change.kind == .setting {
            guard let old = change.old else {
                throw change.failure(
                    "it has no value to set: it was told without \(change.options.old), or there was none, as where an object has died",
                    owner, keyPath)
            }
            func own<Value>(_ type: Value.Type) -> Any? { AutoKVO.convert(old, to: type).map { $0 as Any } }
            // As it was: by name, an NSNull would become nil.
            if let own = _openExistential(key.declared.valueType, do: own) { return owner.set(own, key) }
            return try setValue(old, forKeyPath: keyPath)
        }
        try ProxiedKey(owner, schema, key, in: keyPath).revert(change)
    }
}

extension ProxiedKey {
    /// Undoes an edit of the collection: one edit.
    func revert(_ change: PastChange) throws(KeyValueError) {
        func elements(_ value: Any?, _ option: String) throws(KeyValueError) -> [Any] {
            if let found = value.flatMap(unwrapped).flatMap(AutoKVO.elements(of:)) { return found }
            throw change.failure("it has no elements, which takes the option \(option)", object, keyPath)
        }
        let type = unwrappedType(key.declared.valueType)
        var own = self
        let moved = change.kind == .insertion ? change.new : change.old ?? change.new
        let element = (moved.flatMap(unwrapped) as? any KeyValueCollection).map { Swift.type(of: $0).elementType }
        own.isOwn = element == (type as? any KeyValueCollection.Type)?.elementType
        if let type = type as? any ProxiedArray.Type, let indexes = change.indexes {
            let array = MutableArrayProxy(own, type)
            if change.kind == .insertion { return try array.removeSubranges(indexes) }
            let old = try elements(change.old, change.options.old)
            if change.kind == .removal { return try array.insert(contentsOf: old, at: indexes) }
            try array.replaceSubranges(indexes, with: old)
        } else if let set = type as? any ProxiedSet.Type, change.indexes == nil {
            let left = change.kind == .insertion ? [] : try elements(change.old, change.options.old)
            let came = change.kind == .removal ? [] : try elements(change.new, change.options.new)
            try set.revert(leaving: left, coming: came, on: own)
        } else {
            throw change.failure("it has no elements of \(type)", object, keyPath)
        }
    }
}
