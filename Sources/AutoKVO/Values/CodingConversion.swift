/// The value as what a key of a type can be set to: the result of `convert`, or else a number or a collection of another type.
///
/// A number becomes one of any standard type that can hold it: an integer exactly, `3.0` as `3`, a floating-point
/// number rounded to the nearest as a literal would be. What does not fit (`300` for an `Int8`, `3.5` for an `Int`) is
/// refused, as are numbers for `Bool`, `Bool` for numbers, and strings for numbers. The elements of a collection, and the keys
/// and values of a dictionary, are converted like single values. Foundation's `NSNull` is nil, its `NSNumber` a number or a Boolean.
func convertForCoding<To>(_ value: Any, to type: To.Type) -> To? {
    // A type that accepts any value would accept this one too.
    let target = unwrappedType(type)
    if isOpen(target), isNull(value) { return convert(Any?.none as Any, to: type) }
    let value = isOpen(target) || target is AnyClass ? value : ownNumber(of: value)
    if !isOfAnything(value, for: target), let converted = convert(value, to: type) { return converted }
    guard var bare = unwrapped(value) else { return nil }
    if let hashable = bare as? AnyHashable { bare = hashable.base }
    if let number = convertNumber(bare, to: type) { return number }
    if let source = bare as? any KeyValueCollection, let target = target as? any KeyValueCollection.Type {
        return target.converting(source).flatMap { convert($0, to: type) }
    }
    return isNull(bare) ? convert(Any?.none as Any, to: type) : nil
}

/// Whether a value is a collection of anything for a type of collections of something: a cast would cast its elements, numbers of
/// Foundation among them, so they are converted one by one.
private func isOfAnything(_ value: Any, for target: Any.Type) -> Bool {
    guard let target = target as? any KeyValueCollection.Type, let source = unwrapped(value) as? any KeyValueCollection
    else { return false }
    return isOpen(type(of: source).elementType) && !isOpen(target.elementType)
}

/// Whether values of one type could ever be set for a key of another. What the static types leave open is allowed.
func canConvertForCoding(from source: Any.Type, to target: Any.Type) -> Bool {
    if canConvert(from: source, to: target) || isOpen(unwrappedType(source)) { return true }
    if isNumberType(source) && isNumberType(storedType(target)) || isNullType(unwrappedType(source)) { return true }
    guard let source = unwrappedType(source) as? any KeyValueCollection.Type,
        let target = unwrappedType(target) as? any KeyValueCollection.Type
    else { return false }
    guard canConvertForCoding(from: source.elementType, to: target.elementType) else { return false }
    guard let keys = source.keyType, let targetKeys = target.keyType else {
        return source.keyType == nil && target.keyType == nil
    }
    return canConvertForCoding(from: keys, to: targetKeys)
}

/// Whether a value is Foundation's `NSNull`.
func isNull(_ value: Any) -> Bool { unwrapped(value).map { isNullType(type(of: $0)) } ?? false }

/// The name is compared, since this module does not import Foundation.
private func isNullType(_ type: Any.Type) -> Bool {
    type is AnyClass && _typeName(type, qualified: true) == "Foundation.NSNull"
}

/// A Boolean or a number of Foundation, such as JSON is read to, as Swift's own: a cast would make each of them the other. Any other
/// value as it is.
private func ownNumber(of value: Any) -> Any {
    guard let object = unwrapped(value), type(of: object) is AnyClass else { return value }
    switch _typeName(type(of: object), qualified: true) {
    case "Foundation.__NSCFBoolean": return object as? Bool ?? object
    case "Foundation.NSNumber":
        if let integer = object as? Int { return integer }
        if let integer = object as? UInt64 { return integer }
        return object as? Double ?? object
    default: return object
    }
}

/// The value as a store outside of the program keeps it: the raw value of a raw-representable one, the `keyValue` of a
/// `KeyValueConvertible`, also in collections. `convertForCoding` makes the value of it again.
///
/// - Parameter depth: How many collections are around the value. What is deeper than 64 stays as it is: data may nest deeper than
///   the stack lets it be followed.
func storedValue(of value: Any, depth: Int = 0) -> Any {
    guard let bare = unwrapped(value) else { return Any?.none as Any }
    if let convertible = bare as? any KeyValueConvertible { return convertible.keyValue }
    if let raw = bare as? any RawRepresentable { return raw.rawValue }
    guard let collection = bare as? any KeyValueCollection, depth < 64, mayChange(type(of: collection)) else {
        return bare
    }
    let elements = collection.elements.map { storedValue(of: $0, depth: depth + 1) }
    if let keys = collection.elementKeys {
        let keys = keys.compactMap { storedValue(of: $0, depth: depth + 1) as? AnyHashable }
        return keys.count == elements.count ? Dictionary(zip(keys, elements)) { first, _ in first } : bare
    }
    guard bare is any SetAlgebra else { return elements }
    let hashable = elements.compactMap { $0 as? AnyHashable }
    return hashable.count == elements.count ? Set(hashable) : elements
}

/// Whether `storedValue(of:)` may be another value for a collection of a type. If not, the elements need not be visited.
private func mayChange(_ type: any KeyValueCollection.Type) -> Bool {
    func mayChange(_ type: Any.Type) -> Bool {
        let type = unwrappedType(type)
        if isOpen(type) || type is any KeyValueConvertible.Type || type is any RawRepresentable.Type { return true }
        return (type as? any KeyValueCollection.Type).map(AutoKVO.mayChange) ?? (type is AnyClass)
    }
    return mayChange(type.elementType) || type.keyType.map(mayChange) ?? false
}
