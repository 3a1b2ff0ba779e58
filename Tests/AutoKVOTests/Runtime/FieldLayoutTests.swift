import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Foreign: Model {
    struct Element: SchemaElement { typealias Class = Foreign }
    override class var schema: Schema { Schema(Foreign.self, extending: super.schema) { Element() } }
}

/// Where the stored properties of objects are.
struct FieldLayoutTests {
    @Test("this version of Swift reports them as expected") func expected() {
        #expect(RuntimeCheck.holds(.fieldLayout))
        expectEqual(FieldLayout.fieldsOfProbe.map(\.name), ["first", "second"])
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

    @Test("a class derived from the base class of another copy of the library is an error that says so")
    func otherCopy() throws {
        class Base {}
        final class Derived: Base {}
        try requireOneCopy(of: Derived.self)
        do throws(KeyValueError) {
            try requireOneCopy(of: Derived.self, Base.self)
            Issue.record("no error")
        } catch { #expect("\(error)".hasSuffix("the program contains AutoKVO twice: link it into one binary alone")) }
    }

    /// A class whose metadata, and that of its superclass, say no more than the flags in their descriptors.
    private func hasProblem(_ flags: UInt32, superclass flagsOfSuperclass: UInt32) -> Bool {
        typealias Metadata = (UInt, UInt, UInt, UInt, UInt, UInt)
        return withUnsafePointer(to: (flags, flagsOfSuperclass)) { descriptors in
            let address = UInt(bitPattern: descriptors)
            let superclass: Metadata = (0, 0, 0, 0, 0, address + 4)
            return withUnsafePointer(to: superclass) { superclass in
                let type: Metadata = (0, UInt(bitPattern: superclass), 0, 0, 0, address)
                return withUnsafePointer(to: type) { type in
                    FieldLayout.problemOfAddresses(in: unsafeBitCast(type, to: AnyClass.self)) != nil
                }
            }
        }
    }

    @Test("a generic class below one of another module, built for library evolution, has no addresses: an error")
    func addresses() {
        let (generic, below) = (UInt32(1) << 7, UInt32(1) << 29)
        #expect(!hasProblem(generic, superclass: 0) && !hasProblem(0, superclass: below))
        #expect(!hasProblem(below, superclass: generic))
        // Without the assumption nobody looks.
        let holds = RuntimeCheck.holds(.classMetadata)
        #expect(hasProblem(generic, superclass: below) == holds)
        #expect(hasProblem(generic | below, superclass: 0) == holds)
    }

    @Test("an element of a schema that is none of ours traps with a sentence") func foreignElement()
        async
    {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Foreign().value(forKey: "any")
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("A schema consists of Key, Hidden and Handler, and Element is none of them."))
    }
}
