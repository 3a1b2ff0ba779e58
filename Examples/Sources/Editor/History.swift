import AutoKVO

/// Undo and redo, made of nothing but what an observer gets: the target, the key, the kind, the indexes, the values.
///
/// It follows an object, every settable key of it, and the objects in its arrays, as long as they are in them. It knows no class
/// of the model.
final class History: TrackedObject {
    @ObservedReadOnly private(set) var undoable: [Edit] = []
    @ObservedReadOnly private(set) var redoable: [Edit] = []
    @ObservedReadOnly private var savedCount: Int? = 0

    /// Whether changes come from `undo()` or `redo()`.
    private(set) var isReplaying = false
    private var recording: [Step]?

    var isDirty: Bool { undoable.count != savedCount }
    var undoTitle: String? { undoable.last?.title }

    override class var schema: Schema {
        Schema(History.self, extending: super.schema) {
            Key("isDirty", \.isDirty, affectedBy: "undoable", "savedCount")
            Key("undoTitle", \.undoTitle, affectedBy: "undoable")
        }
    }

    init(of root: TrackedObject) throws {
        super.init()
        try follow(root)
    }

    /// Makes all changes in a closure one edit. A change outside of it is an edit of its own.
    func record(_ title: String, _ changes: () throws -> Void) rethrows {
        guard recording == nil else { return try changes() }
        recording = []
        defer { finishRecording(title) }
        try changes()
    }

    func undo() throws { try replay(editable(\._undoable).popLast(), into: editable(\._redoable)) }

    func redo() throws { try replay(editable(\._redoable).popLast(), into: editable(\._undoable)) }

    func markSaved() { savedCount = undoable.count }

    // MARK: -

    private func follow(_ object: TrackedObject) throws {
        let keys = type(of: object).keyDescriptions.filter(\.isSettable).map(\.name)
        try observe(keys, of: object, options: [.old, .new]) { history, change in history.add(change) }
        for part in try parts(of: object) { try follow(part) }
    }

    private func unfollow(_ object: TrackedObject) throws {
        stopObserving(of: object)
        for part in try parts(of: object) { try unfollow(part) }
    }

    private func parts(of object: TrackedObject) throws -> [TrackedObject] {
        try type(of: object).keyDescriptions.filter(\.isCollection).flatMap { key in
            try object.value(forKey: key.name) as? [TrackedObject] ?? []
        }
    }

    private func add(_ change: Change<Any>) {
        let step = Step(change)
        // The keys are the classes' own, so following what they hold finds no wrong name.
        for part in change.oldValue as? [TrackedObject] ?? [] { try! unfollow(part) }
        for part in change.newValue as? [TrackedObject] ?? [] { try! follow(part) }
        if recording != nil {
            recording!.append(step)
        } else {
            record("Change \(change.keyPath)") { recording!.append(step) }
        }
    }

    private func finishRecording(_ title: String) {
        defer { recording = nil }
        guard let steps = recording, !steps.isEmpty, !isReplaying else { return }
        // What was saved can no longer be reached.
        if let saved = savedCount, saved > undoable.count { savedCount = nil }
        editable(\._undoable).append(Edit(title: title, steps: steps))
        redoable = []
    }

    /// Reverses an edit. What the observers get meanwhile is the edit that reverses this one again.
    private func replay(_ edit: Edit?, into other: Property<[Edit]>) throws {
        guard let edit else { return }
        isReplaying = true
        defer { isReplaying = false }
        recording = []
        for step in edit.steps.reversed() { try step.reverse() }
        other.append(Edit(title: edit.title, steps: recording ?? []))
        recording = nil
    }
}

/// What the user undoes at once.
struct Edit {
    let title: String
    let steps: [Step]
}

/// One change, as an observer got it.
struct Step {
    private let target: TrackedObject
    private let key: String
    private let kind: ChangeKind
    private let indexes: RangeSet<Int>
    private let oldValue: Any?

    init(_ change: Change<Any>) {
        target = change.target
        key = change.keyPath
        kind = change.kind
        indexes = change.indexes ?? RangeSet()
        oldValue = change.oldValue
    }

    func reverse() throws {
        switch kind {
        case .setting: try target.setValue(oldValue, forKey: key)
        case .insertion: try array().removeSubranges(indexes)
        case .removal: try array().insert(contentsOf: oldElements, at: indexes)
        case .replacement: try array().replaceSubranges(indexes, with: oldElements)
        }
    }

    private func array() throws -> MutableArrayProxy { try target.mutableArrayValue(forKey: key) }

    private var oldElements: [Any] { oldValue as? [Any] ?? [] }
}
