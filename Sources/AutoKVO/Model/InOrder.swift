extension Collection {
    /// The elements, sorted.
    ///
    /// Used instead of `sorted(by:)`: the compiler generates that function again for each type of element, and each copy adds 3 to 5 KB
    /// to every program that depends on the library. This one sorts indexes, with one copy for all types.
    func inOrder(by areInIncreasingOrder: (Element, Element) -> Bool) -> [Element] {
        let elements = Array(self)
        return sortedOrder(of: elements.count) { areInIncreasingOrder(elements[$0], elements[$1]) }.map { elements[$0] }
    }
}

/// The numbers up to a count, sorted.
@inline(never) private func sortedOrder(of count: Int, by areInIncreasingOrder: (Int, Int) -> Bool) -> [Int] {
    (0..<count).sorted(by: areInIncreasingOrder)
}
