internal import CSwiftRuntime

/// An object whose memory stays allocated until `unpin`, though the object may die: its address is not reused, and any thread
/// may ask at any time whether it is alive. See `ObjectRecord` for why this is not a weak reference.
struct PinnedObject {
    let address: UnsafeRawPointer

    init(_ object: AnyObject) {
        address = Borrowed.to(object).rawAddress
        csr_pin(address)
    }

    /// Ends it. Called once, after which nothing of it is used.
    func unpin() { csr_unpin(address) }

    /// The object, retained, or nil if its deinit has begun.
    @inline(__always)
    func object<Object: AnyObject>(as type: Object.Type) -> Object? { Borrowed<Object>.at(address).objectIfAlive }

    /// Whether the object's deinit has begun or is over. It retains nothing, so it may be called under a lock, and the caller's
    /// release is never the one that frees the object.
    var isDeinitializing: Bool { csr_is_deinitializing(address) }

    /// The object's class, also after its deinit.
    var objectClass: AnyClass { ObjectClass.ofObject(at: address) }
}

extension Borrowed {
    /// The object, retained, or nil if its deinit has begun. Its memory is pinned.
    @inline(__always)
    var objectIfAlive: Object? { csr_try_retain(rawAddress) ? take() : nil }

    /// Whether the object's deinit has begun.
    var isDeinitializing: Bool { csr_is_deinitializing(rawAddress) }

    /// The object at an address if it is of this class or a subclass. A cast in Swift retains the object.
    @inline(__always)
    static func ofKind(at address: UnsafeRawPointer) -> Borrowed? {
        csr_is_kind_of(address, unsafeBitCast(Object.self as AnyClass, to: UnsafeRawPointer.self)) ? .at(address) : nil
    }

    /// The reference that an integer was made of; nil for zero.
    @inline(__always)
    init?(bitPattern: UInt) {
        guard let address = UnsafeRawPointer(bitPattern: bitPattern) else { return nil }
        self = .at(address)
    }

    /// The reference as an integer, for a word that atomic operations change.
    @inline(__always)
    var bitPattern: UInt { UInt(bitPattern: address) }
}
