import AutoKVO
import Testing

@Suite("Where the stored properties of objects are") struct FieldLayoutTests {
    @Test("this version of Swift reports them as expected") func expected() {
        #expect(FieldLayout.problem == nil)
        #expect(FieldLayout.fieldsOfProbe.map(\.name) == ["first", "second"])
    }

    @Test("another layout is a problem that names the version of Swift", arguments: 0..<4)
    func unexpected(index: Int) {
        let right = FieldLayout.fieldsOfProbe
        let (first, second) = (right[0], right[1])
        typealias Field = FieldLayout.Field
        let wrong = [
            [Field(name: "first", offset: second.offset, type: first.type), second],
            [first, Field(name: "second", offset: first.offset, type: second.type)],
            [first, Field(name: "second", offset: second.offset, type: String.self)],
            [first, second, Field(name: "third", offset: second.offset + 8, type: second.type)],
        ]
        #expect(!FieldLayout.probe(wrong[index]))
        #expect(RuntimeAssumption.fieldLayout.sentence.contains("Swift 6.3.1"))
    }

    @Test("properties without names are none: their module has no reflection metadata") func unnamed() {
        let unnamed = FieldLayout.fieldsOfProbe.map { FieldLayout.Field(name: "", offset: $0.offset, type: $0.type) }
        #expect(FieldLayout.probe(unnamed))
        #expect(FieldLayout.probe([]))
    }
}
