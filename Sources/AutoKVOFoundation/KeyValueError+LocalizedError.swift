import AutoKVO
import Foundation

extension KeyValueError: LocalizedError {
    /// The sentence of `description`, or its lines if there are several `errors`. Where a validation refused a value with a
    /// `LocalizedError`, it contains that error's own sentence. What `description` advises the programmer to write in a schema is
    /// left out, so that it can be shown to a user; a `.schemaFault`, which is for programmers, keeps it.
    public var errorDescription: String? { description { $0.localizedSentence } }

    /// The sentence of one of `errors`: with the own one of the error that a validation threw, as it is, and without advice to the programmer.
    private var localizedSentence: String {
        switch reason {
        case .invalidValue:
            guard let own = (underlyingError as? any LocalizedError)?.errorDescription else { return description }
            return KeyValueError(.invalidValue(""), className: className, key: key, keyPath: keyPath).description + own
        case .readOnlyKey where !key.hasPrefix("@"):
            return KeyValueError(.readOnlyKey, className: className, key: key, keyPath: keyPath).description
        default:
            return description
        }
    }
}
