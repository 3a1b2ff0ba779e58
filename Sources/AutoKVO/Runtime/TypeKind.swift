@_spi(Reflection) import Swift

/// The address of what the runtime knows of a type.
func metadata(of type: Any.Type) -> UnsafeRawPointer { unsafeBitCast(type, to: UnsafeRawPointer.self) }

/// The kind of a type. **Assumption** `typeKind`: it is the first word of every type's metadata. The standard library reads it the same way.
private func kind(of type: Any.Type) -> UInt { metadata(of: type).load(as: UInt.self) }

/// Whether the type is `Any`, `any P` or `AnyObject`, or a metatype of such a type.
func isExistential(_ type: Any.Type) -> Bool {
    let kind = _MetadataKind(rawValue: kind(of: type))
    return kind == .existential || kind == .existentialMetatype
}

/// Whether the type is one such as `any Collection<Int>`, whose kind has no name in the standard library (6.3.1).
func isConstrainedExistential(_ type: Any.Type) -> Bool { kind(of: type) == 0x307 }

/// Whether the type is an optional one. A cast to a protocol finds out too, but takes microseconds at a type's first one.
func isOptional(_ type: Any.Type) -> Bool { kind(of: type) == _MetadataKind.optional.rawValue }

/// Whether the type is that of a function.
func isFunction(_ type: Any.Type) -> Bool { kind(of: type) == _MetadataKind.function.rawValue }

/// Whether the type is one of tuples.
func isTuple(_ type: Any.Type) -> Bool { kind(of: type) == _MetadataKind.tuple.rawValue }

func probeTypeKinds() -> Bool {
    let existential: [Any.Type] = [
        Any.self, AnyObject.self, (any CustomStringConvertible).self, (any Hashable.Type).self,
    ]
    let concrete: [Any.Type] = [Int.self, String?.self, [Any].self, RuntimeProbe.self, (Int, Any).self]
    return existential.allSatisfy { isExistential($0) && !isConstrainedExistential($0) }
        && !concrete.contains { isExistential($0) || isConstrainedExistential($0) }
        && isConstrainedExistential((any Collection<Int>).self) && isFunction((() -> Void).self)
        && !concrete.contains { isFunction($0) } && concrete.filter(isTuple).count == 1
        && isTuple((key: Int, value: Any).self) && isOptional(String?.self) && isOptional(RuntimeProbe??.self)
        && !concrete.contains { isOptional($0) && $0 != String?.self }
}

/// The bytes that a value of a type takes.
func typeSize<Value>(_ type: Value.Type) -> Int { MemoryLayout<Value>.size }
