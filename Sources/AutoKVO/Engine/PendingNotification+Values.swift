/// Reading the values that a notification carries, once for all observers.
extension PendingNotification {
    func readOld() {
        if isPrepared || isKnown { return }
        isPrepared = true
        if let edit {
            if let elements = elements(of: edit, edit.removed, isMissing: edit.kind == .insertion) { old.set(elements) }
            ThreadContext.current.value.coalescing?.use { $0.keepOldValue(in: self) }
        } else if isUncertain, let expression {
            // What its observers have been told last. Nothing is evaluated before the store.
            if let value = expression.keptValue { old.set(value) }
        } else if let route {
            if let value = value(of: route) { old.set(value) }
        } else {
            read { body in old.fill(body) }
        }
    }

    /// Reads the new value if an observer needs it, also one that was added since the change began; and completes the event.
    func makeEvent(isPrior: Bool) {
        event.isPrior = isPrior
        dropEditIfNotAlone()
        event.edit = edit.map { .to($0) }
        if isKnown { return }
        if !isPrior, wantsNew {
            if let edit {
                if let elements = elements(of: edit, edit.inserted, isMissing: edit.kind == .removal) {
                    new.set(elements)
                }
            } else if let route {
                if let value = value(of: route) { new.set(value) }
            } else {
                read { body in new.fill(body) }
            }
        }
        event.old = old.pointer
        event.new = new.pointer
        dropIfUnchanged()
    }

    private var wantsNew: Bool {
        isUncertain || needs.contains(.new) || list?.value.interest.load(ordering: .acquiring).contains(.new) ?? false
    }

    /// The value at the end of a path: that of the last component, if the path still leads to it.
    private func value(of route: Borrowed<Route>) -> Any? {
        if let leaf, let value = leaf.use({ $0.readValue() }) { return value }
        return route.use { $0.currentValue() }
    }

    @inline(__always)
    private func read(_ fill: ((UnsafeMutablePointer<Any>) -> Void) -> Void) {
        record!.use { record in
            if !ownsSubject { return fill { record.readValue(slot, into: $0) } }
            guard let object = record.trackedObject else { return }
            fill { record.readValue(slot, into: $0) }
            withExtendedLifetime(object) {}
        }
    }

    /// The elements that an edit of a collection removes or inserts: the given ones, or else those of the collection as it is now.
    @inline(never)
    private func elements(of edit: CollectionChange, _ given: Any?, isMissing: Bool) -> Any? {
        if let given { return given }
        if isMissing { return nil }
        let whole = readWhole()
        guard let whole, let indexes = edit.indexes else { return whole }
        return pickElements(indexes, of: whole)
    }

    /// The whole value of the subject; nil if the object is dying.
    func readWhole() -> Any? {
        if let route { return value(of: route) }
        return record!.use { $0.readValue(slot) }
    }
}
