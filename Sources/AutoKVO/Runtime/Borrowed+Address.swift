internal import CSwiftRuntime

/// References made of addresses. Whoever makes one knows that the object's memory is still allocated.
extension Borrowed {
    /// The reference that an integer was made of; nil for zero.
    @inline(__always)
    init?(bitPattern: UInt) {
        guard let address = UnsafeRawPointer(bitPattern: bitPattern) else { return nil }
        self = .at(address)
    }

    /// The reference as an integer, for a word that atomic operations change.
    @inline(__always)
    var bitPattern: UInt { UInt(bitPattern: address) }

    /// Whether the object's deinit has begun.
    var isDeinitializing: Bool { csr_is_deinitializing(rawAddress) }

    /// The object at an address if it is of this class or a subclass. A cast in Swift retains the object.
    @inline(__always)
    static func ofKind(at address: UnsafeRawPointer) -> Borrowed? {
        csr_is_kind_of(address, unsafeBitCast(Object.self as AnyClass, to: UnsafeRawPointer.self)) ? .at(address) : nil
    }
}
