/// A pointer to a value of a type that is known at run time only. Whoever uses one knows who keeps the value in memory.
@usableFromInline struct ValuePointer {
    @usableFromInline let type: Any.Type
    @usableFromInline let address: UnsafeRawPointer

    @export(implementation) @inline(__always)
    init?(_ type: Any.Type, _ address: UnsafeRawPointer?) {
        guard let address else { return nil }
        (self.type, self.address) = (type, address)
    }

    /// The value, if it is of this type or the type is `Any`.
    @export(implementation) @inline(__always)
    func load<Value>(as value: Value.Type) -> Value? {
        if type == value { return address.assumingMemoryBound(to: Value.self).pointee }
        return value == Any.self ? unsafeBitCast(box() as Any, to: Value.self) : nil
    }

    @usableFromInline func box() -> Any {
        // The general way looks the type's functions up at run time, which takes 60 ns.
        if type == Any.self { return address.assumingMemoryBound(to: Any.self).pointee }
        if type == Int.self { return address.assumingMemoryBound(to: Int.self).pointee }
        if type == String.self { return address.assumingMemoryBound(to: String.self).pointee }
        if type == Double.self { return address.assumingMemoryBound(to: Double.self).pointee }
        if type == Bool.self { return address.assumingMemoryBound(to: Bool.self).pointee }
        func load<T>(_: T.Type) -> Any { address.assumingMemoryBound(to: T.self).pointee }
        return _openExistential(type, do: load)
    }
}
