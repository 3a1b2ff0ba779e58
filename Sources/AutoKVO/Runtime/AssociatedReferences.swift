internal import CDeallocHook

/// Objects that CDeallocHook's table finds by the address of another object and does not own: each removes itself in its deinit.
/// Used under a lock, without which that deinit cannot be completed.
struct AssociatedReferences<Object: AnyObject> {
    /// The table's key: an address of its own, never freed.
    private let key = UnsafeRawPointer(UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))

    /// The object, retained; nil if there is none or its deinit has begun.
    subscript(address: UnsafeRawPointer) -> Object? {
        cdh_associated(address, key, nil).flatMap { Borrowed.at($0).objectIfAlive }
    }

    func insert(_ object: Object, at address: UnsafeRawPointer) {
        let result = cdh_associate(address, key, Borrowed.to(object).address, nil, CDH_LAST)
        requireUsage(result == CDH_OK, "AutoKVO could not get memory for the record of an observed object.")
    }

    /// Removes an object, unless another one has replaced it.
    func remove(_ object: Object, at address: UnsafeRawPointer) {
        if cdh_associated(address, key, nil) == Borrowed.to(object).address { _ = cdh_dissociate(address, key) }
    }
}
