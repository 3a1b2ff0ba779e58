/// The value as what a key of a type can be set to: the result of `convert`, or else a number or a collection of another type.
///
/// A number becomes one of any standard type that can hold it: an integer exactly, `3.0` as `3`, a floating-point
/// number rounded to the nearest as a literal would be. What does not fit (`300` for an `Int8`, `3.5` for an `Int`) is
/// refused, as are numbers for `Bool`, `Bool` for numbers, and strings for numbers. The elements of a collection, the keys
/// and values of a dictionary, and raw values are converted by this function, too: never by a cast, which would convert numbers of
/// Foundation as it likes. Foundation's `NSNull` is nil, its `NSNumber` a number or a Boolean.
func convertForCoding<To>(_ value: Any, to type: To.Type) -> To? {
    // A type that accepts any value would accept an NSNull, too.
    let target = unwrappedType(type)
    if isOpen(target) { return convert(isNull(value) ? Any?.none as Any : value, to: type) }
    guard let bare = content(of: value) else { return convert(Any?.none as Any, to: type) }
    if isNull(bare), !isNullType(target), let none = convert(Any?.none as Any, to: type) { return none }
    if Swift.type(of: bare) != target, !(target is AnyClass), !(target is any KeyValueConvertible.Type) {
        if let target = target as? any KeyValueCollection.Type, let source = collection(in: bare) {
            return target.converting(source, forCoding: true).flatMap { convert($0, to: type) }
        }
        let raw = target as? any RawRepresentable.Type
        let made = raw.flatMap { bare is any RawRepresentable ? nil : make($0, of: bare, forCoding: true) }
        if let made { return convert(made, to: type) }
    }
    let own = target is AnyClass ? bare : ownNumber(of: bare, for: target)
    if Swift.type(of: own) != target, isNumberType(target), isNumberType(Swift.type(of: own)) {
        return convertNumber(own, to: target).flatMap { convert($0, to: type) }
    }
    // A number that was read from JSON does not say whether it is a whole one because its type is.
    func isFromJSON() -> Bool { target is any KeyValueConvertible.Type && isForeignNumberType(Swift.type(of: bare)) }
    return convert(own, to: type) ?? (isFromJSON() ? own as? Int : nil).flatMap { convert(Double($0), to: type) }
}

/// The value without the layers of `Optional` and `AnyHashable` around it; nil if there is none.
func content(of value: Any) -> Any? {
    guard let bare = unwrapped(value) else { return nil }
    return type(of: bare) == AnyHashable.self ? (bare as? AnyHashable).flatMap { content(of: $0.base) } : bare
}

/// A value as a collection, also if it is one of Foundation's.
private func collection(in value: Any) -> (any KeyValueCollection)? {
    if let collection = value as? any KeyValueCollection { return collection }
    guard type(of: value) is AnyClass else { return nil }
    return value as? [Any] ?? value as? Set<AnyHashable> ?? value as? [AnyHashable: Any]
}

/// Whether values of one type could ever be set for a key of another. What the static types leave open is allowed.
func canConvertForCoding(from source: Any.Type, to target: Any.Type) -> Bool {
    if canConvert(from: source, to: target) { return true }
    let bare = unwrappedType(source)
    if isNullType(bare) || isForeignNumberType(bare) && unwrappedType(target) == Bool.self { return true }
    if isNumberType(source) || isForeignNumberType(bare), isNumberType(storedType(target)) { return true }
    guard let source = bare as? any KeyValueCollection.Type,
        let target = unwrappedType(target) as? any KeyValueCollection.Type
    else { return false }
    return canConvertForCoding(from: source.elementType, to: target.elementType)
        && (source.keyType == nil) == (target.keyType == nil)
        && canConvertForCoding(from: source.keyType ?? Any.self, to: target.keyType ?? Any.self)
}

/// Whether a value is Foundation's `NSNull`.
func isNull(_ value: Any) -> Bool { unwrapped(value).map { isNullType(type(of: $0)) } ?? false }

/// The name is compared, since this module does not import Foundation.
private func isNullType(_ type: Any.Type) -> Bool {
    type is AnyClass && _typeName(type, qualified: true) == "Foundation.NSNull"
}

/// Whether the type is that of Foundation's numbers.
func isForeignNumberType(_ type: Any.Type) -> Bool {
    type is AnyClass
        && ["Foundation.NSNumber", "Foundation.NSDecimalNumber"].contains(_typeName(type, qualified: true))
}

/// A Boolean or a number of Foundation, such as JSON is read to, as Swift's own: a cast would make each of them the other. Any other
/// value as it is, and so a decimal number for a type that is not one of numbers.
func ownNumber(of value: Any, for target: Any.Type = Any.self) -> Any {
    guard type(of: value) is AnyClass else { return value }
    switch _typeName(type(of: value), qualified: true) {
    case "Foundation.__NSCFBoolean": return value as? Bool ?? value
    case "Foundation.NSDecimalNumber" where isNumberType(target) || target == Bool.self:
        // Its digits: a cast to a floating-point number would round it.
        let digits = "\(value)"
        if let integer = Int128(digits) { return integer }
        if let integer = UInt128(digits) { return integer }
        return Double(digits) ?? value
    case "Foundation.NSNumber":
        // What `Float` rounds.
        if target is any BinaryFloatingPoint.Type, target != Double.self, let real = value as? Double { return real }
        return value as? Int ?? value as? UInt64 ?? value as? Double ?? value
    default: return value
    }
}

/// The value as a store outside of the program keeps it: the raw value of a raw-representable one, the `keyValue` of a
/// `KeyValueConvertible`, also in collections. `convertForCoding` makes the value of it again.
///
/// - Parameter depth: How many collections and raw-representable values are around the value. What is deeper than 64 stays as it is: data may
///   nest deeper than the stack lets it be followed.
func storedValue(of value: Any, depth: Int = 0) -> Any {
    guard let bare = unwrapped(value) else { return Any?.none as Any }
    if let convertible = bare as? any KeyValueConvertible { return convertible.keyValue }
    let raw = (bare as? any RawRepresentable)?.rawValue
    if let raw { return depth < 64 ? storedValue(of: raw, depth: depth + 1) : raw }
    guard let source = bare as? any KeyValueCollection, depth < 64, mayChange(type(of: source)) else { return bare }
    let elements = source.elements.map { storedValue(of: $0, depth: depth + 1) }
    if let keys = source.elementKeys {
        let keys = keys.compactMap { storedValue(of: $0, depth: depth + 1) as? AnyHashable }
        // Two keys that become one would lose a value.
        let made = Dictionary(zip(keys, elements)) { first, _ in first }
        return made.count == elements.count ? made : bare
    }
    guard bare is any SetAlgebra, let hashable = elements as? [AnyHashable] else { return elements }
    return Set(hashable)
}

/// Whether `storedValue(of:)` may be another value for one of a type. If not for a collection, its elements need not be visited.
private func mayChange(_ type: Any.Type) -> Bool {
    let bare = unwrappedType(type)
    if isOpen(bare) || bare is any KeyValueConvertible.Type || bare is any RawRepresentable.Type { return true }
    guard let collection = bare as? any KeyValueCollection.Type else { return bare is AnyClass }
    // A contiguous array or a slice becomes an array.
    let isOtherArray = collection is any RangeReplaceableCollection.Type && collection.kind != [Any].self
    return isOtherArray || mayChange(collection.elementType) || collection.keyType.map(mayChange) ?? false
}
