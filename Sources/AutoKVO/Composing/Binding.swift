/// What a binding keeps of the property that follows: its key and the transform, but not the object.
///
/// **The protocol of this folder.** It uses only the public interface of the other folders. Everything is an observation: a
/// binding and a dependency have a name as user info, under which the observer has at most one of them (`ObservationName`); a
/// stream ends with its observation and the observation with its stream. Observations keep neither side alive, so both sides are
/// passed to the handler by the delivery that retains them. There is no lock here. Read next: TrackedObject+Bind.swift.
final class Binding: Sendable {
    private let key: SettableKey
    private let keyPath: String
    private let name: String
    // The function is the user's, called on the threads of the changes, as handlers are.
    private nonisolated(unsafe) let transform: BindingTransform
    private let circle = BindingCircle()

    /// Checks all that can be checked before there is a value.
    init(
        of key: String, of object: TrackedObject, to keyPath: String, of source: TrackedObject.Type,
        _ transform: BindingTransform
    ) throws(KeyValueError) {
        self.keyPath = keyPath
        self.transform = transform
        name = "\(type(of: object)).\(key)"
        let given = try source.valueType(forKeyPath: keyPath)
        guard let result = transform.resultType(for: given) else {
            throw KeyValueError(
                .invalidValue("the binding's transform takes no \(given)"), className: "\(type(of: object))", key: key,
                keyPath: keyPath)
        }
        self.key = try SettableKey(key, of: object, for: result)
    }

    /// What the property would be set to for a value of the source.
    func converted(_ value: Any?) throws(KeyValueError) -> Any { try key.converted(transform(value)) }

    /// Sets the property to the transformed value of the source, unless it has an equal value.
    func follow(_ value: Any?, on object: TrackedObject) {
        do throws(KeyValueError) {
            let new = try converted(value)
            circle.set(new, insteadOf: key.value(of: object), by: areEqual, name) { key.set(new, of: object) }
        } catch {
            Diagnostics.report("A binding to \(keyPath.debugDescription) cannot set the property: \(error)")
        }
    }
}
