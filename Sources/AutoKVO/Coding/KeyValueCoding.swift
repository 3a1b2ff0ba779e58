// The protocol of this folder: a name leads to a `ResolvedKey` of the class's schema, a path to the object at its end and a key
// there. Names and values are checked before anything is set, and a failed check throws; several sets are a `SettingPlan` until all
// have been checked. The caller holds the object; objects on a path are retained while they are used. No lock is taken here, since
// getters, setters and validations are user code.
// Read next: Validation.swift; ParsedKeyPath of the engine evaluates paths.
//
// **An example**: `try person.setValue("Bern", forKeyPath: "address.city")`.
//
//     TrackedObject.pathEnd     no key has that name, so it is a path: parsed and checked, unless the class keeps it (`CheckedKeyPath.of`)
//     ParsedKeyPath.end         reads `address`, and finds `city` in the schema of the object that is there
//     End.step                  whether a `Key` offers `city` for setting, and the value as one of its type. Nothing throws after this
//     Step.carryOut             calls the setter; inside of `announcing`, unless the key announces itself, as an `@Observed` property does

/// Reading and writing properties by name.
///
/// Only the keys of the object's class can be reached, its observed properties and what its schema declares, without those that
/// it hides, and only a key that a `Key` offers can be set. So a name or path that comes from a file or the network can read or
/// write nothing else, and can do no worse than make the call throw. A call that throws has changed nothing.
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
        try checkFirstUse(of: slot, schema)
        return unwrapped(valueOfKey(slot, of: schema))
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
        unwrapped(try declaredValue(forKeyPath: keyPath))
    }

    /// The same as the type that the property has.
    @inline(__always) func declaredValue(forKeyPath keyPath: String) throws(KeyValueError) -> Any {
        let schema = try requireSchema()
        // Asked first: that no key has this name is not seen by its bits.
        if let kept = CheckedKeyPath.kept(keyPath, by: .to(schema)) {
            try kept.checkFirstUse(from: self)
            return try kept.path.requireValue(from: self)
        }
        if let slot = schema.slot(of: keyPath) {
            try checkFirstUse(of: slot, schema)
            return valueOfKey(slot, of: schema)
        }
        let checked = try CheckedKeyPath.of(keyPath, from: schema)
        try checked.checkFirstUse(from: self)
        return try checked.path.requireValue(from: self)
    }

    /// The type of the values at the end of a key path, as far as the classes declare it; `Any` where they do not, and for a `@sum` that may be
    /// an `Int` or a `Double`.
    ///
    /// - Throws: A `KeyValueError` for a path that the class does not have.
    /// - Complexity: O(*n*) for *n* components.
    public class func valueType(forKeyPath keyPath: String) throws(KeyValueError) -> Any.Type {
        let type = try CheckedKeyPath.of(keyPath, from: ClassSchema.of(self)).valueType
        return type == (any IntOrDouble).self ? Any.self : type
    }

    /// Sets the property of a key. Its observers are called once, unless the key's automatic notification is off. (Those of a computed property
    /// without `affectedBy` are called for each property of those it reads that its setter sets.)
    ///
    /// The value may be of the property's type, optional or not; for an enum or another `RawRepresentable` its raw
    /// value; what a `KeyValueConvertible` accepts; and a number of any type that the property's can hold (`3.0` for an
    /// `Int`, not `3.5`). An array or a set is accepted for either, and a dictionary for a dictionary, if every element
    /// is accepted as a single value would be; equal elements become one in a set. Foundation's `NSNull` is nil, and its
    /// `NSNumber` a number or a Boolean, whichever it was made of. Validation is not run: that is `validateValue(_:forKey:)`.
    ///
    /// The error for a value that is not one of an enum's raw values lists them if the enum is `CaseIterable`.
    ///
    /// - Throws: A `KeyValueError` for a name that is not declared (unless the class overrides
    ///   `setValue(_:forUndefinedKey:)`), a key that cannot be written, and a value of another type, nil for a property
    ///   that is not optional among them.
    /// - Complexity: O(1) and the property's setter and observers.
    public func setValue(_ value: Any?, forKey key: String) throws(KeyValueError) {
        let schema = try requireSchema()
        guard let slot = schema.slot(of: key) else { return try setValue(value, forUndefinedKey: key) }
        let resolved = schema.keys[slot]
        try resolved.checkKeyPath(of: self)
        try schema.requireSetter(of: resolved, in: key)
        set(try schema.convert(value, for: resolved, in: key), resolved)
    }

    /// Sets the property at the end of a key path, as `setValue(_:forKey:)` does.
    ///
    /// - Throws: A `KeyValueError` for a path that is not right, a key that cannot be written, as no operator can,
    ///   and a value of another type, each as far as types are declared also if an object on the way is nil; and
    ///   `.noObject` if one is.
    /// - Complexity: O(*n*) for *n* components, and the property's setter and observers.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) throws(KeyValueError) {
        try pathEnd(keyPath).step(setting: value)?.carryOut()
    }

    /// Sets a property to a value that has its type.
    func set(_ value: Any, _ key: ResolvedKey) {
        announcing(key.announcesItself ? nil : key.slot) { key.declared.write!(self, value) }
    }
}
