import AutoKVO

/// A property of the board that is kept equal on both sides.
struct Field {
    /// Its whole value, as the change that an observer with `.initial` gets.
    let whole: () -> Content
    /// Does here what a record says. It refuses a record that does not fit, and then nothing has changed.
    let apply: (Content) throws -> Void
}

extension Field {
    init<Value>(
        _ property: Property<Value>, for replica: Replica, path: String,
        _ wrap: @escaping (ChangeRecord<Value>) -> Content, _ unwrap: @escaping (Content) -> ChangeRecord<Value>?,
        store: @escaping (ChangeRecord<Value>) throws -> Void
    ) {
        property.observe(for: replica, options: [.old, .new]) { replica, change in
            replica.didChange(path, wrap(ChangeRecord(change)))
        }
        whole = {
            var content: Content?
            property.observe(options: [.initial, .old, .new, .once]) { content = wrap(ChangeRecord($0)) }
            return content!
        }
        apply = { content in
            guard let record = unwrap(content), !record.isPrior else {
                throw RefusedMessage(description: "not for \(path)")
            }
            try store(record)
        }
    }
}

extension ChangeRecord {
    /// The value that a record must have. A record from outside may lack it, and `apply(to:)` would trap.
    func required(_ value: Value?) throws -> Value {
        guard let value else { throw RefusedMessage(description: "a change of \(keyPath) lacks a value") }
        return value
    }
}

extension ChangeRecord<[String]> {
    /// Refuses what `apply(to:)` cannot do to rows as these.
    func check(against rows: [String]) throws {
        guard kind != .setting, let indexes else {
            _ = try required(newValue)
            return
        }
        let count = indexes.ranges.reduce(0) { $0 + $1.count }
        let coming = kind == .removal ? 0 : try required(newValue).count
        guard kind == .removal || coming == count,
            indexes.ranges.last?.upperBound ?? 0 <= rows.count + (kind == .insertion ? coming : 0)
        else { throw RefusedMessage(description: "a change of \(keyPath) does not fit") }
    }
}

extension ChangeRecord<Set<String>> {
    func check() throws {
        if kind != .removal { _ = try required(newValue) }
        if kind == .removal || kind == .replacement { _ = try required(oldValue) }
    }
}
