/// Sets by name that have been checked and are still to be made: all of them or none.
///
/// Each is checked as if those before it had been made, so a path goes through an object that one of them sets.
struct SettingPlan {
    /// One set, of a value that has the property's type.
    struct Step {
        let object: TrackedObject
        let key: ResolvedKey
        let value: Any

        func carryOut() { object.set(value, key) }
    }

    private var steps: [Step] = []
    private var prepared = ParsedKeyPath.PreparedValues()

    /// Checks a set.
    ///
    /// - Throws: A `KeyValueError` if it cannot be made. The plan is not to be carried out then; sets that are added later
    ///   through the key that could not be set are checked as far as types are declared.
    mutating func add(
        _ value: Any?, forKeyPath keyPath: String, of root: TrackedObject, validating: Bool = false
    ) throws(KeyValueError) {
        let end = try root.pathEnd(keyPath, with: prepared)
        do throws(KeyValueError) {
            guard let step = try end.step(setting: value, validating: validating) else { return }
            prepared.set(.value(step.value), for: step.key.slot, of: step.object)
            steps.append(step)
        } catch {
            if let object = end.object, let (_, slot) = end.key { prepared.set(.refused, for: slot, of: object) }
            throw error
        }
    }

    /// Makes the sets, in the order in which they were added.
    func carryOut() {
        for step in steps { step.carryOut() }
    }
}

extension ParsedKeyPath.End {
    /// Checks the set of a value at the end of the path. Nil if an object on the way is not known, because it could not be set.
    func step(setting value: Any?, validating: Bool = false) throws(KeyValueError) -> SettingPlan.Step? {
        guard let (schema, slot) = key else {
            if let noObject { throw noObject }
            return nil
        }
        let (key, object) = (schema.keys[slot], object)
        try schema.requireSetter(of: key, in: keyPath)
        var value = value
        if let object {
            try key.checkKeyPath(of: object)
            if validating { try object.validate(&value, schema, key, in: keyPath) }
        }
        let converted = try schema.convert(value, for: key, in: keyPath)
        if let noObject { throw noObject }
        return object.map { SettingPlan.Step(object: $0, key: key, value: converted) }
    }
}
