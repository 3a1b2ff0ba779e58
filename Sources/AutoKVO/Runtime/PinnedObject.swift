internal import CSwiftRuntime

/// An object of which the memory is kept, not the object: its address is not reused until `unpin()`, and any thread may check
/// whether it is alive. A copy is the same pin, so exactly one of the copies is unpinned.
///
/// A pin is an unowned reference of the runtime. `weak` is not used: the first weak reference to an object moves its
/// reference counts to a side table, which makes every later retain and release of it slow.
///
/// **Assumption**: `pinnedMemory`.
struct PinnedObject: Hashable, @unchecked Sendable {
    // A constant address; whoever uses the memory behind it says how.
    let address: UnsafeRawPointer

    @inline(__always)
    init(_ object: AnyObject) {
        address = Borrowed.to(object).rawAddress
        csr_pin(address)
    }

    func unpin() { csr_unpin(address) }

    /// Whether the object's deinit has begun or is over. Nothing is retained, so it may be asked under a lock.
    @inline(__always)
    var isDeinitializing: Bool { csr_is_deinitializing(address) }

    var identifier: ObjectIdentifier { Borrowed<AnyObject>.at(address).use { ObjectIdentifier($0) } }

    /// Its class, also after its deinit: the runtime itself asks a pinned object for that, to free the memory.
    var objectClass: AnyClass { Borrowed<AnyObject>.at(address).use { type(of: $0) } }

    /// The object, retained, or nil if its deinit has begun.
    @inline(__always)
    func object<Object: AnyObject>(as type: Object.Type) -> Object? {
        csr_try_retain(address) ? Borrowed.at(address).take() : nil
    }

    // Not optimized: the probe is about the moment at which an object dies.
    @_optimize(none) static func probe() -> Bool {
        let object = Borrowed.retaining(RuntimeProbe.make())
        let pin = PinnedObject(object.object)
        defer { pin.unpin() }
        let isSeenAlive = !pin.isDeinitializing && pin.object(as: RuntimeProbe.self) === object.object
        object.release()
        return isSeenAlive && pin.objectClass == RuntimeProbe.self && pin.isDeinitializing
            && pin.object(as: RuntimeProbe.self) == nil
    }
}
