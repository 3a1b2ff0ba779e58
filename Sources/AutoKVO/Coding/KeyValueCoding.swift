/// Reading and writing properties by name.
///
/// Only keys that the object's class declares can be reached, so a name or path that comes from a file or the network
/// can read or write nothing else, and can do no worse than make the call throw. A call that throws has changed
/// nothing.
///
/// As for the properties themselves, the caller sees to it that no two threads use an object at once. Setters, getters
/// and the observers' handlers run on this thread before the call returns, and may use the object by name again.
extension TrackedObject {
    /// The value of a key; nil if the property is nil.
    ///
    ///     let age = try person.value(forKey: "age") as? Int
    ///
    /// - Throws: A `KeyValueError` for a name that the object's class does not declare, unless the class overrides
    ///   `value(forUndefinedKey:)`.
    /// - Complexity: O(1) and the property's getter.
    public func value(forKey key: String) throws(KeyValueError) -> Any? {
        let schema = try codingSchema()
        guard let slot = schema.slot(of: key) else { return try value(forUndefinedKey: key) }
        try schema.keys[slot].checkKeyPath(of: self)
        return unwrapped(schema.keys[slot].declared.read(self))
    }

    /// The value at the end of a key path; nil if it is nil, or an object on the way to it.
    ///
    /// A path can go on behind a collection with an operator, such as `"team.members.@avg.age"`. There are `@count`,
    /// which ignores what is on its right, `@sum`, `@avg`, `@min`, `@max`, `@unionOfObjects`,
    /// `@distinctUnionOfObjects`, `@unionOfArrays`, `@distinctUnionOfArrays` and `@distinctUnionOfSets`.
    ///
    /// The path on the right of an operator is evaluated on each element. It may begin with another operator if the
    /// elements are collections (`"rows.@sum.@avg.amount"`); if it begins with a key, collections among the elements
    /// give the values of their elements, as an array (`"rows.@unionOfArrays.amount"`).
    ///
    /// - Throws: A `KeyValueError` for a component that is not declared, an operator that there is not or that does not
    ///   fit the values, and a path that goes on behind a plain collection or a value without keys. The path is checked
    ///   as far as types are declared, also behind an object that is nil now.
    /// - Complexity: O(*n*) for *n* components and, behind an operator, elements.
    public func value(forKeyPath keyPath: String) throws(KeyValueError) -> Any? {
        if try codingSchema().slot(of: keyPath) != nil { return try value(forKey: keyPath) }
        return unwrapped(try ParsedKeyPath.parse(keyPath, for: type(of: self)).requireValue(from: self))
    }

    /// Sets the property of a key. Its observers are told once, unless the key's automatic notification is off.
    ///
    /// The value may be of the property's type, optional or not; for an enum or another `RawRepresentable` its raw
    /// value; what a `KeyValueConvertible` takes; and a number of any type that the property's can hold (`3.0` for an
    /// `Int`, not `3.5`). Arrays and sets are taken if every element is of the right type. Validation is not run: that
    /// is `validateValue(_:forKey:)`.
    ///
    /// - Throws: A `KeyValueError` for a name that is not declared (unless the class overrides
    ///   `setValue(_:forUndefinedKey:)`), a key that cannot be written, and a value of another type, nil for a property
    ///   that is not optional among them.
    /// - Complexity: O(1) and the property's setter and observers.
    public func setValue(_ value: Any?, forKey key: String) throws(KeyValueError) {
        let schema = try codingSchema()
        guard let slot = schema.slot(of: key) else { return try setValue(value, forUndefinedKey: key) }
        try schema.keys[slot].checkKeyPath(of: self)
        set(try schema.prepare(value, forSlot: slot, in: key), slot, schema)
    }

    /// Sets the property at the end of a key path, as `setValue(_:forKey:)` does. If an object on the way is nil there
    /// is nothing to set, which is no error.
    ///
    /// - Throws: A `KeyValueError` for a path that is not right, a key that cannot be written, as no operator can,
    ///   and a value of another type, each as far as types are declared also if an object on the way is nil.
    /// - Complexity: O(*n*) for *n* components, and the property's setter and observers.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) throws(KeyValueError) {
        let end = try pathEnd(keyPath)
        guard let (schema, slot) = end.declared else { return }
        if let object = end.object { try schema.keys[slot].checkKeyPath(of: object) }
        let prepared = try schema.prepare(value, forSlot: slot, in: keyPath)
        end.object?.set(prepared, slot, schema)
    }
}

extension TrackedObject {
    /// The schema of the object's class.
    func codingSchema() throws(KeyValueError) -> ClassSchema {
        if let schema = record?.schema { return schema }
        return try ClassSchema.of(type(of: self))
    }

    /// Sets a property to a value that was found to be of its type, and sees to it that its observers are told once.
    func set(_ value: Any, _ slot: Int, _ schema: ClassSchema) {
        let key = schema.keys[slot]
        announcing(key, nil) { _ = key.declared.write!(self, value) }
    }

