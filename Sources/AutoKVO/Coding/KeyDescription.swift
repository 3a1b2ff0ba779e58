/// What a class offers under one name: for editors, scripts and settings files that list the keys at run time.
///
/// `TrackedObject.keyDescriptions` makes it. It describes the class, not an object, and does not change.
public struct KeyDescription: CustomStringConvertible {
    /// The key.
    public let name: String
    /// The type of the property, as it is declared.
    public let valueType: Any.Type
    /// Whether the property can be set by name: its schema has a `Key` whose key path can be written.
    public let isSettable: Bool
    /// The keys and paths that the value is computed from, as declared; empty if the key is not derived, or from what it reads.
    public let affectedBy: [String]
    /// Whether the property refers weakly to an object, whose death changes it to nil.
    public let isWeak: Bool
    /// The class that declares the property, or, for one that is not observed itself, the first `Key` for it.
    public let declaringClass: AnyClass

    /// Whether the value is computed from other keys or paths: those of `affectedBy`, or what the computation reads.
    public let isDerived: Bool
    /// Whether the values are arrays, sets or dictionaries, optional ones among them.
    public var isCollection: Bool { unwrappedType(valueType) is any KeyValueCollection.Type }

    /// Such as `age: Int, settable`.
    @export(implementation) public var description: String {
        let traits = (isSettable ? ", settable" : "") + (isWeak ? ", weak" : "") + (isDerived ? ", derived" : "")
        let bases = isDerived && !affectedBy.isEmpty ? " from " + affectedBy.joined(separator: ", ") : ""
        return "\(name): \(valueType)\(traits)\(bases)"
    }
}

extension TrackedObject {
    /// The keys of the class that can be named: those of its superclass first, then its own `@Observed` properties in the order in
    /// which they are written, then what else its schema declares.
    ///
    /// A faulty schema is a mistake in code and traps with a sentence; `validateSchema()` throws it. May be read on any thread.
    ///
    /// - Complexity: O(*n*) for *n* keys.
    public class var keyDescriptions: [KeyDescription] {
        orTrap(try ClassSchema.of(self)).namedKeys.map { key in
            KeyDescription(
                name: key.name, valueType: key.declared.valueType, isSettable: key.declared.write != nil,
                affectedBy: key.affectedBy, isWeak: key.isWeak, declaringClass: key.declarations.last!.owner,
                isDerived: key.isRecorded || !key.affectedBy.isEmpty)
        }
    }

    /// Checks what the class says about itself: one line in a test, `try Person.validateSchema()`, finds what would else be found at
    /// the first use by name.
    ///
    /// - Throws: A `KeyValueError` with the first fault of the schema of this class or a superclass: also that a key is affected by
    ///   a path which the classes on the way do not have, which is otherwise found when that key is first read or observed by name.
    /// - Complexity: O(*n*) for *n* keys and the paths that they are affected by. May be called on any thread.
    public class func validateSchema() throws(KeyValueError) {
        let schema = try ClassSchema.of(self)
        for key in schema.keys { try schema.checkPaths(of: key) }
    }
}
