/// Reading a `@Derived` property.
extension TrackedObject {
    /// The value of the derived key whose storage is at an offset, if it is kept; nil if it has to be computed for this read.
    ///
    /// Where this thread records, the key is noted first, and is kept from then on.
    @usableFromInline
    final func readDerived(atOffset offset: Int) -> Any? {
        if isRecording, let recorder = Recording.current(as: Recorder.self) {
            if let link = recorder.value.noteNext(self, atOffset: offset) {
                if let source = link.use({ $0.source }) { return source.use(value) }
            } else {
                recorder.value.noteOther(self, atOffset: offset)
            }
        }
        guard let slot = slot(atOffset: offset), let expression = record?.expression(slot) else { return nil }
        return value(of: expression)
    }

    private final func value(of expression: Expression) -> Any? {
        requireUsage(
            !expression.isEvaluatingHere,
            "\(expression.label) depends on itself: its function reads it, directly or through other derived values."
        )
        return expression.value()
    }

    /// The function of a derived property is about to be called for a read, without anything being kept. From a depth on it is checked
    /// that this is not going on already: a function that needs its own value would not end.
    @usableFromInline
    final func beginComputing(atOffset offset: Int) {
        let thread = ThreadContext.current
        thread.value.computingDepth += 1
        if thread.value.computingDepth > ThreadContext.uncheckedDepth { checkCircle(offset, thread) }
    }

    @usableFromInline
    final func endComputing(atOffset offset: Int) {
        let thread = ThreadContext.current
        if thread.value.computingDepth > ThreadContext.uncheckedDepth {
            thread.value.computing.remove(ComputedProperty(object: ObjectIdentifier(self), offset: offset))
        }
        thread.value.computingDepth -= 1
    }

    @inline(never)
    private final func checkCircle(_ offset: Int, _ thread: InPlace<ThreadContext>) {
        let property = ComputedProperty(object: ObjectIdentifier(self), offset: offset)
        if thread.value.computing.insert(property).inserted { return }
        var name = "a derived property"
        do throws(KeyValueError) {
            let schema = try ClassSchema.of(type(of: self))
            let slot = schema.slot(atOffset: offset)
            if slot >= 0 { name = "\(schema.className).\(schema.keys[slot].name)" }
        } catch {
            name += " (\(error))"
        }
        fatalMisuse("\(name) depends on itself: its function reads it, directly or through other derived values.")
    }
}

struct ComputedProperty: Hashable {
    let object: ObjectIdentifier
    let offset: Int
}