    /// Makes a change of a property that announces it by itself, that has to be announced, or that is silent.
    func announcing(_ key: ResolvedKey, _ edit: CollectionChange?, _ body: () -> Void) {
        let isPlainSetting = edit == nil && key.announcesItself
        guard !isPlainSetting, key.declared.notifiesAutomatically, isObserved, !isDeinitializing, let record else {
            return body()
        }
        Transaction.begin(record, key.slot, edit)
        body()
        Transaction.end(record, key.slot)
    }

    /// Where a path ends.
    struct PathEnd {
        /// The object that has the last key; nil if one on the way is.
        var object: TrackedObject?
        /// The last key; nil if it is not known, behind an object that is nil and that no declaration tells the class of.
        var declared: (schema: ClassSchema, slot: Int)?
        /// The first key on the way that is nil.
        var missing: (schema: ClassSchema, key: String)?
    }

    /// Follows a path to the object that has its last key.
    func pathEnd(_ keyPath: String) throws(KeyValueError) -> PathEnd {
        let path = try ParsedKeyPath.parse(keyPath, for: type(of: self))
        if let tail = path.tail {
            throw KeyValueError(
                .readOnlyKey, className: "\(type(of: self))", key: "@" + tail.function.rawValue, keyPath: keyPath
            ).saying("what an operator makes of a collection cannot be set")
        }
        var end = PathEnd(object: self)
        var schema = try codingSchema()
        for name in path.keys.dropLast() {
            let key = schema.keys[try schema.requireSlot(of: name, in: keyPath)].declared
            if let value = end.object.flatMap({ unwrapped(key.read($0)) }) {
                guard let next = asTrackedObject(value) else {
                    throw KeyValueError(
                        .pathThroughCollection, className: schema.className, key: name, keyPath: keyPath
                    ).saying(reasonToEnd(at: type(of: value), name))
                }
                end.object = next
                schema = try next.codingSchema()
            } else {
                if end.object != nil { end.missing = (schema, name) }
                end.object = nil
                guard let next = key.objectClass else { return end }
                schema = try ClassSchema.of(next)
            }
        }
        end.declared = (schema, try schema.requireSlot(of: path.keys.last!, in: keyPath))
        return end
    }
}

extension ClassSchema {
    /// A value as one that the property of a key can be set to.
    func prepare(_ value: Any?, forSlot slot: Int, in keyPath: String) throws(KeyValueError) -> Any {
        let key = keys[slot].declared
        guard key.write != nil else {
            throw KeyValueError(.readOnlyKey, className: className, key: key.name, keyPath: keyPath)
        }
        return try convert(value, for: key, in: keyPath)
    }

    /// A value as one of a key's type.
    func convert(_ value: Any?, for key: DeclaredKey, in keyPath: String) throws(KeyValueError) -> Any {
        if let converted = convertForCoding(value ?? Any?.none as Any, toErased: key.valueType) { return converted }
        throw KeyValueError(
            .wrongType(expected: "\(key.valueType)", actual: typeName(of: value)), className: className, key: key.name,
            keyPath: keyPath
        ).saying(refusal(of: value, as: key.valueType))
    }
}

/// What is said of a value that a key of a type cannot be set to, where the names of the two types do not say it all.
private func refusal(of value: Any?, as type: Any.Type) -> String? {
    let bare = value.flatMap(unwrapped)
    guard let raw = unwrappedType(type) as? any RawRepresentable.Type, !(raw is any KeyValueConvertible.Type) else {
        // A number of another type is taken if it fits.
        let isNumber =
            CollectionOperator.sum.resultType(of: unwrappedType(type)) != nil && bare.flatMap(Number.init) != nil
        return isNumber ? "holds \(type), not \(shown("\(bare!)"))" : nil
    }
    let rawType = rawValueType(of: raw)
    let isRawValue = bare.map { Swift.type(of: $0) == rawType } ?? false
    let cases = (raw as? any CaseIterable.Type).map { rawValues(of: $0) }
    return "holds \(raw), given by a raw value (\(rawType))" + (cases.map { ": \($0)" } ?? "")
        + "; not \(isRawValue ? shownValue(bare!) : typeName(of: value))"
}

/// The first eight.
private func rawValues<Cases: CaseIterable>(of type: Cases.Type) -> String {
    let values = type.allCases.prefix(9).compactMap { ($0 as? any RawRepresentable).map { shownValue($0.rawValue) } }
    return values.prefix(8).joined(separator: ", ") + (values.count > 8 ? ", …" : "")
}

private func shownValue(_ value: Any) -> String { (value as? String).map(quoted) ?? shown("\(value)") }

/// What an error calls the type of a value that was given.
func typeName(of value: Any?) -> String {
    value.flatMap(unwrapped).map { "\(type(of: $0))" } ?? "nil"
}
