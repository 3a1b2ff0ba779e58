/// Collections that a path cannot go through: it would have to name one of the elements.
protocol KeyValueCollection {
    static var elementType: Any.Type { get }
    /// The type of the keys of a dictionary; nil for any other collection.
    static var keyType: Any.Type? { get }
    var elements: [Any] { get }
    /// The elements, if their type is a class or a subclass of it: for an array without a copy.
    func objects<Object: AnyObject>(of type: Object.Type) -> [Object]?
    var elementCount: Int { get }
    /// The keys of a dictionary, in the order of `elements`; nil for any other collection.
    var elementKeys: [Any]? { get }

    /// The elements of a collection which may have others, too: as far as they are a dictionary's entries, those that fit.
    static func elements(of source: any KeyValueCollection) -> [Any]
    /// The generic type, with any elements: a delivery converts a collection to one of the same kind only.
    static var kind: Any.Type { get }
    /// A collection of elements that are each converted, by `convertForCoding` or by `convert`. Nil if one cannot be, or if a
    /// dictionary is converted to another collection or the other way round.
    static func converting(_ source: any KeyValueCollection, forCoding: Bool) -> Self?
}

extension KeyValueCollection where Self: Collection {
    static var elementType: Any.Type { Element.self }
    static var keyType: Any.Type? { nil }
    var elements: [Any] { map { $0 as Any } }
    func objects<Object: AnyObject>(of type: Object.Type) -> [Object]? {
        Element.self is Object.Type ? known(Array(self), as: type) : nil
    }
    var elementCount: Int { count }
    var elementKeys: [Any]? { nil }
    static func elements(of source: any KeyValueCollection) -> [Any] { source.elements }
}

extension KeyValueCollection where Self: RangeReplaceableCollection {
    static func converting(_ source: any KeyValueCollection, forCoding: Bool) -> Self? {
        source.elementKeys == nil ? convertEach(source.elements, to: Element.self, forCoding).map { Self($0) } : nil
    }
}

extension Array: KeyValueCollection { static var kind: Any.Type { [Any].self } }
extension ArraySlice: KeyValueCollection { static var kind: Any.Type { ArraySlice<Any>.self } }
extension ContiguousArray: KeyValueCollection { static var kind: Any.Type { ContiguousArray<Any>.self } }

extension Set: KeyValueCollection {
    static var kind: Any.Type { Set<AnyHashable>.self }
    static func converting(_ source: any KeyValueCollection, forCoding: Bool) -> Self? {
        source.elementKeys == nil ? convertEach(source.elements, to: Element.self, forCoding).map { Set($0) } : nil
    }
}

extension Dictionary: KeyValueCollection {
    // A path continues with the values of a dictionary, not with its keys.
    static var kind: Any.Type { [AnyHashable: Any].self }
    static var elementType: Any.Type { Value.self }
    static var keyType: Any.Type? { Key.self }
    var elements: [Any] { values.map { $0 as Any } }
    func objects<Object: AnyObject>(of type: Object.Type) -> [Object]? { Array(values).objects(of: type) }
    var elementKeys: [Any]? { keys.map { $0 as Any } }
    static func elements(of source: any KeyValueCollection) -> [Any] {
        zip(source.elementKeys ?? [], source.elements).compactMap { key, value -> Element? in
            guard let key = convert(key, to: Key.self), let value = convert(value, to: Value.self) else { return nil }
            return (key, value)
        }
    }

    static func converting(_ source: any KeyValueCollection, forCoding: Bool) -> Self? {
        guard let keys = source.elementKeys.flatMap({ convertEach($0, to: Key.self, forCoding) }),
            let values = convertEach(source.elements, to: Value.self, forCoding)
        else { return nil }
        let result = Dictionary(zip(keys, values)) { first, _ in first }
        // Two keys that become one would lose a value.
        return result.count == keys.count ? result : nil
    }
}

extension KeyValueCollection {
    /// What finds each of `elements` where these have no order: the keys of a dictionary, or the elements of a set; nil for an array.
    var hashableKeys: [AnyHashable]? {
        let keys = elementKeys ?? (Self.kind == Set<AnyHashable>.kind ? elements : nil)
        return keys?.map { $0 as! AnyHashable }
    }
}

/// All values converted, or nil.
private func convertEach<To>(_ values: [Any], to type: To.Type, _ forCoding: Bool) -> [To]? {
    var converted: [To] = []
    for value in values {
        guard let value = forCoding ? convertForCoding(value, to: type) : convert(value, to: type) else { return nil }
        converted.append(value)
    }
    return converted
}
