/// A change in place of a property of an object that is observed: begun before the caller changes the value, finished after.
@usableFromInline struct InPlaceEdit<Value> {
    /// Nil if nobody has to be notified.
    @usableFromInline let write: ObservedWrite?
    /// The value from before, if an observer asks for it: the edit then has to copy a collection.
    @usableFromInline let old: Value?
    @usableFromInline let storage: PropertyStorage<Value>

    @export(implementation) init(_ write: ObservedWrite?, _ storage: PropertyStorage<Value>) {
        self.write = write
        old = write?.needsOld == true ? storage.value : nil
        self.storage = storage
    }

    // Not an initializer, which would own a reference to the object.
    @export(implementation) static func begin(
        _ object: TrackedObject, _ storage: PropertyStorage<Value>, getter: () -> PropertyGetter?
    ) -> InPlaceEdit {
        InPlaceEdit(object.beginEdit(atOffset: storage.offset(in: object), getter: getter), storage)
    }

    @export(implementation) func finish(_ object: TrackedObject) {
        guard let write else { return }
        // Handlers may change the property again, so they get a copy: one that costs nothing unless it is asked for.
        ValuePointers.with(old: old, new: write.needsNew ? storage.value : nil) { object.endEdit(write, $0) }
    }
}
