/// What makes elements of a collection the same: objects by identity, tuples (the entries of a dictionary) by their parts, other
/// values by their type and `==`, inside of optionals, too.
struct ElementIdentity: Hashable {
    private let element: Any
    /// Nil for an element that can only be compared: all such have the same hash.
    private let hashable: AnyHashable?

    init(_ element: Any) {
        let bare = unwrapped(element) ?? Never?.none as Any
        self.element = bare
        hashable =
            if type(of: bare) is AnyClass {
                ObjectIdentifier(bare as AnyObject)
            } else if isTuple(type(of: bare)) {
                Mirror(reflecting: bare).children.map { ElementIdentity($0.value) }
            } else {
                bare as? AnyHashable
            }
    }

    static func == (a: ElementIdentity, b: ElementIdentity) -> Bool {
        // The number 1 is equal to 1.0 as an `AnyHashable`.
        a.hashable == b.hashable && type(of: a.element) == type(of: b.element)
            && (a.hashable != nil || areEqual(a.element, b.element))
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hashable) }
}
