@_spi(Reflection) import Swift

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
    public static func canConvert(from type: Any.Type) -> Bool { true }
}

protocol OptionalValue {
    static var wrappedType: Any.Type { get }
    static var none: Self { get }
    static func wrap(_ value: Any) -> Any?
    var wrapped: Any? { get }
}

extension Optional: OptionalValue {
    static var wrappedType: Any.Type { Wrapped.self }
    static func wrap(_ value: Any) -> Any? { convert(value, to: Wrapped.self).map { Optional($0) as Any } }
    var wrapped: Any? { map { $0 as Any } }
}

/// Collections that a path cannot go through: it would have to name one of the elements.
protocol KeyValueCollection {
    static var elementType: Any.Type { get }
    var elements: [Any] { get }
    var elementCount: Int { get }
}

extension KeyValueCollection where Self: Collection {
    static var elementType: Any.Type { Element.self }
    var elements: [Any] { map { $0 as Any } }
    var elementCount: Int { count }
}

extension Array: KeyValueCollection {}
extension ArraySlice: KeyValueCollection {}
extension ContiguousArray: KeyValueCollection {}
extension Set: KeyValueCollection {}

extension Dictionary: KeyValueCollection {
    // What a dictionary is asked for is its values.
    static var elementType: Any.Type { Value.self }
    var elements: [Any] { values.map { $0 as Any } }
}

/// The type without its layers of `Optional`.
func unwrappedType(_ type: Any.Type) -> Any.Type {
    var type = type
    while let optional = type as? any OptionalValue.Type { type = optional.wrappedType }
    return type
}

/// The value without its layers of `Optional`; nil if one of them is empty.
func unwrapped(_ value: Any) -> Any? {
    var value = value
    while let optional = value as? any OptionalValue {
        guard let wrapped = optional.wrapped else { return nil }
        value = wrapped
    }
    return value
}

func asTrackedObject(_ value: Any) -> TrackedObject? {
    value as? TrackedObject
}

func isExistential(_ type: Any.Type) -> Bool {
    // The first word of every type's metadata is its kind.
    let kind = _MetadataKind(rawValue: unsafeBitCast(type, to: UnsafePointer<UInt>.self).pointee)
    return kind == .existential || kind == .existentialMetatype
}

/// Whether the type does not tell what a value of it is, so that only the value does.
func isOpen(_ type: Any.Type) -> Bool {
    // The kind of `any Collection<Int>` has no name in the standard library (6.3.1).
    let constrainedExistential: UInt = 0x307
    return isExistential(type) || type == AnyHashable.self
        || unsafeBitCast(type, to: UnsafePointer<UInt>.self).pointee == constrainedExistential
}

/// The value as another type: as it is, in or out of an optional, through a raw value, or by the type's own conversion.
@usableFromInline
func convert<To>(_ value: Any, to type: To.Type) -> To? {
    if To.self == Any.self { return unsafeBitCast(Boxed(value: value), to: Boxed<To>.self).value }
    if let exact = value as? To, !(To.self is any OptionalValue.Type) || Swift.type(of: value) == To.self {
        return exact
    }
    if let optional = To.self as? any OptionalValue.Type {
        guard let bare = unwrapped(value) else { return optional.none as? To }
        return optional.wrap(bare).flatMap { $0 as? To }
    }
    guard let bare = unwrapped(value) else { return nil }
    if let convertible = To.self as? any KeyValueConvertible.Type { return convertible.init(keyValue: bare) as? To }
    if let raw = To.self as? any RawRepresentable.Type, let made = make(raw, from: bare) { return made as? To }
    if let convertible = bare as? any KeyValueConvertible { return convertible.keyValue as? To }
    if let raw = bare as? any RawRepresentable { return raw.rawValue as? To }
    return nil
}

/// Something to bit-cast: `Any` to a generic parameter that is `Any`.
@usableFromInline
struct Boxed<Value> {
    @usableFromInline let value: Value
    @inlinable init(value: Value) { self.value = value }
}

private func make<R: RawRepresentable>(_ type: R.Type, from raw: Any) -> Any? {
    (raw as? R.RawValue).flatMap(R.init(rawValue:))
}

private func rawValueType<R: RawRepresentable>(_ type: R.Type) -> Any.Type { R.RawValue.self }

/// Whether values of one type could ever arrive as another. What the static types leave open is allowed.
func canConvert(from source: Any.Type, to target: Any.Type) -> Bool {
    let source = unwrappedType(source)
    let target = unwrappedType(target)
    if source == target || isExistential(source) || isExistential(target) { return true }
    if let convertible = target as? any KeyValueConvertible.Type { return convertible.canConvert(from: source) }
    if let a = source as? AnyClass, let b = target as? AnyClass { return isKind(a, of: b) || isKind(b, of: a) }
    if let a = source as? any KeyValueCollection.Type, let b = target as? any KeyValueCollection.Type {
        return sameShape(a, b) && canCast(from: a.elementType, to: b.elementType)
    }
    if let raw = target as? any RawRepresentable.Type, rawValueType(raw) == source { return true }
    if source is any KeyValueConvertible.Type { return true }
    if let raw = source as? any RawRepresentable.Type, rawValueType(raw) == target { return true }
    return false
}

private func canCast(from source: Any.Type, to target: Any.Type) -> Bool {
    let source = unwrappedType(source)
    let target = unwrappedType(target)
    if source == target || isExistential(source) || isExistential(target) { return true }
    if let a = source as? AnyClass, let b = target as? AnyClass { return isKind(a, of: b) || isKind(b, of: a) }
    return false
}

private func sameShape(_ a: any KeyValueCollection.Type, _ b: any KeyValueCollection.Type) -> Bool {
    String(describing: a).prefix { $0 != "<" } == String(describing: b).prefix { $0 != "<" }
}

private func isKind(_ a: AnyClass, of b: AnyClass) -> Bool {
    var cursor: AnyClass? = a
    while let c = cursor {
        if c == b { return true }
        cursor = _getSuperclass(c)
    }
    return false
}

/// Whether two values of a key are equal for `.distinct` and for bindings: by `==` if the type has one, by identity for
/// objects, and never otherwise.
func areEqual(_ a: Any, _ b: Any) -> Bool {
    guard let a = unwrapped(a) else { return unwrapped(b) == nil }
    guard let b = unwrapped(b) else { return false }
    if let a = a as? any Equatable { return isEqual(a, b) }
    guard Swift.type(of: a) is AnyClass, Swift.type(of: b) is AnyClass else { return false }
    return (a as AnyObject) === (b as AnyObject)
}

private func isEqual<T: Equatable>(_ a: T, _ b: Any) -> Bool {
    (b as? T).map { a == $0 } ?? false
}
