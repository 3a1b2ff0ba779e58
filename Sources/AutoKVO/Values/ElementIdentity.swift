/// What makes elements of a collection the same: objects by identity, tuples (the entries of a dictionary) by their parts, other
/// values by their type and `==`, inside of optionals, too.
struct ElementIdentity: Hashable {
    private let element: Any
    /// Nil for an element that can only be compared: all such have the same hash.
    private let hashable: AnyHashable?

    init(_ element: Any) {
        let bare = unwrapped(element) ?? Never?.none as Any
        let hashable: AnyHashable? =
            if type(of: bare) is AnyClass {
                ObjectIdentifier(bare as AnyObject)
            } else if isTuple(type(of: bare)) {
                Mirror(reflecting: bare).children.map { ElementIdentity($0.value) }
            } else {
                bare as? AnyHashable
            }
        // One that does not equal itself is no number: such are equal here, as for `.distinct`.
        (self.element, self.hashable) = (bare, hashable == hashable ? hashable : nil)
    }

    static func == (a: ElementIdentity, b: ElementIdentity) -> Bool {
        // The number 1 is equal to 1.0 as an `AnyHashable`.
        a.hashable == b.hashable && type(of: a.element) == type(of: b.element)
            && (a.hashable != nil || areEqual(a.element, b.element))
    }

    /// Says of two arrays whether the elements at two places are the same. What need not be found out for each is found out once.
    static func comparison<Element>(_ a: [Element], _ b: [Element]) -> (Int, Int) -> Bool {
        if Element.self is AnyClass {
            let (a, b) = (known(a, as: AnyObject.self), known(b, as: AnyObject.self))
            return { a[$0] === b[$1] }
        }
        let equality = isOpen(Element.self) || isOptional(Element.self) ? nil : AnyEquality.of(Element.self)
        return { equality?(a[$0], b[$1]) ?? false || ElementIdentity(a[$0]) == ElementIdentity(b[$1]) }
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hashable) }
}
