import AutoKVO
import Foundation

extension KeyValueError: LocalizedError {
    /// The sentence that `description` has; of a value that a validation refused with a `LocalizedError`, with that
    /// error's own sentence in it.
    public var errorDescription: String? {
        guard case .invalidValue = reason, let own = (underlyingError as? any LocalizedError)?.errorDescription else {
            return description
        }
        return KeyValueError(.invalidValue(own), className: className, key: key, keyPath: keyPath).description
    }
}
