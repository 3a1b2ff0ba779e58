// With these a tracked class can synthesize `Codable`. A wrapper is coded as its value. Decoding is no change: it makes a new
// object, which has no observer.

extension Observed: Encodable where Value: Encodable {
    @export(implementation) public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension Observed: Decodable where Value: Decodable {
    @export(implementation) public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
    }
}

extension ObservedReadOnly: Encodable where Value: Encodable {
    @export(implementation) public func encode(to encoder: any Encoder) throws { try observed.encode(to: encoder) }
}

extension ObservedReadOnly: Decodable where Value: Decodable {
    @export(implementation) public init(from decoder: any Decoder) throws { observed = try Observed(from: decoder) }
}

// What the compiler synthesizes for a class calls these for optional properties: a missing one is nil, and nil is left out.

extension KeyedDecodingContainer {
    /// Decodes an optional property. It is nil if the data has no value for it.
    @export(implementation)
    public func decode<Value: Decodable>(_ type: Observed<Value?>.Type, forKey key: Key) throws -> Observed<Value?> {
        Observed(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }

    /// Decodes an optional property. It is nil if the data has no value for it.
    @export(implementation) public func decode<Value: Decodable>(
        _ type: ObservedReadOnly<Value?>.Type, forKey key: Key
    ) throws -> ObservedReadOnly<Value?> {
        ObservedReadOnly(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }
}

extension KeyedEncodingContainer {
    /// Encodes an optional property, unless it is nil.
    public mutating func encode<Value: Encodable>(_ property: Observed<Value?>, forKey key: Key) throws {
        try encodeIfPresent(property.value, forKey: key)
    }

    /// Encodes an optional property, unless it is nil.
    public mutating func encode<Value: Encodable>(_ property: ObservedReadOnly<Value?>, forKey key: Key) throws {
        try encodeIfPresent(property.observed.value, forKey: key)
    }
}
