extension ClassSchema {
    /// A value as one of a key's type, as one of its declarations says it.
    func convert(
        _ value: Any?, for key: ResolvedKey, _ declared: DeclaredKey? = nil, in keyPath: String
    ) throws(KeyValueError) -> Any {
        let type = declared?.valueType ?? key.declared.valueType
        // Nearly all values.
        if let value, Swift.type(of: value) == type, !isOptional(type) || !mayHoldNull(unwrappedType(type)) {
            return value
        }
        if let converted = convertForCoding(value ?? Any?.none as Any, to: type) { return converted }
        throw error(.wrongType(expected: "\(type)", actual: typeName(of: value)), of: key, in: keyPath)
            .saying(refusal(of: value, as: type))
    }
}

/// Whether a value of a type may be an NSNull, which is nil.
func mayHoldNull(_ type: Any.Type) -> Bool { type is AnyClass && !(type is TrackedObject.Type) || isOpen(type) }

/// Why a key of a type cannot be set to a value, if the names of the two types do not explain it.
private func refusal(of value: Any?, as type: Any.Type) -> String? {
    guard let bare = value.flatMap(unwrapped) else { return rawValues(of: type).map { "holds \($0); not nil" } }
    if let elements = refusedElement(of: bare, as: type) { return "holds elements of type \(elements)" }
    if let raw = rawValues(of: type) {
        return "holds \(raw); not \(Swift.type(of: bare) == storedType(type) ? shownValue(bare) : typeName(of: bare))"
    }
    // Of an NSNumber, what stood in the text, and not its class. A number of another type is accepted if it fits.
    let own = ownNumber(of: bare, for: Double.self)
    let isShown = Swift.type(of: bare) is AnyClass ? Swift.type(of: own) != Swift.type(of: bare) : isNumberType(type)
    return isShown && (own is Bool || isNumberType(Swift.type(of: own))) ? "holds \(type), not \(shown("\(own)"))" : nil
}

/// What an element of a collection of a type may be, and the first element of a value that is not. Nil if the value is no such
/// collection.
private func refusedElement(of value: Any, as type: Any.Type) -> String? {
    guard let collection = value as? any KeyValueCollection,
        let target = unwrappedType(type) as? any KeyValueCollection.Type,
        (collection.elementKeys == nil) == (target.keyType == nil)
    else { return nil }
    let elementType = target.elementType
    func isRefused<To>(as type: To.Type, _ element: Any) -> Bool { convertForCoding(element, to: type) == nil }
    guard let element = collection.elements.first(where: { isRefused(as: elementType, $0) }) else { return nil }
    let own = unwrapped(element).map { ownNumber(of: $0, for: Double.self) }
    let isShown = own.map { Swift.type(of: $0) == storedType(elementType) || isNumberType(Swift.type(of: $0)) } ?? false
    return (rawValues(of: elementType).map { $0 + ";" } ?? "\(elementType),")
        + " not \(isShown ? shownValue(own!) : typeName(of: own))"
}

/// A raw-representable type and the raw values by which its values are given: the first eight. Nil for another type.
private func rawValues(of type: Any.Type) -> String? {
    let bare = unwrappedType(type)
    guard let raw = bare as? any RawRepresentable.Type, !(bare is any KeyValueConvertible.Type) else { return nil }
    let cases = (raw as? any CaseIterable.Type).map { ": " + allRawValues(of: $0) } ?? ""
    return "\(raw), given by a raw value (\(storedType(type)))\(cases)"
}

private func allRawValues<Cases: CaseIterable>(of type: Cases.Type) -> String {
    let values = type.allCases.prefix(9).compactMap { ($0 as? any RawRepresentable).map { shownValue($0.rawValue) } }
    return values.prefix(8).joined(separator: ", ") + (values.count > 8 ? ", …" : "")
}

private func shownValue(_ value: Any) -> String { (value as? String).map(quoted) ?? shown("\(value)") }
