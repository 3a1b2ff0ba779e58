extension Property {
    /// The value now. Setting it is the same as setting the property: observers get a `.setting`.
    ///
    /// Changing it in place, as in `person.$scores.value.reserveCapacity(100)`, does not copy a collection unless an
    /// observer asked for `.old`, and is a `.setting` too; the handle's own edits report what moved. Handles of sets have a
    /// `value` of their own: setting it reports the elements that were removed and inserted.
    ///
    /// - Complexity: O(1) and the observers' calls.
    public var value: Value {
        @inlinable
        get {
            if let indirect { return indirect.read(storageAddress) }
            ExclusiveAccess.checkRead(of: storageAddress)
            return storage.pointee
        }
        @inlinable
        nonmutating set { write(newValue) }
        @inlinable
        nonmutating _modify {
            let edit = PropertyEdit(of: self)
            // Deferred: if the caller's edit throws, code after the yield does not run.
            defer { edit.finish(self) }
            yield &edit.value.pointee
        }
    }

    /// The address of the value, unless the storage is indirect.
    @usableFromInline
    var storage: UnsafeMutablePointer<Value> {
        @inlinable @inline(__always)
        get { storageAddress.assumingMemoryBound(to: Value.self) }
    }

    @usableFromInline
    func write(_ newValue: Value) {
        if let indirect { return indirect.write(newValue, object, storageAddress) }
        // Receives the old value, which is released after the observers' calls.
        var value = newValue
        let isDone =
            object.isObserved
            && withUnsafeMutablePointer(to: &value) { old in
                withUnsafePointer(to: newValue) { new in
                    object.write(to: storageAddress, Value.self, old: old, new: new) {
                        exclusively { swap(&$0, &old.pointee) }
                    }
                }
            }
        if !isDone { exclusively { swap(&$0, &value) } }
        withExtendedLifetime(value) {}
    }

    /// Changes the value in place without notifying. As for the property itself, an access to it from inside the closure,
    /// or from the `deinit` of an element that goes, is a violation of exclusive access, which traps.
    @inlinable @inline(__always)
    func exclusively<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result
    {
        var access = ExclusiveAccess()
        access.begin(to: storageAddress)
        defer { access.end() }
        return try body(&storage.pointee)
    }
}
