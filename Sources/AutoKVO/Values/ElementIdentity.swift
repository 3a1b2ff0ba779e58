/// What makes elements of a collection the same: objects by identity, also in an `AnyHashable`, tuples (the entries of a dictionary) by their
/// parts, other values by their type and `==`, inside of optionals, too.
struct ElementIdentity: Hashable {
    private let object: ObjectIdentifier?
    private let element: Any
    /// Nil for an element that can only be compared: all such have the same hash.
    private let hashable: AnyHashable?

    init(_ element: Any) {
        let bare = unwrapped(element) ?? Never?.none as Any
        self.element = bare
        let inner = content(of: bare) ?? bare
        object = type(of: inner) is AnyClass ? ObjectIdentifier(inner as AnyObject) : nil
        let hashable =
            isTuple(type(of: bare))
            ? AnyHashable(Mirror(reflecting: bare).children.map { ElementIdentity($0.value) })
            : object == nil ? bare as? AnyHashable : nil
        // One that does not equal itself is no number, or holds one: such are equal here, as for `.distinct`, or if they are copies.
        self.hashable = hashable == hashable ? hashable : nil
    }

    static func == (a: ElementIdentity, b: ElementIdentity) -> Bool {
        if let object = a.object { return object == b.object }
        // The number 1 is equal to 1.0 as an `AnyHashable`.
        return a.hashable == b.hashable && type(of: a.element) == type(of: b.element)
            && (a.hashable != nil || areEqual(a.element, b.element)
                || a.element is AnyHashable && areCopies(a.element, b.element))
    }

    /// Says of two arrays whether the elements at two places are the same. What need not be found out for each is found out once.
    static func comparison<Element>(_ a: [Element], _ b: [Element]) -> (Int, Int) -> Bool {
        if Element.self is AnyClass {
            let (a, b) = (known(a, as: AnyObject.self), known(b, as: AnyObject.self))
            return { a[$0] === b[$1] }
        }
        let isEquatable = Element.self is any Equatable.Type && !mayHideObject(Element.self)
        let equality = isEquatable ? AnyEquality.of(Element.self) : nil
        return { equality?(a[$0], b[$1]) ?? (ElementIdentity(a[$0]) == ElementIdentity(b[$1])) }
    }

    /// The elements of two arrays as numbers, which can be compared often: those that are the same have the same one.
    static func numbers<Element>(_ a: [Element], _ b: [Element]) -> ([Int], [Int]) {
        func numbers<Identity: Hashable>(_ a: some Sequence<Identity>, _ b: some Sequence<Identity>) -> ([Int], [Int]) {
            var numbers: [Identity: Int] = [:]
            func number(of element: Identity) -> Int {
                let number = numbers[element] ?? numbers.count
                numbers[element] = number
                return number
            }
            return (a.map(number), b.map(number))
        }
        func numbersOfHashable<Value: Hashable>(_ type: Value.Type) -> ([Int], [Int])? {
            // Those that do not equal themselves have one hash, or one for all that are copies: of many each would be compared with each.
            guard let a = a as? [Value], let b = b as? [Value], ![a, b].joined().contains(where: { $0 != $0 })
            else { return nil }
            return numbers(a, b)
        }
        if Element.self is AnyClass {
            let (a, b) = (known(a, as: AnyObject.self), known(b, as: AnyObject.self))
            return numbers(a.lazy.map(ObjectIdentifier.init), b.lazy.map(ObjectIdentifier.init))
        }
        let hashable = mayHideObject(Element.self) ? nil : Element.self as? any Hashable.Type
        return hashable.flatMap { numbersOfHashable($0) }
            ?? numbers(a.lazy.map(ElementIdentity.init), b.lazy.map(ElementIdentity.init))
    }

    /// Whether a value may be an object, though its type is no class.
    private static func mayHideObject(_ type: Any.Type) -> Bool { isOptional(type) || type == AnyHashable.self }

    func hash(into hasher: inout Hasher) {
        if let object { return hasher.combine(object) }
        hasher.combine(hashable)
        guard hashable == nil, element is AnyHashable else { return }
        // Copies of what does not equal itself have equal parts: see `areCopies`.
        var (parts, count) = ([element], 0)
        while let part = parts.popLast(), count < 1_000 {
            count += 1
            let (hashable, isObject) = (part as? AnyHashable, type(of: part) is AnyClass)
            if isObject { hasher.combine(ObjectIdentifier(part as AnyObject)) }
            if let hashable, hashable == hashable, !isObject { hasher.combine(hashable) }
            if !isObject, hashable == nil || hashable != hashable {
                parts += Mirror(reflecting: part).children.map(\.value)
            }
        }
    }
}

/// The elements without as many of each as are among others.
@usableFromInline
func elements<Element>(_ elements: some Sequence<Element>, without others: some Sequence<Element>) -> [Element] {
    var counts = Dictionary(others.map { (ElementIdentity($0), 1) }, uniquingKeysWith: +)
    return elements.filter {
        let identity = ElementIdentity($0)
        guard let count = counts[identity], count > 0 else { return true }
        counts[identity] = count - 1
        return false
    }
}
