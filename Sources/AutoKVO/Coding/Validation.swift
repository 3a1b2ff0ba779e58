extension TrackedObject {
    /// Checks whether a value may be set for a key, and lets the class correct it.
    ///
    /// First the `validate:` of the `Key` checks it, as a value of the property's type, then the object's
    /// `validate(_:forKey:)`; either may replace it. If superclasses declare the key too, theirs come first. Without them every value
    /// passes, of any type, and so does a value for a key that cannot be set by name: see `KeyDescription.isSettable`. Nothing is set,
    /// and no observer is called.
    ///
    /// - Parameters:
    ///   - value: The value; on return what replaced it. Unchanged if the call throws.
    ///   - key: A key of this object.
    /// - Throws: A `KeyValueError`: `.invalidValue` with the description of what a validation threw, which is its
    ///   `underlyingError` (a `KeyValueError` is thrown as it is, with the key if it names none), `.wrongType` for a value that is not of
    ///   the type of the key's `validate:`, or the error for a name that is not declared.
    /// - Complexity: O(1) and the validations, which run on this thread.
    public func validateValue(_ value: inout Any?, forKey key: String) throws(KeyValueError) {
        let schema = try requireSchema()
        try validate(&value, schema, try schema.requireKey(key, in: key), in: key)
    }

    /// Checks whether a value may be set at the end of a key path, and lets the class of the object there correct it.
    ///
    /// - Throws: As `validateValue(_:forKey:)`, for a path that is not right or ends in an operator, and `.noObject` if an
    ///   object on the way is nil.
    /// - Complexity: O(*n*) for *n* components, and the validations.
    public func validateValue(_ value: inout Any?, forKeyPath keyPath: String) throws(KeyValueError) {
        let end = try pathEnd(keyPath)
        if let (schema, key) = end.key {
            if let object = end.object { return try object.validate(&value, schema, key, in: keyPath) }
            for declared in key.validating { _ = try schema.convert(value, for: key, declared, in: keyPath) }
        }
        throw end.noObject!
    }

    func validate(
        _ value: inout Any?, _ schema: ClassSchema, _ key: ResolvedKey, in keyPath: String
    ) throws(KeyValueError) {
        let validating = key.validating
        var candidate = value.flatMap { validating.isEmpty && isNull($0) ? nil : $0 }
        do {
            for declared in validating {
                var typed = try schema.convert(candidate, for: key, declared, in: keyPath)
                guard declared.isCallable else {
                    let fault = "its validation belongs to the main actor, as the schema says, and was called elsewhere"
                    throw KeyValueError.schemaFault(fault, of: declared.owner, key: key.name, in: keyPath)
                }
                try declared.validate!(self, &typed)
                candidate = typed
            }
            if !validating.isEmpty { candidate = candidate.flatMap(unwrapped) }
            try self.validate(&candidate, forKey: key.name)
        } catch let error as KeyValueError {
            throw error.named(className: schema.className, key: key.name, keyPath: keyPath)
        } catch { throw schema.error(.invalidValue("\(error)"), of: key, in: keyPath).caused(by: error) }
        value = candidate
    }
}

// In an extension of the protocol, so that a subclass may use the name for a property of its own.
extension KeyValueObserver where Self: TrackedObject {
    /// What is wrong with the values that the object has now: for each key whose validation refuses its value, the sentence of what
    /// the validation threw, to be shown beside the field of a form. Empty if all values are right.
    ///
    ///     label.$text.bind { form.validationErrors["age"] ?? "" }
    ///     form.observe(\.validationErrors) { form, change in … }
    ///     @Derived({ (form: Form) in form.validationErrors.isEmpty }) var canSave: Bool
    ///
    /// It is observed like any property that is computed: it changes with the values, and with what else the validations read. Those of
    /// all keys that can be set, or whose `Key` has a `validate:`, are run, and whatever a validation corrects passes. The sentence is the text of
    /// `KeyValueError(.invalidValue("…"))`, or the description of another error.
    ///
    /// A faulty schema is a mistake in code and traps.
    ///
    /// - Complexity: O(*n*) for *n* keys and their validations, which run on this thread.
    public var validationErrors: [String: String] {
        let schema = orTrap(try requireSchema())
        var errors: [String: String] = [:]
        for key in schema.namedKeys where key.declared.write != nil || !key.validating.isEmpty {
            let own: Any? = valueOfKey(key.slot, of: schema)
            var value = key.validating.isEmpty ? own.flatMap(unwrapped) : own
            do throws(KeyValueError) { try validate(&value, schema, key, in: key.name) } catch {
                errors[key.name] = if case .invalidValue(let why) = error.reason { why } else { "\(error)" }
            }
        }
        return errors
    }
}
