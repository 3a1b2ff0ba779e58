extension Expression {
    struct Function {
        let body: (AnyObject) -> Any
        /// Whether the value may be a tracked object or an optional one, which is not kept alive, or a collection that holds some. In both
        /// cases an equal value may hold other objects.
        let objects: HeldObjects
        /// Whether the object that the function is given is what is observed, and not the observer.
        var isOfTarget = true
        /// The key, if it is that of a derived property that the class may override.
        var overridden: ResolvedKey?
        /// For messages, where it is not the function of a key.
        var label: (() -> String)?
    }

    /// What the lock of the root guards.
    struct State {
        /// Of the newest evaluation that is over. Empty while another one has them.
        var sources: [PathLink] = []
        /// How many of them, from the first on, are known to be of dead objects.
        var deadCount = 0
        /// A `PinnedReference` to a tracked object.
        var kept: Any = ()
        /// Counts the different values that were kept; 0 if there is none.
        var changes = 0
        /// Whether the program has read the present one; and the last one that it had read, and that another one has replaced.
        var isRead = false
        var lastRead = 0
        var isKept: Bool { changes > 0 }
        /// Counts evaluations; and which was the newest one that is over.
        var version = 0
        var lastOver = 0
        var isEnded = false
        /// Of a closure that has ended, or that is evaluated: what the last evaluation read.
        var onlyKey = ""

        var nameOfOnlyKey: String {
            guard let first = sources.first else { return version == lastOver && !isEnded ? "" : onlyKey }
            return sources.allSatisfy { $0.key == first.key } ? first.record.schema!.keys[first.slot].name : ""
        }
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
        route.forEachReader { if !$0.isEvaluatingHere { $0.mark(isCertain: true) } }
    }

    /// The same in a change of this thread, which its own function may have made.
    func mark(isCertain: Bool, _ thread: InPlace<ThreadContext>) -> ExpressionMark {
        if isEvaluatingHere { thread.value.ownMarks += 1 }
        return mark(isCertain: isCertain)
    }

    /// Whether a walk through what a change concerns finds it for the first time.
    func isNew(to walk: UInt) -> Bool {
        if stamp == walk { return false }
        stamp = walk
        return true
    }

    var height: Int { atomicHeight.load(ordering: .relaxed) }

    /// Behind an evaluation that has read other keys. Not inlined: few evaluations do (counts: `derived-deep`).
    @inline(never)
    func setHeight(behind sources: [PathLink]) {
        guard let route = liveRoute else { return }
        let height = sources.reduce(route.keyHeight) { max($0, 1 + $1.height) }
        if height <= atomicHeight.exchange(height, ordering: .relaxed) { return }
        if let slot = route.derivedSlot { ObjectRecord.raiseKeys(behind: root, slot) }
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
        if readsNothing(), ThreadContext.current.value.pending(of: [route.identity!]).isEmpty {
            observation.end(.targetDeinitialized)
        }
    }

    // MARK: - What refreshing looks at

    /// An expression to be checked.
    struct Checked {
        /// Retained.
        let expression: Borrowed<Expression>
        /// Its mark, and how many of its sources have been looked at since it has that. If it is marked again meanwhile, a source may have been.
        var mark = ExpressionMark(.clean)
        var count = 0
    }

    /// The next derived key that was read, and that has to be looked at before its value is known to be unchanged; retained. Under the lock.
    static func nextMarked(of sources: [PathLink], from index: inout Int, isDirty: Bool) -> Borrowed<Expression>? {
        BorrowedElements.of(sources) { sources in
            while index < sources.count {
                let source = sources[index].use { $0.source }
                index += 1
                if let source, source.use({ !$0.isClean && !(isDirty && $0.isEvaluatingHere) }) {
                    return source.retain()
                }
            }
            return nil
        }
    }

    // MARK: - What is kept of a value

    /// Before an evaluation. A function of its own, as its variables would be on the stack of the functions that read each other.
    @inline(never)
    func noteGetter() {
        if let key = function.overridden { usesGetter.store(key.declared.getter?.read != nil, ordering: .relaxed) }
    }

    /// Nil if what was kept is an object that is dead.
    @inline(__always)
    func opened(_ kept: Any?) -> Any? {
        guard function.objects == .itself, let kept, type(of: kept) is AnyClass,
            let reference = kept as? PinnedReference<TrackedObject>
        else { return kept }
        let object = reference.object
        if object == nil { ThreadContext.current.value.dyingReferents &+= 1 }
        return object
    }

    @inline(__always)
    func isUnchanged(_ value: Any, _ kept: Any) -> Bool {
        if function.objects == .itself { return opened(kept).map { areEqual($0, value) } ?? false }
        return areEqual(kept, value)
    }

    func reference(to value: Any) -> Any {
        guard function.objects == .itself, let bare = unwrapped(value), type(of: bare) is AnyClass else { return value }
        let held = contentType(of: value)
        func canHold<Content>(_ type: Content.Type) -> Bool { bare is Content }
        // An optional in a protocol's type is a value of it, which the object alone need not be.
        if isOptional(type(of: value)), isOpen(unwrappedType(held)), !_openExistential(held, do: canHold) {
            return value
        }
        return (bare as? TrackedObject).map { PinnedReference($0) } ?? value
    }
}

