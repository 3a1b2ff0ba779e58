/// An array for what one change concerns. It nearly always has one element, and then allocates no memory.
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

    /// Calls a function with each element, in order. If the function changes the array, it still gets the elements from before.
    @inline(__always)
    func forEach(_ body: (Element) -> Void) {
        guard let first else { return }
        body(first)
        if let others { for other in others { body(other) } }
    }

    /// The same elements, sorted.
    func sorted(by areInIncreasingOrder: (Element, Element) -> Bool) -> TinyArray {
        guard let first, let others else { return self }
        var sorted = TinyArray()
        for element in ([first] + others).inOrder(by: areInIncreasingOrder) { sorted.append(element) }
        return sorted
    }
}
