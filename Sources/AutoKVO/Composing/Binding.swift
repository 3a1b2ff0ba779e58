import Synchronization

/// What a binding knows of the property that follows: everything but the object.
final class Binding: Sendable {
    private let keyPath: String
    private let schema: ClassSchema
    private let declared: DeclaredKey
    // The function is the user's, called on the threads of the changes, as handlers are.
    private nonisolated(unsafe) let transform: BindingTransform
    /// How often the binding is inside itself now: two properties that follow each other and come to no equal value.
    private let depth = Atomic<Int>(0)

    private static let deepest = 64

    /// Checks all that can be checked before there is a value.
    init(
        of key: String, of object: TrackedObject, to path: ParsedKeyPath, of source: TrackedObject.Type,
        _ transform: BindingTransform
    ) throws(KeyValueError) {
        schema = try ClassSchema.of(type(of: object))
        declared = schema.keys[try schema.requireSlot(of: key, in: key)].declared
        keyPath = path.text
        self.transform = transform
        if declared.write == nil { throw KeyValueError(.readOnlyKey, className: schema.className, key: key) }
        let given = try path.valueType(from: source)
        guard let result = transform.resultType(given) else {
            throw KeyValueError(
                .invalidValue("the binding's transform takes no \(given)"), className: schema.className, key: key,
                keyPath: keyPath)
        }
        guard canConvert(from: result, to: declared.valueType) || isNumber(result) && isNumber(declared.valueType)
        else {
            throw KeyValueError(
                .wrongType(expected: "\(declared.valueType)", actual: "\(result)"), className: schema.className,
                key: key)
        }
    }

    /// What the property would be set to for a value of the source.
    func converted(_ value: Any?) throws(KeyValueError) -> Any {
        try schema.convert(transform.body(value.flatMap(unwrapped)), for: declared, in: declared.name)
    }

    /// Sets the property to what a value of the source makes of it, unless it has an equal value.
    func follow(_ value: Any?, on object: TrackedObject) {
        let wanted: Any
        do throws(KeyValueError) {
            wanted = try converted(value)
        } catch {
            return Diagnostics.report("A binding to \(quoted(keyPath)) has no value for the property: \(error)")
        }
        if areEqual(declared.read(object), wanted) { return }
        let outer = depth.wrappingAdd(1, ordering: .relaxed).oldValue
        defer { depth.wrappingSubtract(1, ordering: .relaxed) }
        // Values that cannot be compared stop when they come back to where they started.
        if outer > 0, !areEqual(wanted, wanted) { return }
        if outer >= Self.deepest {
            return Diagnostics.report(
                "\(schema.className).\(declared.name) is bound in a circle in which no value becomes equal; "
                    + "it was left as it is"
            )
        }
        do throws(KeyValueError) {
            try object.setValue(wanted, forKey: declared.name)
        } catch {
            Diagnostics.report("A binding to \(quoted(keyPath)) could not set the property: \(error)")
        }
    }
}

private func isNumber(_ type: Any.Type) -> Bool {
    let type = unwrappedType(type)
    return type is any BinaryInteger.Type || type is any BinaryFloatingPoint.Type
}
