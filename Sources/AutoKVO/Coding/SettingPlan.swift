/// Sets by name that have been checked and are still to be made: all of them or none.
///
/// Each is checked as if those before it had been made, so a path goes through an object that one of them sets.
struct SettingPlan {
    private var steps: [(object: TrackedObject, key: ResolvedKey, value: Any)] = []
    private var prepared = ParsedKeyPath.PreparedValues()

    /// Checks a set.
    ///
    /// - Throws: A `KeyValueError` if it cannot be made. The plan is not to be carried out then; sets that are added later
    ///   through the key that could not be set are checked as far as types are declared.
    mutating func add(
        _ value: Any?, forKeyPath keyPath: String, of root: TrackedObject, validating: Bool = false
    ) throws(KeyValueError) {
        let end = try root.pathEnd(keyPath, with: prepared)
        guard let (schema, slot) = end.key else {
            if let error = end.noObject { throw error }
            return
        }
        let key = schema.keys[slot]
        if let object = end.object { prepared.set(.refused, for: slot, of: object) }
        try schema.requireSetter(of: key, in: keyPath)
        var value = value
        if let object = end.object {
            try key.checkKeyPath(of: object)
            if validating { try object.validate(&value, schema, key, in: keyPath) }
        }
        let converted = try schema.convert(value, for: key, in: keyPath)
        if let error = end.noObject { throw error }
        guard let object = end.object else { return }
        prepared.set(.value(converted), for: slot, of: object)
        steps.append((object, key, converted))
    }

    /// Makes the sets, in the order in which they were added.
    func carryOut() {
        for (object, key, value) in steps { object.set(value, key) }
    }
}
