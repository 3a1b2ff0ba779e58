internal import CSwiftRuntime
@_spi(Reflection) import Swift

/// The stored properties of a class and its superclasses: their names, their offsets in an object, and their types.
///
/// **Assumption** `fieldLayout`: `_forEachField` of the standard library reports them, and the runtime knows how many bytes an
/// object of each class has. The probe compares both with an object whose contents are known. A module that was built without
/// reflection metadata has no names to report: see `moduleWithoutReflection(below:)`.
package struct FieldLayout {
    package struct Field {
        package let name: String
        package let offset: Int
        package let type: Any.Type

        package init(name: String, offset: Int, type: Any.Type) {
            (self.name, self.offset, self.type) = (name, offset, type)
        }

        /// The value of the field in an object of the class. The type is the field's, or that of what the field begins with.
        @inline(__always)
        func value<Object, Value>(in object: Borrowed<Object>, as type: Value.Type) -> Value {
            (object.rawAddress + offset).assumingMemoryBound(to: type).pointee
        }
    }

    let type: AnyClass
    /// Those of the superclasses first. That of a field that takes no space, such as an enum of one case, has the offset 0.
    private(set) var fields: [Field] = []

    init(of type: AnyClass) {
        self.type = type
        _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) { name, offset, fieldType, _ in
            let name = String(cString: name)
            // A raw identifier, such as the storage of `first name`, is quoted, and has no-break spaces.
            let isQuoted = name.utf8.first == UInt8(ascii: "`")
            let text = isQuoted ? String(name.dropFirst().dropLast().map { $0 == "\u{A0}" ? " " : $0 }) : name
            fields.append(Field(name: text, offset: offset, type: fieldType))
            return true
        }
    }

    /// The offsets of the properties that a class itself adds. They lie behind those that it inherits.
    static func ownOffsets(of type: AnyClass) -> Range<Int> {
        func size(_ type: AnyClass) -> Int { csr_instance_size(metadata(of: type)) }
        return (_getSuperclass(type).map(size) ?? 0)..<size(type)
    }

    /// The module of the class, or of a superclass up to a given one, that has stored properties of which none has a name.
    func moduleWithoutReflection(below root: AnyClass) -> String? {
        let named = fields.filter { !$0.name.isEmpty }.map(\.offset)
        let classes = sequence(first: type) { _getSuperclass($0) }.prefix { $0 != root }
        let unnamed: AnyClass? = classes.first {
            let own = Self.ownOffsets(of: $0)
            return !own.isEmpty && !named.contains(where: own.contains)
        }
        return unnamed.map { String(_typeName($0, qualified: true).prefix { $0 != "." }) }
    }

    /// What the standard library reports of an object with known contents, without what it reports besides.
    package static var fieldsOfProbe: [Field] {
        FieldLayout(of: RuntimeProbe.self).fields.filter { ["", "first", "second"].contains($0.name) }
    }

    /// Why the compiler gives no address of a property that the class adds; nil if it does.
    package static func problemOfAddresses(in type: AnyClass) -> String? {
        RuntimeCheck.holds(.classMetadata) && csr_stores_by_functions(metadata(of: type))
            ? "it is generic, and has a superclass in a module built with -enable-library-evolution" : nil
    }

    /// Whether what might have been reported is right.
    package static func probe(_ fields: [Field]) -> Bool {
        let (probe, own) = (RuntimeProbe.make(), ownOffsets(of: RuntimeProbe.self))
        return fields.allSatisfy { field in
            switch field.name {
            case "": true  // There is no reflection metadata.
            case "first":
                ownOffsets(of: RuntimeProbeBase.self).contains(field.offset) && field.type == UInt8.self
                    && field.value(in: .to(probe), as: UInt8.self) == probe.first
            case "second":
                own.contains(field.offset) && field.type == UInt64.self
                    && field.value(in: .to(probe), as: UInt64.self) == probe.second
            default: false
            }
        }
    }
}
