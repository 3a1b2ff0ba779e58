// The protocol of this folder: the types that all other folders name, and the text of messages. They are values without references
// to objects, so nothing here can be dead; only `Diagnostics.handler` is shared, which a lock guards and which is called without
// it. Read next: ObservingOptions.swift, KeyPathText.swift.

/// What was wrong with a name, a path or a value that the compiler cannot check.
///
/// A call that throws it has changed nothing: a registration left nothing registered and made no call, a coding call
/// set nothing.
public struct KeyValueError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was wrong.
    public enum Reason: Hashable, Sendable {
        /// The class declares no such key. `nearest` is the declared key most like it, if any is like it.
        case unknownKey(nearest: String?)
        /// The path has an empty component, as in `"a..b"`, or a bare `@`.
        case malformedPath
        /// The key's values are not of the type that was requested or passed.
        case wrongType(expected: String, actual: String)
        /// The observer's class declares no such handler.
        case unknownHandler(nearest: String?)
        /// The class does not let the key be set by name, or the path that was to be set ends in an operator.
        case readOnlyKey
        /// An object on the way of a path that was to be set, validated or edited is nil: `key` is the one that is nil.
        case noObject
        /// The path continues after a plain collection, or after a value that has no keys.
        case pathThroughCollection
        /// No such collection operator, or not in this place, or not for values of this type.
        case unsupportedOperator
        /// The collection has no element at the index that was to be read or edited.
        case indexOutOfRange(index: Int, count: Int)
        /// The object is being deinitialized, or is dead.
        case deinitializingObject
        /// The observation was removed, or a side of it is dead.
        case endedObservation
        /// The set of paths is empty, or a class of which all keys were to be observed has none.
        case emptyPathSet
        /// A removal names neither an observer nor a target.
        case nothingToMatch
        /// The class's schema contradicts itself, declares a key whose changes nothing announces, is written in another class, or was
        /// used outside of the actor that it names.
        case schemaFault(String)
        /// A validation refused the value; or a record, a change that is reverted or a number of elements does not fit; or entries of `setValues`
        /// replace each other's objects.
        case invalidValue(String)
    }

    /// What was wrong, for code; `description` is for people.
    public var reason: Reason { box.contents.reason }
    /// The class in question, empty where none is.
    public var className: String { box.contents.className }
    /// The key in question: one component of `keyPath`, or a handler's name.
    public var key: String { box.contents.key }
    /// The whole path in which the key stood.
    public var keyPath: String { box.contents.keyPath }
    /// The error that a validation threw, where the reason is `.invalidValue`. Nil if that was a `KeyValueError`, which is passed on itself.
    public var underlyingError: (any Error)? { box.contents.underlyingError }

    /// In an object: an error is thrown and passed on as one reference, which keeps everything that does so small.
    private let box: Box

    private final class Box: Sendable {
        let contents: Contents
        init(_ contents: Contents) { self.contents = contents }
    }

    private struct Contents {
        let reason: Reason
        var className, key, keyPath: String
        var underlyingError: (any Error)?
        /// What `description` says beyond the reason. Text from outside in it is already escaped and cut.
        var detail: String?
        /// What was wrong with the further entries of a call that takes several, in the order of their names.
        var following: [KeyValueError] = []
    }

    private init(_ contents: Contents) { box = Box(contents) }

    /// The same error, with something of it changed.
    private func with(_ change: (inout Contents) -> Void) -> KeyValueError {
        var contents = box.contents
        change(&contents)
        return KeyValueError(contents)
    }

    /// What was wrong with each entry of `setValues(_:validating:)`, in the order of their names: this error first. An error that stands
    /// alone is the only one.
    public var errors: [KeyValueError] { [with { $0.following = [] }] + box.contents.following }

    /// Makes an error, for overrides such as `value(forUndefinedKey:)` and for validations that refuse a value.
    ///
    /// - Parameters:
    ///   - reason: What was wrong.
    ///   - className: The class in question.
    ///   - key: The key in question.
    ///   - keyPath: The path in which the key stood; the key itself if left out.
    public init(_ reason: Reason, className: String = "", key: String = "", keyPath: String? = nil) {
        self.init(Contents(reason: reason, className: className, key: key, keyPath: keyPath ?? key))
    }

    /// Errors are equal if reason, class, key and path are.
    public static func == (a: KeyValueError, b: KeyValueError) -> Bool {
        a.reason == b.reason && a.className == b.className && a.key == b.key && a.keyPath == b.keyPath
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(reason)
        hasher.combine([className, key, keyPath])
    }

    /// One sentence with the class, the key and, where there is one, the nearest name. Names and paths are escaped, and
    /// cut after 200 characters: `key` and `keyPath` have them whole.
    ///
    /// If there are several `errors`, it has a line for each of the first eight, and one that says how many more there are.
    public var description: String { description { $0.sentence } }

    /// The same with other sentences for the errors.
    package func description(of sentence: (KeyValueError) -> String) -> String {
        let lines = errors.prefix(8).map(sentence)
        let others = box.contents.following.count + 1 - lines.count
        return (lines + (others > 0 ? ["and \(others) more"] : [])).joined(separator: "\n")
    }

    private var sentence: String {
        let (path, key) = (quoted(keyPath), quoted(key))
        let name = (className.isEmpty ? "" : className + ".") + shown(self.key)
        let detail = box.contents.detail
        switch reason {
        case .unknownKey(let nearest):
            return "unknown key \(path): \(className) has no key \(key)" + didYouMean(nearest)
        case .malformedPath: return "malformed key path \(path): a path is keys separated by single dots"
        case .wrongType(let expected, let actual):
            return "wrong type for \(path): \(name) \(detail ?? "holds \(expected), not \(actual)")"
        case .unknownHandler(let nearest):
            return "unknown handler \(key): \(className) has no handler of that name" + didYouMean(nearest)
        case .readOnlyKey: return "read-only key \(path): \(detail ?? "\(name) cannot be set by name")"
        case .noObject: return "no object for \(path): \(name) is nil"
        case .pathThroughCollection:
            return "key path \(path) cannot go on behind \(name)\(detail ?? ", which is not an object with keys")"
        case .unsupportedOperator:
            let nearest = nearestName(to: self.key, among: CollectionOperator.allCases.map { "@\($0)" })
            return "unsupported operator \(key) in key path \(path)" + (detail.map { ": \($0)" } ?? didYouMean(nearest))
        case .indexOutOfRange(let index, let count):
            return "index \(index) is out of range for \(name), which has \(count) element\(count == 1 ? "" : "s")"
        case .deinitializingObject:
            return "\(className.isEmpty ? "the object" : "an object of class \(className)") is being deinitialized"
                + (keyPath.isEmpty ? "" : ", so \(path) cannot be used")
        case .endedObservation:
            return "the observation\(keyPath.isEmpty ? "" : " of \(path)") has ended and cannot be armed again"
        case .emptyPathSet: return className.isEmpty ? "no key path was given" : "\(className) has no keys to observe"
        case .nothingToMatch: return "neither an observer nor a target was given to remove observations of"
        case .schemaFault(let fault):
            return "the schema of \(className) is faulty" + (self.key.isEmpty ? "" : " at key \(key)") + ": \(fault)"
        case .invalidValue(let why): return "invalid value for \(path): \(shown(why))"
        }
    }

    /// The error for several entries of which each has one. Nil if there is none.
    init?(_ errors: [KeyValueError]) {
        guard let first = errors.first else { return nil }
        self = first.with { $0.following = errors.dropFirst().map { $0.errors[0] } }
    }

    /// The same error of a key, if it names none: a validation need not say which value it refused.
    func named(className: String, key: String, keyPath: String) -> KeyValueError {
        if !self.className.isEmpty || !self.key.isEmpty || !self.keyPath.isEmpty { return self }
        return with { ($0.className, $0.key, $0.keyPath) = (className, key, keyPath) }
    }

    /// The same error with the one that is its reason.
    func caused(by error: any Error) -> KeyValueError { with { $0.underlyingError = error } }

    /// The same error with more to say.
    func saying(_ detail: String?) -> KeyValueError { with { $0.detail = detail } }
}

/// What an expression gives. An error of it is a mistake in code, and traps.
func orTrap<Result>(_ body: @autoclosure () throws(KeyValueError) -> Result) -> Result {
    do throws(KeyValueError) { return try body() } catch { fatalMisuse("\(error)") }
}

/// What an expression gives. An error of it is reported, behind what it means, where no caller could be told.
func orReport<Result>(
    _ meaning: @autoclosure () -> String, _ body: @autoclosure () throws(KeyValueError) -> Result?
) -> Result? {
    do throws(KeyValueError) { return try body() } catch {
        Diagnostics.report("\(meaning()): \(error)")
        return nil
    }
}
