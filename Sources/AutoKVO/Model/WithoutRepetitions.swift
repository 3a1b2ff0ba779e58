/// The first of each group of equal elements, in order.
@usableFromInline func withoutRepetitions<Element: Hashable>(_ elements: [Element]) -> [Element] {
    if elements.count < 2 { return elements }
    var seen: Set<Element> = []
    return elements.filter { seen.insert($0).inserted }
}
