extension Collection {
    /// The elements, sorted.
    ///
    /// In place of `sorted(by:)`, which the compiler makes anew for each type of element: 3 to 5 KB of every program.
    func inOrder(by areInIncreasingOrder: (Element, Element) -> Bool) -> [Element] {
        let elements = Array(self)
        return sortedOrder(of: elements.count) { areInIncreasingOrder(elements[$0], elements[$1]) }.map { elements[$0] }
    }
}

/// The numbers up to a count, sorted.
@inline(never)
private func sortedOrder(of count: Int, by areInIncreasingOrder: (Int, Int) -> Bool) -> [Int] {
    (0..<count).sorted(by: areInIncreasingOrder)
}
