/// Undo and redo for objects: what was changed, in steps.
///
///     let history = UndoHistory(of: document)
///     document.title = "Travels"
///     history.group("Tidy up") { document.removeDrafts(); document.$pages.sort() }
///     history.undo()
///     history.undoName        // "title"
///
/// It records the changes of all observed properties of the objects, declared by a `Key` or not, edits of collections among them.
/// An outermost change of theirs and what the handlers of observers change because of it are one step, and so is a `coalescingChanges`. What a
/// `didSet` changes comes behind the change that has it run, so it is a step of its own, and so is each edit that a handler of another object's
/// change makes, unless they are in a `group`.
///
/// Undoing writes what the properties store: `didSet` does not run. (Of a property that a subclass overrides and a `Key` declares, the setter
/// runs.) All properties of a step get their old values before the first observer is notified, as in `coalescingChanges`. What handlers then
/// change belongs to the step that `redo()` undoes. What is changed in an object that becomes part in the same `coalescingChanges` is not
/// recorded; in a `group` it is. An optional collection that was nil before an edit is empty again.
///
/// What cannot be undone is reported to `Diagnostics`. It is left as it is: a property whose accessors a subclass overrides, unless a `Key`
/// declares it, and an edit through the handle of a collection that is not an `Array`, a `ContiguousArray` or a `Set`, such as a `Data`. (That it
/// is assigned can be undone.) Of an overridden property with a `Key` the setter gets the old value, and may store another one.
///
/// The history keeps neither the objects nor itself alive, nor objects to which a property refers, or referred, weakly; it keeps the other
/// values, and with them objects that were taken out of a property (one that came and went within a step until the step is undone). What it has
/// of an object ends with the object. Like the objects, it is used by one thread at a time. Its observers get no prior calls.
public final class UndoHistory: TrackedObject {
    private enum Mode { case recording, grouping, replaying }

    private var undoable: [Step] = []
    private var redoable: [Step] = []
    /// The last steps there, as observers of the history hear of them.
    @ObservedReadOnly(.distinct) private var undoTitle: Title?
    @ObservedReadOnly(.distinct) private var redoTitle: Title?
    private var mode = Mode.recording
    /// Number of entries that have been made.
    private var count = 0
    /// The name of the group that is being recorded, until it has a step.
    private var groupName: String?
    /// Whether the next change is the first one of a step.
    private var isStepComplete = true
    private var replayed: [Entry] = []
    private let outermost = OutermostChange()
    private let includesParts: Bool
    private var followed: [ObjectIdentifier: Followed] = [:]
    private var deaths: [ObjectIdentifier: DeinitAction] = [:]
    /// The objects that have left their last place since the last step began. Some may be in another one again.
    private var leaving: [ObjectIdentifier] = []

    /// How many steps are kept, of those to undo and of those to redo; those furthest away are dropped. 0 keeps none. A step beyond it takes
    /// O(*n*) for *n* that are kept, and so does the death of an object.
    public var limit: Int { didSet { updateTitles() } }

    /// Whether there is a step to undo. Observable.
    public var canUndo: Bool { undoTitle != nil }
    /// Whether there is a step to redo. Observable.
    public var canRedo: Bool { redoTitle != nil }
    /// The name of the step that `undo()` undoes: that of its group, or the key of the change that the history was notified of
    /// first. Nil if there is none. Observable.
    public var undoName: String? { undoTitle?.name }
    /// The name of the step that `redo()` makes again. Nil if there is none. Observable.
    public var redoName: String? { redoTitle?.name }

    public override class var schema: Schema {
        Schema(UndoHistory.self, extending: super.schema) {
            Hidden("undoTitle")
            Hidden("redoTitle")
            Key("canUndo", \.canUndo, affectedBy: "undoTitle")
            Key("canRedo", \.canRedo, affectedBy: "redoTitle")
            Key("undoName", \.undoName, affectedBy: "undoTitle")
            Key("redoName", \.redoName, affectedBy: "redoTitle")
        }
    }

    /// Records the changes of several objects in one history.
    ///
    /// A class whose schema has a fault is a mistake in code and traps.
    ///
    /// - Parameters:
    ///   - objects: The objects. They are not kept alive.
    ///   - includingParts: Whether the tracked objects that are in their properties, but the weak ones, and in those of these, are recorded too,
    ///     as long as they are there, and until the end of the step that takes them out. A history is not. Parts that refer strongly to each
    ///     other in a circle are recorded also after they were taken out: let one refer weakly.
    ///   - limit: How many steps are kept.
    /// - Complexity: To record a change takes what an observer with its values takes; with `includingParts`, O(*n*) where a collection of *n*
    ///   objects is assigned, also by `rows[0] = row`. An edit through its handle, `$rows[0] = row`, says what came and went.
    public init(of objects: [TrackedObject], includingParts: Bool = false, limit: Int = 100) {
        (includesParts, self.limit) = (includingParts, limit)
        super.init()
        for object in objects { follow(object) }
    }

