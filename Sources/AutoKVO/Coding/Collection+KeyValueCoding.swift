/// Reading and writing the properties of all objects of a collection by name.
///
/// A key is looked up in the class of each object, so one that only some of the objects have is an error.
extension Collection where Element: TrackedObject {
    /// The values of a key of all objects, in order; nil where a property is nil.
    ///
    ///     let ages = try people.value(forKey: "age").map { $0 as? Int }
    ///
    /// - Throws: A `KeyValueError` as `value(forKey:)` of the first object that does not have the key.
    /// - Complexity: O(*n*) for *n* objects, and the property's getter for each.
    @export(implementation) public func value(forKey key: String) throws(KeyValueError) -> [Any?] {
        try map { object throws(KeyValueError) in try object.value(forKey: key) }
    }

    /// The values at the end of a key path of all objects, in order, as an array; nil in it where a value is nil, or an object
    /// on the way to it.
    ///
    /// The path may begin with an operator: `"@avg.age"` is the average age of the objects, `"@count"` their number. An
    /// operator further on is one value for each object: `"friends.@count"` gives an array of numbers.
    ///
    /// - Throws: A `KeyValueError` as `value(forKeyPath:)` of an object does. For an empty collection only the form of the path
    ///   is checked.
    /// - Complexity: O(*n*) for *n* objects, components and, behind an operator, elements.
    public func value(forKeyPath keyPath: String) throws(KeyValueError) -> Any? {
        unwrapped(try ParsedKeyPath.parse(keyPath, isOfElements: true).value(ofElements: Array(self)))
    }

    /// Sets the property of a key of all objects, or of none: the key and the value are checked for each of them before the first
    /// is set.
    ///
    /// - Throws: A `KeyValueError` as `setValue(_:forKey:)`, also for a name that an object's class does not declare.
    /// - Complexity: O(*n*) for *n* objects, and the property's setter and observers for each.
    public func setValue(_ value: Any?, forKey key: String) throws(KeyValueError) {
        for object in self { _ = try object.requireSchema().requireKey(key, in: key) }
        try setValue(value, forKeyPath: key)
    }

    /// Sets the property at the end of a key path of all objects, or of none: the path and the value are checked for each of them
    /// before the first is set.
    ///
    /// - Throws: A `KeyValueError` as `setValue(_:forKeyPath:)`, `.noObject` if an object on the way is nil among them.
    /// - Complexity: O(*n*) for *n* objects and components, and the property's setter and observers for each.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) throws(KeyValueError) {
        var plan = SettingPlan()
        for object in self { try plan.add(value, forKeyPath: keyPath, of: object) }
        plan.carryOut()
    }
}
