extension ClassSchema {
    /// A value as one that the property of a key can be set to.
    func prepare(_ value: Any?, for key: ResolvedKey, in keyPath: String) throws(KeyValueError) -> Any {
        try requireSetter(of: key, in: keyPath)
        return try convert(value, for: key, in: keyPath)
    }

    /// A value as one of a key's type.
    func convert(_ value: Any?, for key: ResolvedKey, in keyPath: String) throws(KeyValueError) -> Any {
        let type = key.declared.valueType
        if let converted = convertForCoding(value ?? Any?.none as Any, to: type) { return converted }
        throw error(.wrongType(expected: "\(type)", actual: typeName(of: value)), of: key, in: keyPath)
            .saying(refusal(of: value, as: type))
    }
}

/// Why a key of a type cannot be set to a value, if the names of the two types do not explain it.
private func refusal(of value: Any?, as type: Any.Type) -> String? {
    let bare = value.flatMap(unwrapped)
    guard let raw = unwrappedType(type) as? any RawRepresentable.Type, !(raw is any KeyValueConvertible.Type) else {
        // A number of another type is accepted if it fits.
        guard isNumberType(type), let bare, Number(bare) != nil else { return nil }
        return "holds \(type), not \(shown("\(bare)"))"
    }
    let rawType = rawValueType(of: raw)
    let isRawValue = bare.map { Swift.type(of: $0) == rawType } ?? false
    let cases = (raw as? any CaseIterable.Type).map { rawValues(of: $0) }
    return "holds \(raw), given by a raw value (\(rawType))" + (cases.map { ": \($0)" } ?? "")
        + "; not \(isRawValue ? shownValue(bare!) : typeName(of: value))"
}

/// The first eight.
private func rawValues<Cases: CaseIterable>(of type: Cases.Type) -> String {
    let values = type.allCases.prefix(9).compactMap { ($0 as? any RawRepresentable).map { shownValue($0.rawValue) } }
    return values.prefix(8).joined(separator: ", ") + (values.count > 8 ? ", …" : "")
}

private func shownValue(_ value: Any) -> String { (value as? String).map(quoted) ?? shown("\(value)") }
