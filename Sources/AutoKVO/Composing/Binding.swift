/// What a binding keeps of the property that follows: its key and the transform, but not the object.
///
/// **The protocol of this folder.** It uses only the public interface of the other folders. Everything is an observation: a
/// binding and a dependency have a name as user info, under which the observer has at most one of them (`ObservationName`); a
/// stream ends with its observation and the observation with its stream. Observations keep neither side alive, so both sides are
/// passed to the handler by the delivery that retains them. There is no lock here. Read next: TrackedObject+Bind.swift.
final class Binding: Sendable {
    private let key: String
    private let keyPath: String
    // The function is the user's, called on the threads of the changes, as handlers are.
    private nonisolated(unsafe) let transform: BindingTransform
    private let circle = BindingCircle()

    /// Checks all that can be checked before there is a value.
    init(
        of key: String, of object: TrackedObject, to keyPath: String, of source: TrackedObject.Type,
        _ transform: BindingTransform
    ) throws(KeyValueError) {
        self.key = key
        self.keyPath = keyPath
        self.transform = transform
        let given = try source.valueType(forKeyPath: keyPath)
        guard let result = transform.resultType(for: given) else {
            throw KeyValueError(
                .invalidValue("the binding's transform takes no \(given)"), className: "\(type(of: object))", key: key,
                keyPath: keyPath)
        }
        try object.checkType(result, forKey: key)
    }

    /// What the property would be set to for a value of the source.
    func converted(_ value: Any?, for object: TrackedObject) throws(KeyValueError) -> Any {
        try object.convertedValue(transform(value), forKey: key)
    }

    /// Sets the property to the transformed value of the source, unless it has an equal value.
    func follow(_ value: Any?, on object: TrackedObject) {
        do throws(KeyValueError) {
            let new = try converted(value, for: object)
            try circle.set(new, insteadOf: try object.value(forKey: key), "\(type(of: object)).\(key)") {
                () throws(KeyValueError) in try object.setValue(new, forKey: key)
            }
        } catch {
            Diagnostics.report("A binding to \(keyPath.debugDescription) cannot set the property: \(error)")
        }
    }
}
