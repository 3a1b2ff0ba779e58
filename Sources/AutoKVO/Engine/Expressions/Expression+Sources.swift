extension Expression {
    struct Function {
        let body: (AnyObject) -> Any
        /// Whether the value may be a tracked object or an optional one, which is not kept alive.
        let holdsObject: Bool
        /// Whether the value is a tracked object whose class says what equal is, or has such elements, and others read it.
        var holdsEquatable = false
        /// Whether the object that the function is given is what is observed, and not the observer.
        var isOfTarget = true
        /// The key, if it is that of a derived property that the class may override.
        var overridden: ResolvedKey?
        /// For messages, where it is not the function of a key.
        var label: (() -> String)?
    }

    /// For messages.
    var label: String {
        function.label?() ?? liveRoute?.derivedSlot.map { "\(root.objectClass).\(root.schema!.keys[$0].name)" } ?? ""
    }

    /// The first evaluation has read nothing that is observed. Said of a derived key once for each class; of a closure its registration
    /// says so.
    func reportSilence() {
        guard let key = liveRoute?.derivedSlot.map({ root.schema!.keys[$0] }),
            !key.isChecked.load(ordering: .relaxed), !key.isReported.exchange(true, ordering: .relaxed)
        else { return }
        Diagnostics.report("\(label) reads nothing that is observed, so nobody will be called")
    }

    /// The value has changed: those that read it have to be evaluated. They are marked in the section of the lock in which the new value is
    /// kept. Else another thread could find it in between, and so clear the mark of a reader.
    ///
    /// Also those without a mark, to which the thread that has marked this one may not have come yet. But not the one that this thread
    /// evaluates, which gets the new value now; and none with the first value, before which there was no other: who read the key then has
    /// computed it, through a getter that a subclass overrides, and reads all that this does.
    func markReaders(of route: Route) {
        route.forEachReader { if !$0.isEvaluatingHere { _ = $0.mark(isCertain: true) } }
    }

    var height: Int { atomicHeight.load(ordering: .relaxed) }

    /// Behind an evaluation that has read other keys.
    func setHeight(behind sources: [PathLink], of route: Route) {
        let height = sources.reduce(route.keyHeight) { max($0, 1 + $1.height) }
        if height <= atomicHeight.exchange(height, ordering: .relaxed) { return }
        if let slot = route.derivedSlot { ObjectRecord.raiseKeys(behind: root, slot, of: height) }
    }

    /// False if it is as high already.
    func raise(to height: Int) -> Bool { atomicHeight.max(height, ordering: .relaxed).oldValue < height }

    /// An object has died that was read, or the observers of a change have been called. An observer that is not tracked says nothing of its
    /// own death: an observation that nothing can call any more ends now.
    func endIfUnreachable() {
        guard root.schema == nil, let route = liveRoute, let observation = route.observation, !observation.isManual
        else { return }
        if root.isDeinitializing { observation.end(.observerDeinitialized) }
        // A change of which it is still to be notified looks again behind that.
        let isDue = ThreadContext.current.value.pending.members.contains { $0.object.route == .to(route) }
        if !isDue, readsNothing() { observation.end(.targetDeinitialized) }
    }

    /// The name of the one key that the last evaluation read; empty if it was not one.
    var onlyKey: String {
        let sources = sources
        guard let first = sources.first, sources.allSatisfy({ $0.key == first.key }) else { return "" }
        return first.record.schema!.keys[first.slot].name
    }
}

extension PathLink {
    /// What it is a link of.
    @inline(__always)
    var key: Recorder.Source { .init(record: .to(record), slot: slot) }

    /// Of the derived key that an expression reads: see `ResolvedKey`. A key that is `affectedBy` others has no expression, and is read by
    /// name.
    var height: Int {
        source?.use { $0.height } ?? (offset < 0 ? record.lock.withLock { record.height(of: slot) } : 0)
    }

    /// Whether it was read where an object stores something. The record pins the object's address.
    @inline(__always)
    func isOf(_ object: TrackedObject, _ offset: Int) -> Bool {
        self.offset == offset && record.address == Borrowed.to(object).rawAddress
    }
}

