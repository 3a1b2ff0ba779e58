import Synchronization

/// Finds a number, or any few bytes that need no care, in the memory of an `Any`.
///
/// **Assumption** `anyReference`: an `Any` keeps such a value in its first three words, and its type behind them. Where that does not
/// hold, nothing is found.
@usableFromInline enum NumberInAny {
    /// A pointer to the value, if it is of this type and is found.
    @inlinable @inline(__always)
    static func pointer<Value>(to type: Value.Type, in any: UnsafeRawPointer) -> UnsafePointer<Value>? {
        let buffer = 3 * MemoryLayout<UInt>.size
        guard _isPOD(type), MemoryLayout<Value>.size <= buffer,
            MemoryLayout<Value>.alignment <= MemoryLayout<UInt>.size,
            any.load(fromByteOffset: buffer, as: UInt.self) == UInt(bitPattern: ObjectIdentifier(type)), isKnown
        else { return nil }
        return any.assumingMemoryBound(to: type)
    }

    /// Whether two values are equal, or both no number; nil if they are not both of this type and found.
    @inline(__always)
    static func areEqual<Number: Equatable & BitwiseCopyable>(_ a: Any, _ b: Any, as type: Number.Type) -> Bool? {
        withUnsafePointer(to: a) { (a: UnsafePointer<Any>) in
            withUnsafePointer(to: b) { (b: UnsafePointer<Any>) in
                guard let a = pointer(to: type, in: a), let b = pointer(to: type, in: b) else { return nil }
                return a.pointee == b.pointee || a.pointee != a.pointee && b.pointee != b.pointee
            }
        }
    }

    @inlinable @inline(__always)
    static var isKnown: Bool { holds.load(ordering: .relaxed) || ask() }

    /// That the assumption holds, once it has been asked for. A constant would be made by a call at each use.
    @usableFromInline static let holds = Atomic(false)

    @usableFromInline @inline(never)
    static func ask() -> Bool {
        holds.store(RuntimeCheck.holds(.anyReference), ordering: .relaxed)
        return holds.load(ordering: .relaxed)
    }
}
