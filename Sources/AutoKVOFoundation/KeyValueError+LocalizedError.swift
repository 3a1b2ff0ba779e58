import AutoKVO
import Foundation

extension KeyValueError: LocalizedError {
    /// The sentence of `description`, or its lines if there are several `errors`. Where a validation refused a value with a
    /// `LocalizedError`, it contains that error's own sentence.
    public var errorDescription: String? { description { $0.withLocalizedSentence.description } }

    /// One of `errors`, with the own sentence of the error that a validation threw.
    private var withLocalizedSentence: KeyValueError {
        guard case .invalidValue = reason, let own = (underlyingError as? any LocalizedError)?.errorDescription else {
            return self
        }
        return KeyValueError(.invalidValue(own), className: className, key: key, keyPath: keyPath)
    }
}
