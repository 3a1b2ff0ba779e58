/// Reading a `@Derived` property.
extension TrackedObject {
    /// The value of the derived key whose storage is at an offset, if it is kept; nil if it has to be computed for this read.
    ///
    /// Where this thread records, the key is noted first, and is kept from then on.
    ///
    /// Of a property that a subclass may override, what is kept is the value of the override, whose getter may be what reads this: so it is
    /// computed for each read, as part of what the override reads.
    @usableFromInline final func readDerived(atOffset offset: Int, _ getter: () -> PropertyGetter?) -> Any? {
        if isRecording, let recorder = Recording.current(as: Recorder.self) {
            if let link = recorder.value.noteNext(self, atOffset: offset) {
                if let source = link.use({ $0.source }), let value = source.use(value) { return value }
            } else {
                recorder.value.noteOther(self, atOffset: offset)
            }
        }
        guard let slot = slot(atOffset: offset), let record else { return nil }
        if record.layout!.value[slot].isOverridden, findGetter(of: slot, getter) {
            if !isRecording, let kept = record.expression(slot), !kept.isEvaluatingHere {
                _ = kept.refreshedValue(isRead: true)
            }
            return nil
        }
        return record.expression(slot).flatMap(value)
    }

    /// The value of a derived property through its getter, if a subclass may override that; nil otherwise.
    final func valueOfOverride(atOffset offset: Int) -> Any? {
        // Of a class whose schema has a fault the property is read as it is.
        guard let schema = try? requireSchema() else { return nil }
        let slot = schema.slot(atOffset: offset)
        return slot >= 0 && schema.keys[slot].isOverridden ? valueOfKey(slot, of: schema) : nil
    }

    /// Nil if the object is dying, nothing is kept that is the value of now, or that is the value of an override.
    private final func value(of expression: Expression) -> Any? {
        if isDeinitializing || expression.function.overridden?.isOverridden ?? false { return nil }
        if let value = expression.refreshedValue(isRead: !isRecording) { return value }
        // If this thread computes it, either its function writes, and a handler of what it writes reads the value; or it depends on itself,
        // which `beginComputing` finds. The kept value, if old values of a change are being read; otherwise the function is called for this read.
        let isOld =
            !isRecording && expression.isEvaluatingHere
            && ThreadContext.current.value.openTransactions.last?.object.isReadingOld ?? false
        return isOld ? expression.keptValue : nil
    }

    /// The function of a derived property is about to be called for a read, without anything being kept. From a depth on it is checked
    /// that this is not going on already: a function that needs its own value would not end.
    @usableFromInline final func beginComputing(atOffset offset: Int) {
        let thread = ThreadContext.current
        thread.value.computingDepth += 1
        if thread.value.computingDepth > ThreadContext.uncheckedDepth { checkCircle(offset, thread) }
    }

    @usableFromInline final func endComputing(atOffset offset: Int) {
        let thread = ThreadContext.current
        let isChecked = thread.value.computingDepth > ThreadContext.uncheckedDepth
        if isChecked { thread.value.computing[address(ofDerived: offset)] = nil }
        thread.value.computingDepth -= 1
    }

    @inline(never) private final func checkCircle(_ offset: Int, _ thread: InPlace<ThreadContext>) {
        let former = thread.value.computing.updateValue(
            (self, offset, thread.value.computingDepth), forKey: address(ofDerived: offset))
        guard let former else { return }
        let circle = thread.value.computing.values.filter { $0.depth > former.depth }.inOrder { $0.depth < $1.depth }
        let others = circle.dropLast().map { $0.object.nameOfDerived($0.offset) }
        let through = others.isEmpty ? "" : ", through \(listed(others))"
        fatalMisuse("\(nameOfDerived(offset)) depends on itself\(through): its function reads it.")
    }

    private final func address(ofDerived offset: Int) -> UInt { Borrowed.to(self).bitPattern + UInt(offset) }

    private final func nameOfDerived(_ offset: Int) -> String {
        // Of a class whose schema has a fault the name is not known.
        let schema = try? requireSchema()
        let slot = schema?.slot(atOffset: offset) ?? -1
        return slot < 0 ? "A derived property of \(type(of: self))" : "\(schema!.className).\(schema!.keys[slot].name)"
    }
}
