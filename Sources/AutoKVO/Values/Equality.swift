/// How two values of a type are compared, found out once for each type: by `==` if the type has one, else by what the values
/// are.
class Equality<Value>: AnyEquality, @unchecked Sendable {
    func callAsFunction(_ a: Value, _ b: Value) -> Bool { areEqualByContent(a, b) }

    final override func compare(_ a: Any, _ b: Any) -> Bool {
        guard let a = a as? Value, let b = b as? Value else { return false }
        return self(a, b)
    }
}

private final class EquatableEquality<Value: Equatable>: Equality<Value>, @unchecked Sendable {
    override func callAsFunction(_ a: Value, _ b: Value) -> Bool { a == b }
}

/// An `Equality` with its type erased. It and its subclasses have no variables.
class AnyEquality: @unchecked Sendable {
    private static let table = TypeTable<AnyEquality>()

    /// Whether two values of the type are equal.
    func compare(_ a: Any, _ b: Any) -> Bool { false }

    /// The equality of a type.
    static func of<Value>(_ type: Value.Type) -> Equality<Value> {
        func make<Comparable: Equatable>(_ type: Comparable.Type) -> AnyEquality { EquatableEquality<Comparable>() }
        let equality =
            table[type]?.object
            ?? table.insert((type as? any Equatable.Type).map { make($0) } ?? Equality<Value>(), for: type)
        return known(equality, as: Equality<Value>.self)
    }
}

/// Whether two values of a key are equal for `.distinct` and for bindings: by `==` if the type has one, by identity for
/// objects, and never otherwise. Nil and every empty optional are equal.
func areEqual(_ a: Any, _ b: Any) -> Bool {
    guard type(of: a) == type(of: b) else { return areEqualByContent(a, b) }
    func equality<Value>(_ type: Value.Type) -> AnyEquality { .of(type) }
    return _openExistential(type(of: a), do: equality).compare(a, b)
}

/// The same without the optionals around the values.
private func areEqualByContent(_ a: Any, _ b: Any) -> Bool {
    guard let a = unwrapped(a) else { return unwrapped(b) == nil }
    guard let b = unwrapped(b) else { return false }
    func isEqual<Value: Equatable>(_ a: Value) -> Bool { b as? Value == a }
    if let a = a as? any Equatable { return isEqual(a) }
    guard type(of: a) is AnyClass, type(of: b) is AnyClass else { return false }
    return (a as AnyObject) === (b as AnyObject)
}