    /// Records the changes of an object. See `init(of:includingParts:limit:)` for several.
    ///
    /// - Complexity: As for several objects.
    public convenience init(of object: TrackedObject, includingParts: Bool = false, limit: Int = 100) {
        self.init(of: [object], includingParts: includingParts, limit: limit)
    }

    deinit { for action in deaths.values { action.cancel() } }

    /// Makes all that a closure changes one step. Without a change there is no step.
    ///
    /// A group is part of a step that has begun, and does not name it: inside of a group, of `coalescingChanges` and of an open change of what
    /// is recorded, and in a handler of such a change. If the closure throws, what it had changed is a step all the same.
    ///
    /// - Returns: What the closure returns.
    /// - Complexity: O(*n*) for *n* changes that this thread has begun and not ended, or whose observers are still to be called, and the
    ///   closure.
    @discardableResult public func group<Result, Failure: Error>(
        _ name: String, _ changes: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard mode == .recording else { return try changes() }
        // Not the second one of two edits that belong to the step under way: its observers would be called inside of this call.
        finishOwnCalls(makesEdits: !outermost.isUnderWay)
        if isChangeOpen || outermost.isUnderWay && !isStepComplete { return try changes() }
        (mode, groupName, isStepComplete) = (.grouping, name, true)
        defer { (mode, groupName, isStepComplete) = (.recording, nil, true) }
        return try changes()
    }

    /// Undoes the last step. Observers are notified of it as of any change.
    ///
    /// Inside of `coalescingChanges`, and of an open change of what is recorded (in a prior handler, in `withMutation`), it is a mistake in
    /// code, and traps: the history would hear of it too late.
    ///
    /// - Returns: False if there is none, in a group, and in a handler that undoing calls.
    /// - Complexity: O(*n* log *n*) for *n* changes of the step, what each takes that is made back (an edit of an array, O(*m*) for the *m*
    ///   elements that it moves), and a copy of each array or set that was edited in it.
    @discardableResult public func undo() -> Bool { replay(\.undoable, into: \.redoable) }

    /// Makes the step again that was undone last. After another change there is nothing to redo. The rest is as for `undo()`.
    ///
    /// - Returns: False if there is none, in a group, and in a handler that redoing calls.
    /// - Complexity: As for `undo()`.
    @discardableResult public func redo() -> Bool { replay(\.redoable, into: \.undoable) }

    private var isChangeOpen: Bool { OutermostChange.isOpen { followed[$0] != nil } }

    private typealias Steps = ReferenceWritableKeyPath<UndoHistory, [Step]>
    private func replay(_ steps: Steps, into others: Steps) -> Bool {
        // In a handler of a change that this has not heard of yet.
        if mode == .recording { finishOwnCalls(makesEdits: true) }
        guard mode == .recording else { return false }
        if isChangeOpen {
            fatalError("An UndoHistory was used inside of coalescingChanges, or of an open change of what it records.")
        }
        guard let step = self[keyPath: steps].last else { return false }
        mode = .replaying
        // What has left comes back, or is changed outside.
        for case let object? in step.entries.values.map(\.first?.property.object)
        where followed[ObjectIdentifier(object)] == nil {
            follow(object)
            followed[ObjectIdentifier(object)]?.isRoot = false
            leave(ObjectIdentifier(object), places: 1)
        }
        coalescingChanges { step.revert() }
        (mode, isStepComplete) = (.recording, true)
        var entries: [Entry] = []
        swap(&entries, &replayed)
        let back = makeStep(step.title.name, entries.filter { $0.property.object != nil })
        // Handlers may have changed the history: lowered its limit, or let an object die.
        if let place = self[keyPath: steps].lastIndex(where: { $0.title == step.title }) {
            self[keyPath: steps].remove(at: place)
        }
        if !back.entries.isEmpty { self[keyPath: others].append(back) }
        updateTitles()
        return withExtendedLifetime(step) { true }
    }

    /// This hears of a property before observers that are no history, so what has begun of those it records is known. Nothing else is waited
    /// for: observers that use this in their turn would be called inside of each other.
    private func finishOwnCalls(makesEdits: Bool) {
        OutermostChange.finishCalls(for: self, makesEdits: makesEdits) { followed[$0] != nil }
    }

    private func makeStep(_ name: String, _ entries: [Entry]) -> Step {
        Step(title: Title(number: count, name: name), entries: Dictionary(grouping: entries, by: \.object))
    }

