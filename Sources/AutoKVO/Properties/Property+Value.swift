extension Property {
    /// The value now. Setting it is the same as setting the property: observers get a `.setting`.
    ///
    /// Changing it in place, as in `person.$scores.value.reserveCapacity(100)`, does not copy a collection unless an
    /// observer asked for `.old` or `.distinct`, and is a `.setting` too; the handle's own edits report what moved. Handles of sets have a
    /// `value` of their own: setting it reports the elements that were removed and inserted.
    ///
    /// - Complexity: O(1) and the observers' calls.
    public var value: Value {
        // Inlined: what it reads is then not retained, as no call on the way may release it.
        @export(implementation) @inline(__always) get {
            if let indirect { return indirect.read(storage, object) }
            if isRecording { object.noteRead(atOffset: storage.offset(in: object)) }
            return storage.checkedValue
        }
        @inlinable nonmutating set { write(newValue) }
        @export(implementation) nonmutating _modify {
            if indirect != nil {
                var copy = value
                // Deferred: if the caller's edit throws, code after the yield does not run.
                defer { value = copy }
                yield &copy
            } else {
                let edit = object.isObserved ? InPlaceEdit.begin(object, storage) { nil } : nil
                // On the heap, because it has to stay at one address while the change is under way.
                let access = InPlace.allocate(ExclusiveAccess())
                access.value.begin(to: storage.pointer)
                defer {
                    access.value.end()
                    access.deallocate()
                    edit?.finish(object)
                }
                yield &storage.value
            }
        }
    }

    /// Inlined into the setter of a binding: see `Binding.copyValue`.
    @inlinable @inline(__always) func write(_ newValue: Value) {
        if let indirect { return indirect.write(newValue, storage, object) }
        if object.isObserved {
            // Nothing else has begun an access for it.
            ExclusiveAccess.checkModify(of: storage.pointer)
            if Observed.write(newValue, to: object, at: storage) { return }
        }
        // The old value is released behind the access.
        var value = newValue
        if !object.isObserved { return storage.swap(&value) }
        object.announcingWrite(atOffset: storage.offset(in: object), getter: { nil }) { storage.swap(&value) }
    }
}
