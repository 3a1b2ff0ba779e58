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
        _ property: Property<Value>, _ key: String, of page: Page, for replica: Replica, path: String,
        _ wrap: @escaping (ChangeRecord<Value>) -> Content, _ unwrap: @escaping (Content) -> ChangeRecord<Value>?
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
            // The record comes from outside, and so does the name in it.
            guard let record = unwrap(content), record.keyPath == key else {
                throw RefusedMessage(description: "not for \(path)")
            }
            try record.apply(on: page)
        }
    }
}
