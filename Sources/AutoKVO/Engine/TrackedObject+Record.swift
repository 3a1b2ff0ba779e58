extension TrackedObject {
    /// The object's record, if it has one.
    var record: ObjectRecord? { unmanagedRecord?.object }

    /// The schema of the object's class, if the object has a record.
    @inline(__always)
    var knownSchema: Borrowed<ClassSchema>? { unmanagedRecord?.use { $0.unmanagedSchema } }

    /// The slot of the property whose storage is at an offset; nil if the object has no such property, or no record.
    @usableFromInline final func slot(atOffset offset: Int) -> Int? {
        guard let layout = unmanagedRecord?.use({ $0.layout }) else { return nil }
        let slot = layout.value.slot(atOffset: offset)
        return slot < 0 ? nil : slot
    }

    /// Finds out whether the class overrides a property that no schema names, and keeps the getter of one that it does.
    ///
    /// - Returns: Whether it may.
    @discardableResult func findGetter(of slot: Int, _ getter: () -> PropertyGetter?) -> Bool {
        guard let record, let schema = record.schema else { return false }
        let key = schema.keys[slot]
        key.findGetter(in: schema.type, getter)
        // What was computed without the override has to be computed with it.
        if key.isOverridden, key.declared.getter?.read != nil, let expression = record.expression(slot),
            !expression.usesGetter.load(ordering: .relaxed)
        {
            expression.mark(isCertain: true)
        }
        return key.isOverridden
    }

    /// The object's record, if it has one. The object may be dying: nothing can be added to its record then.
    @inline(__always)
    var unmanagedRecord: Borrowed<ObjectRecord>? { Borrowed(bitPattern: stateWord.load(ordering: .acquiring) & ~1) }

    /// The object's record, made if there is none; nil if the object's deinit has begun.
    func makeRecord() throws(KeyValueError) -> ObjectRecord? { try makeUnmanagedRecord()?.object }

    /// The same, unretained: the record lives until the object's teardown is over.
    @inline(__always)
    func makeUnmanagedRecord() throws(KeyValueError) -> Borrowed<ObjectRecord>? {
        if isDeinitializing { return nil }
        if let unmanagedRecord { return unmanagedRecord }
        return try makeFirstRecord()
    }

    @inline(never)
    private func makeFirstRecord() throws(KeyValueError) -> Borrowed<ObjectRecord> {
        RuntimeCheck.run()
        // The object owns it, until `endOfLife`.
        let record = Borrowed.retaining(ObjectRecord.of(self, schema: try ClassSchema.of(type(of: self))))
        let (stored, other) = stateWord.compareExchange(
            expected: 0, desired: record.bitPattern, ordering: .acquiringAndReleasing)
        if stored { return record }
        // Another thread has stored a record first.
        record.release()
        return Borrowed(bitPattern: other & ~1)!
    }

    /// The schema of the object's class.
    func requireSchema() throws(KeyValueError) -> ClassSchema {
        if let knownSchema { return knownSchema.object }
        return try ClassSchema.of(type(of: self))
    }
}
