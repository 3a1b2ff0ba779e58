/// The value as what a key of a type can be set to: the result of `convert`, or else a number of another type.
///
/// A number becomes one of any standard type that can hold it: an integer exactly, `3.0` as `3`, a floating-point
/// number rounded to the nearest as a literal would be. What does not fit (`300` for an `Int8`, `3.5` for an `Int`) is
/// refused, as are numbers for `Bool`, `Bool` for numbers, and strings for numbers.
func convertForCoding<To>(_ value: Any, to type: To.Type) -> To? {
    if let converted = convert(value, to: type) { return converted }
    guard let bare = unwrapped(value) else { return nil }
    var target = unwrappedType(type)
    if let raw = target as? any RawRepresentable.Type { target = rawValueType(of: raw) }
    let number: Any? =
        switch target {
        case let integer as any BinaryInteger.Type: wholeNumber(bare, as: integer)
        case let floating as any BinaryFloatingPoint.Type: floatingNumber(bare, as: floating)
        default: nil
        }
    return number.flatMap { convert($0, to: type) }
}

/// Whether the type is one of numbers, or of optional numbers.
func isNumberType(_ type: Any.Type) -> Bool {
    let type = unwrappedType(type)
    return type is any BinaryInteger.Type || type is any BinaryFloatingPoint.Type
}

func rawValueType<R: RawRepresentable>(of type: R.Type) -> Any.Type { R.RawValue.self }

/// An integer that equals a number; nil if there is none of the type.
func wholeNumber<To: BinaryInteger>(_ value: Any, as type: To.Type) -> To? {
    func exactly<From: BinaryFloatingPoint>(_ value: From) -> To? { To(exactly: value) }
    if let value = value as? any BinaryInteger { return To(exactly: value) }
    return (value as? any BinaryFloatingPoint).flatMap { exactly($0) }
}

private func floatingNumber<To: BinaryFloatingPoint>(_ value: Any, as type: To.Type) -> To? {
    func nearest<From: BinaryFloatingPoint>(_ value: From) -> To? {
        let rounded = To(value)
        return rounded.isInfinite && value.isFinite ? nil : rounded
    }
    if let value = value as? any BinaryInteger { return To(exactly: value) }
    return (value as? any BinaryFloatingPoint).flatMap { nearest($0) }
}