extension ObjectRecord {
    /// The expression of a derived key that somebody needs.
    @inline(__always)
    func expression(_ slot: Int) -> Expression? {
        guard layout!.value[slot].isRecorded, let list = list(slot) else { return nil }
        return lock.withLock { list.value.expression?.object }
    }

    // MARK: - The order of derived keys

    /// Greater than those of all derived keys that a key depends on, of whatever object. It only says in which order observers are called. Under
    /// the lock.
    func height(of slot: Int) -> Int {
        if let expression = list(slot)?.value.expression { return expression.use { $0.height } }
        return max(layout!.value[slot].height, guarded.details?.heights[slot] ?? 0)
    }

    /// A link of the path of a derived key was added. That key is higher than what the link is of.
    static func raise(behind link: PathLink) {
        let (record, slot) = (link.route.base, link.route.derivedSlot!)
        if record.raise(slot, to: link.height + 1) { raiseKeys(behind: record, slot) }
    }

    private func raise(_ slot: Int, to height: Int) -> Bool {
        lock.withLock {
            if height <= self.height(of: slot) { return false }
            if let expression = list(slot)?.value.expression?.object { return expression.raise(to: height) }
            guarded.makeDetails().heights[slot] = height
            return true
        }
    }

    private typealias KeyBehind = (record: ObjectRecord, slot: Int)

    /// The keys that depend on a key.
    private func keys(behind slot: Int) -> [KeyBehind] {
        var behind: [KeyBehind] = schema!.keys[slot].directDerived.map { (self, $0) }
        lock.withLock {
            list(slot)?.value.forEachLink { link in
                if let slot = link.route.derivedSlot { behind.append((link.route.base, slot)) }
            }
        }
        return behind
    }

    /// A key has come to depend on a higher one: those that depend on it are higher, too.
    ///
    /// Each comes behind all that it depends on, and is raised once. Where keys depend on each other in a circle, it is left at one of them.
    ///
    /// - Complexity: O(*n*) for *n* keys that depend on it, and the links between them. Not recursive.
    static func raiseKeys(behind record: ObjectRecord, _ slot: Int) {
        defer { Transaction.raisedHeights.wrappingAdd(1, ordering: .releasing) }
        func height(_ key: KeyBehind) -> Int { key.record.lock.withLock { key.record.height(of: key.slot) } }
        func source(_ key: KeyBehind) -> Recorder.Source { .init(record: .to(key.record), slot: key.slot) }
        let (start, first) = (height((record, slot)), record.keys(behind: slot))
        if first.allSatisfy({ height($0) > start }) { return }
        var stack: [(key: KeyBehind, behind: [KeyBehind], next: Int)] = [((record, slot), first, 0)]
        var done: [(key: KeyBehind, behind: [KeyBehind])] = []
        var (seen, places): (Set<Recorder.Source>, [Recorder.Source: Int]) = ([source((record, slot))], [:])
        while let (key, behind, next) = stack.last {
            if next < behind.count {
                stack[stack.count - 1].next += 1
                let one = behind[next]
                if seen.insert(source(one)).inserted { stack.append((one, one.record.keys(behind: one.slot), 0)) }
            } else {
                places[source(key)] = done.count
                done.append((key, behind))
                stack.removeLast()
            }
        }
        for (place, (key, behind)) in done.enumerated().reversed() {
            let least = height(key) + 1
            for other in behind where places[source(other)]! < place { _ = other.record.raise(other.slot, to: least) }
        }
    }
}
