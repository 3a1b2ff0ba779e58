/// How two values of a type are compared, found out once for each type: by `==` if the type has one, else by what the values
/// are.
class Equality<Value>: AnyEquality, @unchecked Sendable {
    func callAsFunction(_ a: Value, _ b: Value) -> Bool { areEqualByContent(a, b) }

    fileprivate final override func compareContent(_ a: Any, _ b: Any) -> Bool {
        self(openedContent(of: a, as: Value.self), openedContent(of: b, as: Value.self))
    }
}

private final class EquatableEquality<Value: Equatable>: Equality<Value>, @unchecked Sendable {
    override func callAsFunction(_ a: Value, _ b: Value) -> Bool { a == b || a != a && areNotNumbers(a, b) }
}

/// An `Equality` with its type erased. It and its subclasses have no variables.
class AnyEquality: @unchecked Sendable {
    private static let table = TypeTable<AnyEquality>()

    /// Whether two values are equal, which are of the type or can be cast to it.
    @inline(__always) final func compare(_ a: Any, _ b: Any) -> Bool { areEqualNumbers(a, b) ?? compareContent(a, b) }

    /// The same for values of any type.
    fileprivate func compareContent(_ a: Any, _ b: Any) -> Bool { false }

    /// The equality of a type that is known at run time only.
    static func ofType(_ type: Any.Type) -> AnyEquality {
        func equality<Value>(_ type: Value.Type) -> AnyEquality { of(type) }
        return table[type]?.object ?? _openExistential(type, do: equality)
    }

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
/// objects, an `[Any]` by its elements, and never otherwise. Nil and every empty optional are equal, and so are two floating-point
/// values that are no number.
func areEqual(_ a: Any, _ b: Any) -> Bool {
    if let areEqual = areEqualNumbers(a, b) { return areEqual }
    guard type(of: a) == type(of: b) else { return areEqualByContent(a, b) }
    return AnyEquality.ofType(type(of: a)).compare(a, b)
}

/// Whether two values are equal, or one is a copy of the other one: also of collections whose elements cannot be compared.
func areSame(_ a: Any, _ b: Any) -> Bool { areEqual(a, b) || areCopies(a, b) }

/// Whether the objects in two equal values are the same ones: the value itself, or the elements of a collection. What is no object is not
/// compared.
func areSameObjects(_ a: Any?, _ b: Any?) -> Bool {
    var pairs: [(Any?, Any?)] = [(a, b)]
    while let (a, b) = pairs.popLast() {
        guard let a = a.flatMap(content), let b = b.flatMap(content) else { continue }
        if let a = a as? any KeyValueCollection, let b = b as? any KeyValueCollection {
            let (elements, others) = (a.elements, b.elements)
            if let keys = a.hashableKeys, let otherKeys = b.hashableKeys {
                let others = Dictionary(zip(otherKeys, zip(otherKeys, others))) { first, _ in first }
                for (key, element) in zip(keys, elements) {
                    pairs += [(key.base, others[key]?.0.base), (element, others[key]?.1)]
                }
            } else {
                pairs += zip(elements, others).map { ($0, $1) }
            }
        } else if type(of: a) is AnyClass, a as AnyObject !== b as AnyObject {
            return false
        }
    }
    return true
}

/// The same for two values of one of the usual types of numbers, without a search; nil for others.
@inline(__always) private func areEqualNumbers(_ a: Any, _ b: Any) -> Bool? {
    NumberInAny.areEqual(a, b, as: Int.self) ?? NumberInAny.areEqual(a, b, as: Double.self)
}

/// Whether both are floating-point values that are no number, which do not equal themselves: else what is set to one again and again
/// would seem to change each time.
private func areNotNumbers(_ a: Any, _ b: Any) -> Bool {
    func isNotNumber(_ value: Any) -> Bool { (unwrapped(value) as? any FloatingPoint)?.isNaN ?? false }
    return isNotNumber(a) && isNotNumber(b) && type(of: unwrapped(a)!) == type(of: unwrapped(b)!)
}

/// The nearest class that both are of, by whose `==` and `<` they are compared: a subclass has none. Nil if one is no object.
func commonClass(_ a: Any, _ b: Any) -> Any.Type? {
    guard let first = type(of: a) as? AnyClass, let second = type(of: b) as? AnyClass else { return nil }
    return sequence(first: first) { _getSuperclass($0) }.first { isClass(second, orSubclassOf: $0) }
}

/// The same without the optionals around the values.
private func areEqualByContent(_ a: Any, _ b: Any) -> Bool {
    guard let a = unwrapped(a) else { return unwrapped(b) == nil }
    guard let b = unwrapped(b) else { return false }
    if type(of: a) is AnyClass, type(of: b) is AnyClass, type(of: a) != type(of: b) {
        guard let common = commonClass(a, b) as? any Equatable.Type else { return false }
        return AnyEquality.ofType(common).compare(a, b)
    }
    func isEqual<Value: Equatable>(_ a: Value) -> Bool { b as? Value == a || areNotNumbers(a, b) }
    if let a = a as? any Equatable { return isEqual(a) }
    // What an operator has put together, or data. Not recursive: it may be nested deeper than the stack lets it be compared.
    if type(of: a) == [Any].self, let a = a as? [Any], let b = b as? [Any] {
        var pairs = [(a, b)]
        while let (a, b) = pairs.popLast() {
            if a.count != b.count { return false }
            for (a, b) in zip(a, b) {
                let areAlike =
                    type(of: a) == type(of: b) || unwrapped(a) == nil
                    || type(of: a) is AnyClass && type(of: b) is AnyClass
                let areArrays = areAlike && type(of: a) == [Any].self
                if areArrays { pairs.append((a as! [Any], b as! [Any])) }
                if !areAlike || !areArrays && !areEqual(a, b) { return false }
            }
        }
        return true
    }
    return type(of: a) is AnyClass && type(of: b) is AnyClass && (a as AnyObject) === (b as AnyObject)
}

/// Whether a value is the other one, or a copy of it: for values that do not equal themselves. A function cannot be told from another.
func isSameContent(_ a: Any, _ b: Any) -> Bool {
    guard let a = unwrapped(a), let b = unwrapped(b) else { return unwrapped(a) == nil && unwrapped(b) == nil }
    return type(of: a) == type(of: b) && (isFunction(type(of: a)) || areCopies(a, b))
}

/// Between the parts of a value there may be any bytes, so its parts are compared: of what has more than a thousand only so many, which does
/// not count as a copy then. Not recursive: it may be nested deeper than the stack lets it be compared.
func areCopies(_ a: Any, _ b: Any) -> Bool {
    var (pairs, count) = ([(a, b)], 0)
    while let (a, b) = pairs.popLast() {
        count += 1
        if count > 1_000 || type(of: a) != type(of: b) { return false }
        if haveSameBytes(a, b) { continue }
        let (mirror, other) = (Mirror(reflecting: a), Mirror(reflecting: b))
        switch mirror.displayStyle {
        case .optional where mirror.children.isEmpty && other.children.isEmpty: continue
        case .optional: break
        case .struct, .tuple, .enum: if mirror.children.isEmpty || a is any CustomReflectable { return false }
        default: return false
        }
        guard mirror.children.elementsEqual(other.children, by: { $0.label == $1.label }) else { return false }
        pairs += zip(mirror.children, other.children).map { ($0.value, $1.value) }
    }
    return true
}

private func haveSameBytes(_ a: Any, _ b: Any) -> Bool {
    func areSame<Content>(_ a: Content) -> Bool {
        guard let b = b as? Content else { return false }
        return withUnsafeBytes(of: a) { a in withUnsafeBytes(of: b) { b in a.elementsEqual(b) } }
    }
    return _openExistential(a, do: areSame)
}
