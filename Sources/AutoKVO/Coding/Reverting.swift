/// A change that was made, as far as it takes to undo it.
struct PastChange {
    let kind: ChangeKind
    let indexes: RangeSet<Int>?
    let old: Any?
    let new: Any?
}

extension TrackedObject {
    /// Undoes a change of what is at the end of a path, by name.
    func revert(_ change: PastChange, forKeyPath keyPath: String) throws(KeyValueError) {
        if change.kind == .setting {
            guard let old = change.old else { throw missing("old value: it takes the option .old", keyPath) }
            return try setValue(unwrapped(old), forKeyPath: keyPath)
        }
        let end = try pathEnd(keyPath)
        guard let (schema, slot) = end.key else { throw end.noObject! }
        try schema.requireSetter(of: schema.keys[slot], in: keyPath)
        guard let owner = end.object else { throw end.noObject! }
        try ProxiedKey(owner, schema, schema.keys[slot]).revert(change, in: keyPath)
    }

    fileprivate func missing(_ what: String, _ keyPath: String) -> KeyValueError {
        KeyValueError(
            .invalidValue("the change cannot be undone, since it has no \(what)"), className: "\(type(of: self))",
            key: keyPath, keyPath: keyPath)
    }
}

extension ProxiedKey {
    /// Undoes an edit of the collection: one edit.
    func revert(_ change: PastChange, in keyPath: String) throws(KeyValueError) {
        func elements(_ value: Any?, _ option: String) throws(KeyValueError) -> [Any] {
            if let found = value.flatMap(unwrapped).flatMap(AutoKVO.elements(of:)) { return found }
            throw object.missing("elements: it takes the option \(option)", keyPath)
        }
        let type = unwrappedType(key.declared.valueType)
        if let array = type as? any ProxiedArray.Type, let indexes = change.indexes {
            switch change.kind {
            case .insertion: try array.remove(at: indexes, of: self)
            case .removal: try array.insert(try elements(change.old, ".old"), at: indexes, of: self)
            default: try array.replace(at: indexes, with: try elements(change.old, ".old"), of: self)
            }
        } else if let set = type as? any ProxiedSet.Type, change.indexes == nil {
            let left = change.kind == .insertion ? [] : try elements(change.old, ".old")
            let came = change.kind == .removal ? [] : try elements(change.new, ".new")
            _ = try set.perform(nil, with: left + came, on: self)
        } else {
            throw object.missing("elements of \(type)", keyPath)
        }
    }
}
