// The protocol of this folder: pure functions of values and types. Nothing here refers to an object that is observed, has state,
// or takes a lock; but `==`, `<`, a raw value's `init` and a user's `KeyValueConvertible` are user code, so the functions are
// called without a lock.
//
// A value of a key is an `Any`. `unwrapped` removes its layers of `Optional`. `convert` is what a delivery uses: it changes the
// type and never the value. `convertForCoding` (CodingConversion.swift) is what a write by name uses: it also changes the type of
// numbers, exactly, and of collections. `canConvert` and `canConvertForCoding` say the same of types. `areEqual` (Equality.swift)
// decides `.distinct`.
// Read next: CodingConversion.swift, then CollectionOperator+Apply.swift.

/// A type that values of a key can be delivered or set as, though the property has another type.
///
///     extension Celsius: KeyValueConvertible {
///         init?(keyValue: Any) { … }
///         var keyValue: Any { degrees }
///     }
///
/// Enums and other `RawRepresentable` types need not adopt it: they convert from and to their raw value.
public protocol KeyValueConvertible {
    /// Makes a value of what a property holds; nil if it cannot be.
    init?(keyValue: Any)
    /// What a property would hold instead.
    var keyValue: Any { get }
    /// The types of property that can be converted; a registration for a property of another type throws.
    static func canConvert(from type: Any.Type) -> Bool
}

extension KeyValueConvertible {
    /// True: any property may be tried.
    @export(implementation) public static func canConvert(from type: Any.Type) -> Bool { true }
}

protocol OptionalValue {
    static var wrappedType: Any.Type { get }
    /// A value converted and wrapped, the empty optional for nil; nil if the value cannot be converted.
    static func wrapping(_ value: Any) -> Self?
    var wrapped: Any? { get }
}

extension Optional: OptionalValue {
    static var wrappedType: Any.Type { Wrapped.self }
    static func wrapping(_ value: Any) -> Wrapped?? {
        // Also an empty optional: of two layers the inner one is empty.
        if type(of: value) == Wrapped.self { return .some(openedContent(of: value, as: Wrapped.self)) }
        if Wrapped.self != Any.self, let held = heldContent(of: value, as: Wrapped.self) { return .some(held) }
        guard let value = unwrapped(value) else { return .some(nil) }
        return convert(value, to: Wrapped.self).map(Optional.some)
    }
    var wrapped: Any? { map { $0 as Any } }
}

/// The type without its layers of `Optional`.
@usableFromInline func unwrappedType(_ type: Any.Type) -> Any.Type {
    guard isOptional(type), let optional = type as? any OptionalValue.Type else { return type }
    return unwrappedType(optional.wrappedType)
}

/// The value without its layers of `Optional`; nil if one of them is empty.
@usableFromInline func unwrapped(_ value: Any) -> Any? {
    guard isOptional(type(of: value)), let optional = value as? any OptionalValue else { return value }
    return optional.wrapped.flatMap(unwrapped)
}

/// Whether the type does not say which type a value of it has, so that only the value does.
func isOpen(_ type: Any.Type) -> Bool {
    isExistential(type) || type == AnyHashable.self || isConstrainedExistential(type)
}

/// The value as another type: as it is, in or out of an optional, through a raw value, or by the type's own conversion.
@usableFromInline func convert<To>(_ value: Any, to type: To.Type) -> To? {
    if Swift.type(of: value) == To.self { return openedContent(of: value, as: type) }
    if let held = heldContent(of: value, as: type) ?? asAny(value, type) { return held }
    if isOptional(To.self), let optional = To.self as? any OptionalValue.Type {
        return optional.wrapping(value).map { openedContent(of: $0, as: To.self) }
    }
    // Before the cast, which would make an NSNull of an empty optional for AnyObject.
    guard let bare = unwrapped(value) else { return nil }
    if let target = To.self as? any KeyValueCollection.Type, let source = bare as? any KeyValueCollection {
        // Not cast: a cast ends the program where two elements become one (6.3.1).
        if target.kind == Swift.type(of: source).kind, let converted = target.converting(source, forCoding: false) {
            return converted as? To
        }
    } else if let exact = bare as? To {
        return exact
    }
    if let convertible = To.self as? any KeyValueConvertible.Type { return convertible.init(keyValue: bare) as? To }
    if let raw = To.self as? any RawRepresentable.Type, let made = make(raw, of: bare, forCoding: false) {
        return made as? To
    }
    if let convertible = bare as? any KeyValueConvertible { return convertible.keyValue as? To }
    if let raw = bare as? any RawRepresentable { return raw.rawValue as? To }
    // A sum that is observed as a `Double` is a whole number as long as its values are. (An empty optional could be cast to `AnyHashable`.)
    guard let number = (bare as? Int).flatMap(Double.init(exactly:)) else { return nil }
    return number as? To
}

/// The value of a type that a raw value stands for, which is converted first for coding.
func make<R: RawRepresentable>(_ type: R.Type, of raw: Any, forCoding: Bool) -> Any? {
    (forCoding ? convertForCoding(raw, to: R.RawValue.self) : raw as? R.RawValue).flatMap(R.init(rawValue:))
}

/// Whether values of one type could ever be converted to another. What the static types leave open is allowed.
func canConvert(from source: Any.Type, to target: Any.Type) -> Bool {
    if source == (any IntOrDouble).self, !isExistential(unwrappedType(target)) {
        return canConvert(from: Int.self, to: target) || canConvert(from: Double.self, to: target)
    }
    if canCast(from: source, to: target) { return true }
    let (source, target) = (unwrappedType(source), unwrappedType(target))
    if let convertible = target as? any KeyValueConvertible.Type { return convertible.canConvert(from: source) }
    if let a = source as? any KeyValueCollection.Type, let b = target as? any KeyValueCollection.Type {
        return a.kind == b.kind && canCast(from: a.elementType, to: b.elementType)
            && canConvert(from: a.keyType ?? Any.self, to: b.keyType ?? Any.self)
    }
    return source is any KeyValueConvertible.Type || storedType(target) == source || storedType(source) == target
}

private func canCast(from source: Any.Type, to target: Any.Type) -> Bool {
    let (source, target) = (unwrappedType(source), unwrappedType(target))
    if source == target || isOpen(source) || isOpen(target) { return true }
    guard let a = source as? AnyClass, let b = target as? AnyClass else { return false }
    return isClass(a, orSubclassOf: b) || isClass(b, orSubclassOf: a)
}

func isClass<Other: AnyObject>(_ type: AnyClass, orSubclassOf other: Other.Type) -> Bool { type is Other.Type }

/// The name by which an error describes a type that was declared.
func declaredName(of type: Any.Type) -> String { type == (any IntOrDouble).self ? "Int or Double" : "\(type)" }

/// The name by which an error describes the type of a value.
func typeName(of value: Any?) -> String { value.flatMap(unwrapped).map { "\(type(of: $0))" } ?? "nil" }
