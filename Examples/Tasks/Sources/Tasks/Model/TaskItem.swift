import AutoKVO

/// Something to do.
///
/// The model knows nothing of databases, requests or browsers. What a `Key` declares is what a request may set; `id` it may not.
final class TaskItem: TrackedObject, Encodable {
    let id: Int64
    @Observed(.distinct) var title = ""
    @Observed(.distinct) var isDone = false
    @Observed(.distinct) var due: String? = nil
    /// Its place in the list: between those of its neighbours, so that a task that is moved is one change of one property.
    @Observed(.distinct) var order = 0.0

    init(id: Int64) { self.id = id }

    override class var schema: Schema {
        Schema(TaskItem.self, extending: super.schema) {
            Key("title", \.title) { _, title in try checkTitle(&title, of: "a task") }
            Key("isDone", \.isDone)
            Key("due", \.due) { _, due in
                if let due, !Day.isDay(due) {
                    throw KeyValueError(.invalidValue("a day is written as 2026-12-31"))
                }
            }
            Key("order", \.order) { _, order in
                if !(order.magnitude <= TaskList.highestOrder) {
                    throw KeyValueError(.invalidValue("an order is a number from -1e9 to 1e9"))
                }
            }
        }
    }

    private enum CodingKeys: CodingKey { case id, title, isDone, due, order }
}

/// Takes the blanks around a title off, and refuses what is no title.
func checkTitle(_ title: inout String, of what: String) throws(KeyValueError) {
    if title.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
        throw KeyValueError(.invalidValue("a title is one line without control characters"))
    }
    title = String(title.drop(while: \.isWhitespace))
    while let last = title.last, last.isWhitespace { title.removeLast() }
    if title.isEmpty { throw KeyValueError(.invalidValue("\(what) needs a title")) }
    if title.utf8.count > 400 { throw KeyValueError(.invalidValue("a title has at most 400 bytes of UTF-8")) }
}