extension ObjectRecord {
    /// The expression of a derived key that somebody needs.
    @inline(__always)
    func expression(_ slot: Int) -> Expression? {
        guard layout!.value[slot].isRecorded, let list = list(slot) else { return nil }
        return lock.withLock { list.value.expression?.object }
    }
}

// MARK: - The order of derived keys

extension ObjectRecord {
    /// Greater than those of all derived keys that a key depends on, of whatever object. It only says in which order observers are called. Under
    /// the lock.
    func height(of slot: Int) -> Int {
        if let expression = list(slot)?.value.expression { return expression.use { $0.height } }
        return max(layout!.value[slot].height, guarded.details?.heights[slot] ?? 0)
    }

    /// A link of the path of a derived key was added. That key is higher than what the link is of.
    static func raise(behind link: PathLink) {
        let (height, record) = (link.height, link.route.base)
        guard height & 0xFFFF != 0xFFFF, height > 0, let slot = link.route.derivedSlot else { return }
        if record.raise(slot, to: height + 1) { raiseKeys(behind: record, slot, of: height + 1) }
    }

    private func raise(_ slot: Int, to height: Int) -> Bool {
        lock.withLock {
            if height <= self.height(of: slot) { return false }
            if let expression = list(slot)?.value.expression?.object { return expression.raise(to: height) }
            guarded.makeDetails().heights[slot] = height
            return true
        }
    }

    /// A key has come to depend on a higher one: those that depend on it are higher, too.
    ///
    /// Bounded, since keys that depend on each other in a circle would raise each other for ever.
    static func raiseKeys(behind record: ObjectRecord, _ slot: Int, of height: Int) {
        ThreadContext.current.value.raisedHeights += 1
        var raised = [(record, slot, height)]
        while let (record, slot, height) = raised.popLast() {
            if (height + 1) & 0xFFFF == 0 { continue }
            var behind = record.schema!.keys[slot].directDerived.map { (record, $0) }
            record.lock.withLock {
                record.list(slot)?.value.forEachLink { link in
                    if let slot = link.route.derivedSlot { behind.append((link.route.base, slot)) }
                }
            }
            for (record, slot) in behind where record.raise(slot, to: height + 1) {
                raised.append((record, slot, height + 1))
            }
        }
    }
}

// MARK: - What refreshing looks at

extension Expression {
    /// An expression to be checked.
    struct Checked {
        /// Retained.
        let expression: Borrowed<Expression>
        /// Its mark, and how many of its sources have been looked at since it has that. If it is marked again meanwhile, a source may have been.
        var mark = ExpressionMark(.clean)
        var count = 0
    }

    /// The next derived key that was read, and that has to be looked at before its value is known to be unchanged; retained. Under the lock.
    static func nextMarked(of sources: [PathLink], from index: inout Int) -> Borrowed<Expression>? {
        BorrowedElements.of(sources) { sources in
            while index < sources.count {
                let source = sources[index].use { $0.source }
                index += 1
                if let source, source.use({ !$0.isClean }) { return source.retain() }
            }
            return nil
        }
    }
}

// MARK: - What is kept of a value

extension Expression {
    /// Nil if what was kept is an object that is dead.
    @inline(__always)
    func opened(_ kept: Any?) -> Any? {
        guard function.holdsObject, let kept, type(of: kept) is AnyClass,
            let reference = kept as? PinnedReference<TrackedObject>
        else { return kept }
        let object = reference.object
        if object == nil { ThreadContext.current.value.dyingReferents &+= 1 }
        return object
    }

    @inline(__always)
    func isUnchanged(_ value: Any, _ kept: Any) -> Bool {
        if function.holdsObject { return opened(kept).map { areEqual($0, value) } ?? false }
        return areEqual(kept, value)
    }

    func reference(to value: Any) -> Any {
        guard function.holdsObject, let bare = unwrapped(value), type(of: bare) is AnyClass else { return value }
        return (bare as? TrackedObject).map { PinnedReference($0) } ?? value
    }
}
