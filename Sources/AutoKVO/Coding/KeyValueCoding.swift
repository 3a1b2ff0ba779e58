// The protocol of this folder: a name leads to a `ResolvedKey` of the class's schema, a path to the object at its end and a key
// there. Names and values are checked before anything is set, and a failed check throws. The caller holds the object; objects on
// a path are retained while they are used. No lock is taken here, since getters, setters and validations are user code.
// Read next: Validation.swift; ParsedKeyPath of the engine evaluates paths.

/// Reading and writing properties by name.
///
/// Only keys that the object's class declares can be reached, so a name or path that comes from a file or the network
/// can read or write nothing else, and can do no worse than make the call throw. A call that throws has changed
/// nothing.
///
/// As for the properties themselves, the caller makes sure that no two threads use an object at once. Setters, getters
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
        let schema = try requireSchema()
        guard let slot = schema.slot(of: key) else { return try value(forUndefinedKey: key) }
        try schema.keys[slot].checkKeyPath(of: self)
        return unwrapped(schema.keys[slot].declared.read(self))
    }

    /// The value at the end of a key path; nil if it is nil, or an object on the way to it.
    ///
    /// A path can continue after a collection with an operator, such as `"team.members.@avg.age"`. There are `@count`,
    /// which ignores what is on its right, `@sum`, `@avg`, `@min`, `@max`, `@unionOfObjects`,
    /// `@distinctUnionOfObjects`, `@unionOfArrays`, `@distinctUnionOfArrays` and `@distinctUnionOfSets`.
    ///
    /// The path on the right of an operator is evaluated on each element. It may begin with another operator if the
    /// elements are collections (`"rows.@sum.@avg.amount"`); if it begins with a key, collections among the elements
    /// give the values of their elements, as an array (`"rows.@unionOfArrays.amount"`).
    ///
    /// - Throws: A `KeyValueError` for a component that is not declared, an operator that does not exist or does not
    ///   fit the values, and a path that continues after a plain collection or a value without keys. The path is checked
    ///   as far as types are declared, also after an object that is nil now.
    /// - Complexity: O(*n*) for *n* components and, behind an operator, elements.
    public func value(forKeyPath keyPath: String) throws(KeyValueError) -> Any? {
        if try requireSchema().slot(of: keyPath) != nil { return try value(forKey: keyPath) }
        return unwrapped(try ParsedKeyPath.parse(keyPath, for: type(of: self)).requireValue(from: self))
    }

    /// Sets the property of a key. Its observers are called once, unless the key's automatic notification is off.
    ///
    /// The value may be of the property's type, optional or not; for an enum or another `RawRepresentable` its raw
    /// value; what a `KeyValueConvertible` accepts; and a number of any type that the property's can hold (`3.0` for an
    /// `Int`, not `3.5`). Arrays and sets are accepted if every element is of the right type. Validation is not run: that
    /// is `validateValue(_:forKey:)`.
    ///
    /// - Throws: A `KeyValueError` for a name that is not declared (unless the class overrides
    ///   `setValue(_:forUndefinedKey:)`), a key that cannot be written, and a value of another type, nil for a property
    ///   that is not optional among them.
    /// - Complexity: O(1) and the property's setter and observers.
    public func setValue(_ value: Any?, forKey key: String) throws(KeyValueError) {
        let schema = try requireSchema()
        guard let slot = schema.slot(of: key) else { return try setValue(value, forUndefinedKey: key) }
        try schema.keys[slot].checkKeyPath(of: self)
        set(try schema.prepare(value, for: schema.keys[slot], in: key), schema.keys[slot])
    }

    /// Sets the property at the end of a key path, as `setValue(_:forKey:)` does. If an object on the way is nil there
    /// is nothing to set, which is no error.
    ///
    /// - Throws: A `KeyValueError` for a path that is not right, a key that cannot be written, as no operator can,
    ///   and a value of another type, each as far as types are declared also if an object on the way is nil.
    /// - Complexity: O(*n*) for *n* components, and the property's setter and observers.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) throws(KeyValueError) {
        let end = try pathEnd(keyPath)
        guard let (schema, slot) = end.key else { return }
        let key = schema.keys[slot]
        if let object = end.object { try key.checkKeyPath(of: object) }
        let prepared = try schema.prepare(value, for: key, in: keyPath)
        end.object?.set(prepared, key)
    }

    /// Sets a property to a value that has its type. Its observers are called once.
    func set(_ value: Any, _ key: ResolvedKey) {
        announcing(key.announcesItself ? nil : key.slot) { key.declared.write!(self, value) }
    }
}

extension ClassSchema {
    func error(_ reason: KeyValueError.Reason, of key: ResolvedKey, in keyPath: String) -> KeyValueError {
        KeyValueError(reason, className: className, key: key.name, keyPath: keyPath)
    }

    func requireSetter(of key: ResolvedKey, in keyPath: String) throws(KeyValueError) {
        if key.declared.write == nil { throw error(.readOnlyKey, of: key, in: keyPath) }
    }

    /// A value as one that the property of a key can be set to.
    func prepare(_ value: Any?, for key: ResolvedKey, in keyPath: String) throws(KeyValueError) -> Any {
        try requireSetter(of: key, in: keyPath)
        return try convert(value, for: key, in: keyPath)
    }

    /// A value as one of a key's type.
    func convert(_ value: Any?, for key: ResolvedKey, in keyPath: String) throws(KeyValueError) -> Any {
        let type = key.declared.valueType
        if let converted = convertForCoding(value ?? Any?.none as Any, to: type) { return converted }
        throw error(.wrongType(expected: "\(type)", actual: typeName(of: value)), of: key, in: keyPath)
            .saying(refusal(of: value, as: type))
    }
}

/// Why a key of a type cannot be set to a value, if the names of the two types do not explain it.
private func refusal(of value: Any?, as type: Any.Type) -> String? {
    let bare = value.flatMap(unwrapped)
    guard let raw = unwrappedType(type) as? any RawRepresentable.Type, !(raw is any KeyValueConvertible.Type) else {
        // A number of another type is accepted if it fits.
        guard isNumberType(type), let bare, Number(bare) != nil else { return nil }
        return "holds \(type), not \(shown("\(bare)"))"
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
