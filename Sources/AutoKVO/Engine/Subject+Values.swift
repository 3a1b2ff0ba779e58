/// The values of a subject, read once for all observers.
extension Subject {
    func readOld() {
        if isPrepared || isKnown { return }
        isPrepared = true
        if let edit {
            if isCoalesced { wholeOld = readWhole() }
            if let elements = elements(of: edit, edit.removed, isMissing: edit.kind == .insertion) { old.set(elements) }
        } else if isUncertain, let expression {
            // What its observers have been told last. Nothing is evaluated before the store.
            if let value = expression.keptValue { old.set(value) }
            formerChanges = expression.changes.all
        } else {
            if let head { formerChanges = head.changes.all }
            // Where an object that it refers to weakly is dying, what has been told cannot be read any more: there is no old value, as of
            // the death itself.
            let before = ThreadContext.current.value.dyingReferents
            if let whole = readWhole(), ThreadContext.current.value.dyingReferents == before { old.set(whole) }
        }
    }

    /// Observers have been told a value while the change goes on: its old value.
    ///
    /// - Returns: What is to be released.
    func replaceOld(_ value: Any?, _ changes: Int) -> Any? {
        (formerChanges, isOldTold) = (changes, true)
        if edit != nil {
            defer { (isWhole, wholeOld) = (true, value) }
            return wholeOld
        }
        // A path that has been moved away has not the value that a write stores.
        if route != nil { includeFurtherWrite() }
        guard old.isFilled || isUncertain else { return nil }
        defer { if let value { old.set(value) } }
        return old.isFilled ? old.take() : nil
    }

    /// The property has changed already: only a kept value can be the old one, also when a further change becomes part of this one. What leads
    /// on from a derived value is as it was until that is marked.
    ///
    /// - Parameter isMarked: Whether it is marked already.
    func missOld(isMarked: Bool = false) {
        // Where the store is user code, what it reads is marked before it: what leads on would be computed, and lead to the new value.
        let isMarked = isMarked || head.map { !$0.isClean } ?? false
        // Where this thread records, a computed key is what is kept of it, and not what its getter makes of what is gone.
        if isUncertain, !isMarked || expression != nil { _ = Recorder.keys(readBy: readOld) }
        isPrepared = true
        // An edit that waits for the end of a coalescingChanges is not all that happens to a path that leads elsewhere now.
        if edit != nil { includeFurtherChange() }
    }

    /// Another change of the subject is about to be made, as part of this one. Reading is user code.
    func includeFurtherChange() {
        initialWalk = .max
        // Made before the store, in a getter for another old value: nothing is yet where the write will put the old one.
        if isKnown {
            (isKnown, event.type) = (false, Any.self)
            if needs.contains(.old) { readOld() }
        }
        if edit != nil { becomeWhole(behindEdit: false) }
    }

    /// The same behind the store of a write, by a function that is computed for a path which follows it: the addresses of the write's values
    /// will not hold those of the change.
    func includeFurtherWrite() {
        guard isKnown else { return }
        if let value = event.oldValue?.box() { old.set(value) }
        (isKnown, isPrepared, event.type) = (false, true, Any.self)
    }

    /// Before the store of an edit that may turn out not to be one of what the property reads: keeps the old value. User code.
    func keepOldCollection() {
        if edit != nil, !isWhole, wholeOld == nil, needs.contains(.old) { wholeOld = readWhole() }
    }

    /// The edit was not one of what the property reads: observers get a `.setting`.
    func reportAsSetting() { if edit != nil { isWhole = true } }

    /// Another change of an edited property is about to be made: behind the store of the edit, where the collection is what that has made of
    /// it, or before.
    func becomeWhole(behindEdit isStored: Bool) {
        guard let edit, !isWhole else { return }
        isWhole = true
        guard needs.contains(.old), wholeOld == nil, let whole = readWhole() else { return }
        wholeOld = isStored ? edit.undone(in: whole, old.value) : whole
    }

    /// Reads the new value if an observer needs it, also one that was added since the change began; and completes the event.
    func makeEvent(isPrior: Bool) {
        event.isPrior = isPrior
        dropEditIfNotAlone()
        if !isPrior {
            // A path that is being moved away has not the value that a write has stored.
            if isKnown, openSubjects > 0, route != nil, isOpenElsewhere(ThreadContext.current) { includeFurtherWrite() }
            readNew()
        }
        event.edit = edit.flatMap { $0.indexes == nil ? nil : .to($0) }
        if isKnown || isDropped { return }
        event.old = old.pointer
        event.new = new.pointer
        // `==` is user code.
        guard isUncertain else { return }
        let isUnchanged = event.isUnchanged || isOwn && hasSameElements
        isDropped = isUnchanged && !isLinkSet && !wasReadInBetween
        event.excluded = isUnchanged ? [.old, .new, .distinct] : []
    }

    /// Whether the property itself, in which an equal collection was stored, has the same elements: compared as the edit compared them.
    private var hasSameElements: Bool {
        func elements(_ value: ValuePointer?) -> [Any]? {
            (value?.box()).flatMap(unwrapped).flatMap { $0 as? any KeyValueCollection }?.elements
        }
        guard let old = elements(event.oldValue), let new = elements(event.newValue) else { return false }
        return old.map(ElementIdentity.init) == new.map(ElementIdentity.init)
    }

    /// The values have turned out to be others than those of the event.
    func makeEventAgain() {
        isDropped = false
        if !isKnown { (event.old, event.new) = (nil, nil) }
        if new.isFilled { extendLifetime(new.take()) }
        makeEvent(isPrior: false)
    }

    /// Reads the new value, or the elements that an edit has inserted, unless nobody is to be called.
    private func readNew() {
        if isKnown || isDropped { return }
        // Its function writes what it reads, in its first evaluation: there is no value yet that anybody could have been told. Or nobody needs it
        // any more, so its function is not called. Or nothing has changed since it was told.
        isDropped =
            initialWalk == walk
            || isUncertain
                && expression.map { $0.liveRoute == nil || $0.isEvaluatingHere && $0.changes.all == 0 } ?? isComputed
        if isDropped || !wantsNew { return }
        if let edit {
            if let elements = elements(of: edit, edit.inserted, isMissing: edit.kind == .removal) { new.set(elements) }
        } else if let whole = readWhole() {
            new.set(whole)
        }
    }

    /// Before the calls: of several changes one of which is an edit, observers get a `.setting` with whole values.
    private func dropEditIfNotAlone() {
        guard isWhole, let edit = edit.take() else { return }
        event.kind = .setting
        let elements = old.isFilled ? old.take() : nil
        if let whole = wholeOld.take() { old.set(whole) }
        extendLifetime((edit, elements))
    }

    var wantsNew: Bool {
        isUncertain || needs.contains(.new) || list?.value.interest.load(ordering: .acquiring).contains(.new) ?? false
    }

    /// The elements that an edit of a collection removes or inserts: the given ones, or else those of the collection as it is now.
    @inline(never)
    private func elements(of edit: CollectionChange, _ given: Any?, isMissing: Bool) -> Any? {
        if given != nil || isMissing { return given }
        let whole = readWhole()
        guard let whole, let indexes = edit.indexes else { return whole }
        return pickElements(indexes, of: whole)
    }

    /// The whole value of the subject; nil if the object is dying. That of a path is the value of its last component, if it still leads
    /// there.
    func readWhole() -> Any? {
        guard let route else { return record!.use { $0.readValue(slot) } }
        if let leaf, let value = leaf.use({ $0.readValue() }) { return value }
        return route.use { $0.currentValue() }
    }
}
