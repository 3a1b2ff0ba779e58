/// What was wrong with a name, a path or a value that came from outside.
///
/// A call that throws it has changed nothing: a registration left nothing registered and made no call, a coding call
/// set nothing.
public struct KeyValueError: Error, Hashable, Sendable {
    /// What was wrong.
    public enum Reason: Hashable, Sendable {
        /// The class declares no such key. `nearest` is the declared key most like it, if any is like it.
        case unknownKey(nearest: String?)
        /// The path has an empty component, or an operator in a place where none can be.
        case malformedPath
        /// The key has values of another type than was asked for or given.
        case wrongType(expected: String, actual: String)
        /// The observer's class declares no such handler.
        case unknownHandler(nearest: String?)
        /// The key has no setter.
        case readOnlyKey
        /// The path goes on behind a plain collection, or behind a value that has no keys.
        case pathThroughCollection
        /// No such collection operator, or not in this place.
        case unsupportedOperator
        /// An element was asked for or edited that the collection does not have.
        case indexOutOfRange(index: Int, count: Int)
        /// The object is being deinitialized, or is dead.
        case deinitializingObject
        /// The observation was removed, or a side of it is dead.
        case endedObservation
        /// No path was given.
        case emptyPathSet
        /// Neither an observer nor a target was given to remove by.
        case nothingToMatch
        /// The class's schema contradicts itself, declares a key whose changes nothing announces, stands in another class, or was
        /// used off the actor that it names.
        case schemaFault(String)
        /// The value was refused by the key's validation.
        case invalidValue(String)
    }

    /// What was wrong, to be told apart by code; `description` is for people.
    public let reason: Reason
    /// The class in question, empty where none is.
    public let className: String
    /// The key in question: one component of `keyPath`, or a handler's name.
    public let key: String
    /// The whole path in which the key stood.
    public let keyPath: String

    /// Makes an error, for overrides such as `value(forUndefinedKey:)` and for validations that refuse a value.
    ///
    /// - Parameters:
    ///   - reason: What was wrong.
    ///   - className: The class in question.
    ///   - key: The key in question.
    ///   - keyPath: The path in which the key stood; the key itself if left out.
    public init(_ reason: Reason, className: String = "", key: String = "", keyPath: String? = nil) {
        self.reason = reason
        self.className = className
        self.key = key
        self.keyPath = keyPath ?? key
    }
}

extension KeyValueError: CustomStringConvertible {
    /// One sentence with the class, the key and, where there is one, the nearest name.
    public var description: String {
        let path = "\"\(keyPath)\""
        func hint(_ nearest: String?) -> String { nearest.map { ", did you mean \"\($0)\"?" } ?? "" }
        switch reason {
        case .unknownKey(let nearest):
            return "unknown key \(path): \(className) has no key \"\(key)\"" + hint(nearest)
        case .malformedPath:
            return "malformed key path \(path): a path is keys separated by single dots"
        case .wrongType(let expected, let actual):
            return "wrong type for \(path): \(className).\(key) holds \(expected), not \(actual)"
        case .unknownHandler(let nearest):
            return "unknown handler \"\(key)\": \(className) has no handler of that name" + hint(nearest)
        case .readOnlyKey:
            return "read-only key \(path): \(className).\(key) has no setter"
        case .pathThroughCollection:
            return "key path \(path) cannot go on behind \(className).\(key), which is not an object with keys"
                + "; behind a collection an operator can follow, such as \"\(key).@count\""
        case .unsupportedOperator:
            return "unsupported operator \"\(key)\" in key path \(path)"
        case .indexOutOfRange(let index, let count):
            return "index \(index) is out of range for \(className).\(key), which has \(count) elements"
        case .deinitializingObject:
            return "\(className.isEmpty ? "the object" : "an object of class \(className)") is being deinitialized"
                + (keyPath.isEmpty ? "" : ", so \(path) cannot be used")
        case .endedObservation:
            return "the observation of \(path) has ended and cannot be armed again"
        case .emptyPathSet:
            return "no key path was given"
        case .nothingToMatch:
            return "neither an observer nor a target was given to remove observations of"
        case .schemaFault(let fault):
            return "the schema of \(className) is faulty" + (key.isEmpty ? "" : " at key \"\(key)\"") + ": \(fault)"
        case .invalidValue(let why):
            return "invalid value for \(path): \(why)"
        }
    }

    /// The same error for a key that stands in a longer path.
    func within(_ keyPath: String) -> KeyValueError {
        KeyValueError(reason, className: className, key: key, keyPath: keyPath)
    }
}
