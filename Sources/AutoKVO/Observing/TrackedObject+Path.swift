extension TrackedObject {
    /// A key, or key path, as a handle: it is looked up and checked once, and has every verb that `$` has.
    ///
    ///     let load = try machine.path("cpu.load", as: Double.self)
    ///     load.observe { change in … }
    ///     load.onValue(for: gauge, on: .mainActor) { gauge, load in gauge.show(load) }
    ///
    /// This call is the only one that throws. Observing by the handle is the same as observing by the string.
    ///
    /// - Parameters:
    ///   - keyPath: A key, a path through objects, or one with an operator: `"team.members.@sum.salary"`. It is one path: `|` does not
    ///     separate two.
    ///   - type: What the values are, or can be converted to. Without it, they are `Any`.
    /// - Returns: The handle, whose value is nil where an object on the way is. It keeps this object alive.
    /// - Throws: A `KeyValueError` for a path that the object's class does not have, or whose values can never be of the type.
    /// - Complexity: O(*n*) for *n* components.
    public func path<Value>(
        _ keyPath: String, as type: Value.Type = Any.self
    ) throws(KeyValueError) -> PropertyPath<Value> {
        let checked = try CheckedKeyPath.of(keyPath, from: requireSchema())
        try checked.checkFirstUse(from: self)
        try requireValues(of: checked.valueType, as: type, checked.path)
        return PropertyPath(HandleTarget(self, path: checked.path))
    }

    /// Checks that values of a type may be delivered as another one.
    func requireValues(
        of type: Any.Type, as other: Any.Type, _ path: @autoclosure () throws(KeyValueError) -> ParsedKeyPath
    ) throws(KeyValueError) {
        if other == Any.self || canConvert(from: type, to: other) { return }
        throw try path().wrongType(from: Swift.type(of: self), type, "\(other)")
    }
}
