/// A list that nearly always has one element, and then needs no memory of its own: what one change concerns.
struct TinyArray<Element: AnyObject> {
    private var first: Element?
    private var others: [Element]?

    var isEmpty: Bool { first == nil }

    @inline(__always)
    mutating func append(_ element: Element) {
        if first == nil {
            first = element
        } else if others?.append(element) == nil {
            others = [element]
        }
    }

    /// Calls a function with each element, in order. It may change the list, which is not noticed.
    @inline(__always)
    func forEach(_ body: (Element) -> Void) {
        guard let first else { return }
        body(first)
        if let others { for other in others { body(other) } }
    }

    /// The same elements in an order.
    func sorted(by areInIncreasingOrder: (Element, Element) -> Bool) -> TinyArray {
        guard let first, let others else { return self }
        var sorted = TinyArray()
        for element in ([first] + others).sorted(by: areInIncreasingOrder) { sorted.append(element) }
        return sorted
    }
}