    private func record(_ change: Change<Any>, of property: StoredProperty, in whole: ObjectIdentifier) {
        if outermost.begins(of: { followed[$0] != nil }), mode == .recording { isStepComplete = true }
        guard !change.isPrior, let past = property.past(change) else { return }
        if isStepComplete, mode != .replaying { endLeaving() }
        if followed[whole] == nil { return }
        if includesParts, property.mayHoldParts {
            var left: [ObjectIdentifier: Int] = [:]
            if change.kind == .setting {
                left = followed[whole]?.parts.removeValue(forKey: property.slot) ?? [:]
            } else {
                // What was set without a notification is not counted.
                for part in StoredProperty.objects(in: change.oldValue).map(ObjectIdentifier.init) {
                    guard let places = followed[whole]?.parts[property.slot]?[part] else { continue }
                    followed[whole]?.parts[property.slot]?[part] = places > 1 ? places - 1 : nil
                    left[part, default: 0] += 1
                }
            }
            for part in StoredProperty.objects(in: change.newValue) { follow(part, in: (whole, property.slot)) }
            for (part, places) in left { leave(part, places: places) }
        }
        count += 1
        let entry = Entry(object: whole, number: count, property: property, change: past)
        guard mode != .replaying else { return replayed.append(entry) }
        // What they keep dies behind the access to them: that calls `forget`.
        let outdated = redoable
        redoable = []
        if isStepComplete || undoable.isEmpty { undoable.append(makeStep(groupName ?? property.name, [])) }
        isStepComplete = false
        undoable[undoable.count - 1].entries[whole, default: []].append(entry)
        updateTitles()
        extendLifetime(outdated)
    }

    /// Keeps the limit and tells the observers of the history. All is noted by then, since they may use it.
    private func updateTitles() {
        // What only the dropped steps keep dies behind the access to the steps.
        withExtendedLifetime((undoable, redoable)) {
            if undoable.count > limit { undoable = Array(undoable.suffix(max(limit, 0))) }
            if redoable.count > limit { redoable = Array(redoable.suffix(max(limit, 0))) }
        }
        if (undoTitle, redoTitle) == (undoable.last?.title, redoable.last?.title) { return }
        // One that is still to hear of a step before is called outside of what follows.
        OutermostChange.finishCalls(of: self) { _ = (undoTitle, redoTitle) }
        coalescingChanges { (undoTitle, redoTitle) = (undoable.last?.title, redoable.last?.title) }
    }

    private func follow(_ object: TrackedObject, in whole: (ObjectIdentifier, slot: Int)? = nil) {
        // Not recursive: objects may be in each other to any depth.
        var places = [(object, whole)]
        while let (object, whole) = places.popLast() {
            let identity = ObjectIdentifier(object)
            if let (whole, slot) = whole { followed[whole]?.parts[slot, default: [:]][identity, default: 0] += 1 }
            followed[identity]?.places += 1
            if whole == nil { followed[identity]?.isRoot = true }
            // A history that recorded itself, or another one that records it, would never come to an end.
            if followed[identity] != nil || object is UndoHistory { continue }
            followed[identity] = Followed(isRoot: whole == nil)
            let properties = StoredProperty.all(of: object)
            let observations = properties.compactMap { property in
                property.observe(for: self) { history, change in history.record(change, of: property, in: identity) }
            }
            // Also of one that has left: steps may still have changes of it.
            if deaths[identity] == nil { deaths[identity] = object.onDeinit { [weak self] in self?.forget(identity) } }
            followed[identity]?.observations = observations
            if includesParts {
                places += properties.flatMap { key in key.parts.map { ($0, (identity, key.slot)) } }.reversed()
            }
        }
    }

    private func leave(_ identity: ObjectIdentifier, places: Int) {
        followed[identity]?.places -= places
        if followed[identity]?.places ?? 1 <= 0 { leaving.append(identity) }
    }

    /// Stops recording the objects that have left. This waits for the next step: the history may hear of a change that was made while they
    /// were there only after they have left.
    private func endLeaving() {
        while let identity = leaving.popLast() {
            guard let object = followed[identity], object.places <= 0 else { continue }
            followed[identity] = nil
            for observation in object.observations { observation.remove() }
            for (part, places) in object.parts.values.joined() { leave(part, places: places) }
        }
    }

    /// Drops what there is of an object that has died.
    private func forget(_ identity: ObjectIdentifier) {
        let former = followed.removeValue(forKey: identity)
        deaths[identity] = nil
        // It was set to nil in silence where it still counts, and another object may get its address.
        if let former, former.places > (former.isRoot ? 1 : 0) {
            for owner in followed.keys {
                for slot in followed[owner]!.parts.keys { followed[owner]!.parts[slot]![identity] = nil }
            }
        }
        for (part, places) in (former?.parts ?? [:]).values.joined() { leave(part, places: places) }
        func drop(_ steps: inout [Step]) -> [[Entry]?] {
            defer { steps.removeAll { $0.entries.isEmpty } }
            return steps.indices.map { steps[$0].entries.removeValue(forKey: identity) }
        }
        let last = undoable.last?.title
        let gone = [drop(&undoable), drop(&redoable)]
        // What follows in a step whose changes are all gone is not part of the one before.
        if undoable.last?.title != last { isStepComplete = true }
        updateTitles()
        extendLifetime(gone)
    }
}
