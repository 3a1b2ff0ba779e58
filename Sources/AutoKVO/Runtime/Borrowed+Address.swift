internal import CSwiftRuntime

/// References made of addresses. Whoever makes one knows that the object's memory is still allocated.
extension Borrowed {
    /// A reference to an object, if there is one. An optional that is bound to a name would be retained and released.
    @inline(__always)
    static func toOptional(_ object: Object?) -> Borrowed? {
        unsafeBitCast(object, to: UnsafeRawPointer?.self).map { .at($0) }
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

    /// The address of the first stored property of the object's root class.
    ///
    /// **Assumption** `storageAddress`: before it the object has two words of its own.
    var firstProperty: UnsafeMutableRawPointer { address + 2 * MemoryLayout<UInt>.size }

    init(firstProperty: UnsafeMutableRawPointer) { self = .at(firstProperty - 2 * MemoryLayout<UInt>.size) }

    /// Whether the object's deinit has begun.
    var isDeinitializing: Bool { csr_is_deinitializing(rawAddress) }

    /// Whether this is the only reference to the object that is counted.
    @inline(__always)
    var isUnique: Bool { csr_is_unique(rawAddress) }

    /// The object, or nil if its deinit has begun.
    var objectIfAlive: Object? { csr_try_retain(rawAddress) ? take() : nil }
}
