/// Sets by name that have been checked and are still to be made: all of them or none.
///
/// Each is checked as if those before it had been made, so a path goes through an object that one of them sets.
struct SettingPlan {
    /// An entry of a dictionary; and what it was when it was validated last.
    typealias Entry = (depth: Int, name: String, value: Any?, validated: Step?)

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
    /// - Parameter validated: What need not be validated again if it is of the same object.
    /// - Returns: The set; nil if an object on the way is not known.
    /// - Throws: A `KeyValueError` if it cannot be made. The plan is not to be carried out then; sets that are added later
    ///   through the key that could not be set are checked as far as types are declared.
    @discardableResult mutating func add(
        _ value: Any?, forKeyPath keyPath: String, of root: TrackedObject, validating: Bool = false,
        validated: Step? = nil
    ) throws(KeyValueError) -> Step? {
        let end = try root.pathEnd(keyPath, with: prepared)
        let known = validated.flatMap { $0.object === end.object ? $0 : nil }
        do throws(KeyValueError) {
            let step = try end.step(setting: known?.value ?? value, validating: validating && known == nil)
            guard let step else { return nil }
            prepared.set(step.value, for: step.key.slot, of: step.object)
            steps.append(step)
            return step
        } catch {
            if let object = end.object, let (_, key) = end.key { prepared.set(nil, for: key.slot, of: object) }
            throw error
        }
    }

    /// Makes the sets, in the order in which they were added.
    func carryOut() { for step in steps { step.carryOut() } }
}

extension SettingPlan {
    /// Checks entries in the order of the number of their components, then of their names; but one whose path leads through an object
    /// that another one replaces, by whatever path, comes after that.
    init(_ values: [String: Any?], of root: TrackedObject, validating: Bool) throws(KeyValueError) {
        self.init()
        var entries: [Entry] = values.map { ($0.key.utf8.count { $0 == UInt8(ascii: ".") }, $0.key, $0.value, nil) }
            .inOrder { ($0.depth, $0.name) < ($1.depth, $1.name) }
        let isDeep = entries.last.map { $0.depth > 0 } ?? false
        var faults = arrange(&entries, of: root, validating: validating && !isDeep)
        // Validations are user code: they are called once, in the order that was found. What they correct may be another object: then what was
        // validated in the former one is validated in that.
        if validating && isDeep {
            let known = Set(faults.map(\.name))
            // Of entries in a circle no order was found: then they are validated for the faults alone.
            faults =
                prepared.overtaken.isEmpty
                ? arrange(&entries, of: root, validating: true)
                : faults + add(&entries, of: root, validating: true).filter { !known.contains($0.name) }
        }
        if let error = KeyValueError(faults.inOrder { $0.name < $1.name }.map(\.error)) { throw error }
    }

    private typealias Fault = (name: String, error: KeyValueError)

    /// Checks entries in an order in which none is set in an object that a later one replaces. Returns the errors of those that cannot be set.
    private mutating func arrange(_ entries: inout [Entry], of root: TrackedObject, validating: Bool) -> [Fault] {
        var repetitions = 0
        while true {
            let faults = add(&entries, of: root, validating: validating)
            if prepared.overtaken.isEmpty { return faults }
            repetitions += 1
            if repetitions > 16 {
                let reason =
                    "its path leads through an object that another entry replaces, whose path this one changes, too"
                let names = Set(prepared.overtaken.keys.map { entries[$0].name })
                let error = { KeyValueError(.invalidValue(reason), className: "\(type(of: root))", key: $0) }
                return faults.filter { !names.contains($0.name) } + names.map { ($0, error($0)) }
            }
            // Each comes behind the one that overtakes it: behind where that was, since it may set another object when it has been moved itself.
            // Of a long chain, which this does not settle, behind where it comes now.
            if repetitions <= 8 {
                let places = entries.indices.map { index in prepared.overtaken[index].map { 2 * $0 + 1 } ?? 2 * index }
                entries = entries.indices.inOrder { (places[$0], $0) < (places[$1], $1) }.map { entries[$0] }
                continue
            }
            let followers = Dictionary(grouping: prepared.overtaken.keys) { prepared.overtaken[$0]! }
            var (order, left) = ([Entry](), entries.indices.reversed().filter { prepared.overtaken[$0] == nil })
            while let next = left.popLast() {
                order.append(entries[next])
                left += (followers[next] ?? []).sorted(by: >)
            }
            entries = order
        }
    }

    /// Checks entries in this order. Returns the errors of those that cannot be set.
    private mutating func add(_ entries: inout [Entry], of root: TrackedObject, validating: Bool) -> [Fault] {
        self = SettingPlan()
        var faults: [Fault] = []
        for (number, entry) in entries.enumerated() {
            prepared.path = number
            do throws(KeyValueError) {
                let step = try add(
                    entry.value, forKeyPath: entry.name, of: root, validating: validating, validated: entry.validated)
                if validating { entries[number].validated = step }
            } catch { faults.append((entry.name, error)) }
        }
        return faults
    }
}
