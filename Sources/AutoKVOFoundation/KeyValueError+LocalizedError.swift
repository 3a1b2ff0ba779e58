import AutoKVO
import Foundation

extension KeyValueError: LocalizedError {
    /// The sentence of `description`, or its lines if there are several `errors`. Where a validation refused a value with a
    /// `LocalizedError`, it contains that error's own sentence. What `description` advises the programmer to write in a schema is
    /// left out, so that it can be shown to a user.
    public var errorDescription: String? { description { $0.withLocalizedSentence.description } }

    /// One of `errors`, with the own sentence of the error that a validation threw, and without advice to the programmer.
    private var withLocalizedSentence: KeyValueError {
        switch reason {
        case .invalidValue:
            guard let own = (underlyingError as? any LocalizedError)?.errorDescription else { return self }
            return KeyValueError(.invalidValue(own), className: className, key: key, keyPath: keyPath)
        case .readOnlyKey where !key.hasPrefix("@"):
            return KeyValueError(.readOnlyKey, className: className, key: key, keyPath: keyPath)
        default:
            return self
        }
    }
}
