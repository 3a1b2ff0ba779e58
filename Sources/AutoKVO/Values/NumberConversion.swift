/// A number as one of another type; nil if it is no number or does not fit.
func convertNumber(_ value: Any, to type: Any.Type) -> Any? {
    if let integer = type as? any BinaryInteger.Type { return wholeNumber(value, as: integer) }
    if let floating = type as? any BinaryFloatingPoint.Type { return floatingNumber(value, as: floating) }
    return nil
}

/// The type without its layers of `Optional`; for a raw-representable type that of its raw values.
func storedType(_ type: Any.Type) -> Any.Type {
    let type = unwrappedType(type)
    return (type as? any RawRepresentable.Type).map { rawValueType(of: $0) } ?? type
}

/// Whether the type is one of numbers, or of optional numbers.
func isNumberType(_ type: Any.Type) -> Bool {
    let type = unwrappedType(type)
    return type is any BinaryInteger.Type || type is any BinaryFloatingPoint.Type
}

func rawValueType<R: RawRepresentable>(of type: R.Type) -> Any.Type { R.RawValue.self }

/// An integer that equals a number; nil if there is none of the type.
func wholeNumber<To: BinaryInteger>(_ value: Any, as type: To.Type) -> To? {
    if let value = value as? any BinaryInteger { return To(exactly: value) }
    return (value as? any BinaryFloatingPoint).flatMap { To(exactly: $0) }
}

private func floatingNumber<To: BinaryFloatingPoint>(_ value: Any, as type: To.Type) -> To? {
    // Not `To(exactly:)`, which ends the program for Foundation's CGFloat (6.3.1).
    func exactly<From: BinaryInteger>(_ value: From) -> To? {
        let number = To(value)
        return From(exactly: number) == value ? number : nil
    }
    if let value = value as? any BinaryInteger { return exactly(value) }
    guard let value = value as? any BinaryFloatingPoint else { return nil }
    let rounded = To(value)
    return rounded.isInfinite && value.isFinite ? nil : rounded
}
