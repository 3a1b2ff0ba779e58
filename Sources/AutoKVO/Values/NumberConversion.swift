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
    let number: Any?
    if let integer = target as? any BinaryInteger.Type {
        number = wholeNumber(bare, as: integer)
    } else if let floating = target as? any BinaryFloatingPoint.Type {
        number = floatingNumber(bare, as: floating)
    } else {
        number = nil
    }
    return number.flatMap { convert($0, to: type) }
}

/// The same for a type that is known only when the program runs.
func convertForCoding(_ value: Any, toErased type: Any.Type) -> Any? {
    func open<To>(_: To.Type) -> Any? { convertForCoding(value, to: To.self).map { $0 as Any } }
    return _openExistential(type, do: open)
}

func rawValueType<R: RawRepresentable>(of type: R.Type) -> Any.Type { R.RawValue.self }

private func wholeNumber<To: BinaryInteger>(_ value: Any, as type: To.Type) -> Any? {
    func exactly<From: BinaryFloatingPoint>(_ value: From) -> To? { To(exactly: value) }
    if let value = value as? any BinaryInteger { return To(exactly: value) }
    return (value as? any BinaryFloatingPoint).flatMap { exactly($0) }
}

private func floatingNumber<To: BinaryFloatingPoint>(_ value: Any, as type: To.Type) -> Any? {
    func exactly<From: BinaryInteger>(_ value: From) -> To? { To(exactly: value) }
    func nearest<From: BinaryFloatingPoint>(_ value: From) -> To? {
        let rounded = To(value)
        return rounded.isInfinite && value.isFinite ? nil : rounded
    }
    if let value = value as? any BinaryInteger { return exactly(value) }
    return (value as? any BinaryFloatingPoint).flatMap { nearest($0) }
}
