internal import CSwiftRuntime

extension TrackedObject {
    /// The object's record, if it has one.
    var record: ObjectRecord? { unmanagedRecord?.object }

    /// The schema of the object's class, if the object has a record that knows it.
    @inline(__always)
    var knownSchema: Borrowed<ClassSchema>? { unmanagedRecord?.use { $0.unmanagedSchema } }

    /// The object's record, if it has one. It may be that of a dying object, which nothing can be attached to any more.
    @inline(__always)
    var unmanagedRecord: Borrowed<ObjectRecord>? {
        UnsafeRawPointer(bitPattern: stateWord.load(ordering: .acquiring) & ~1).map { .at($0) }
    }

    /// The same for any object; nil for one that is not tracked.
    @inline(__always)
    static func unmanagedRecord(ofObjectAt address: UnsafeRawPointer) -> Borrowed<ObjectRecord>? {
        guard csr_is_kind_of(address, unsafeBitCast(TrackedObject.self as AnyClass, to: UnsafeRawPointer.self)) else {
            return nil
        }
        return Borrowed<TrackedObject>.at(address).use { $0.unmanagedRecord }
    }

    /// The object's record, made if there is none; nil if the object's deinit has begun.
    func makeRecord() throws(KeyValueError) -> ObjectRecord? {
        try makeUnmanagedRecord()?.object
    }

    /// The same without a reference of its own: the record stays as long as the object is not torn down.
    @inline(__always)
    func makeUnmanagedRecord() throws(KeyValueError) -> Borrowed<ObjectRecord>? {
        if isDeinitializing { return nil }
        if let unmanagedRecord { return unmanagedRecord }
        return try makeFirstRecord()
    }

    @inline(never)
    private func makeFirstRecord() throws(KeyValueError) -> Borrowed<ObjectRecord> {
        let record = ObjectRecord(of: self, schema: try ClassSchema.of(type(of: self)))
        let mine = Borrowed.to(record)
        let (stored, other) = stateWord.compareExchange(
            expected: 0, desired: UInt(bitPattern: mine.address), ordering: .acquiringAndReleasing)
        if stored {
            // The object owns it, until `endOfLife`.
            return .retaining(record)
        }
        // Another thread was first; ours goes unused.
        return .at(UnsafeRawPointer(bitPattern: other & ~1)!)
    }
}

extension ObjectRecord {
    /// Sets or clears the bit that makes writes look further. Under the lock.
    @inline(__always)
    func interestDidChange(by change: Int32) {
        let before = interest
        interest += change
        guard (before == 0) != (interest == 0), !isDying else { return }
        let object = UnsafeRawPointer(address).assumingMemoryBound(to: UInt8.self)
        Borrowed<TrackedObject>.at(object).use {
            let mine = UInt(bitPattern: Borrowed.to(self).address)
            $0.stateWord.store(interest == 0 ? mine : mine | 1, ordering: .releasing)
        }
    }
}
