import AutoKVO
import Foundation

extension KeyValueError: LocalizedError {
    /// The sentence of `description`. If a validation refused a value with a `LocalizedError`, it contains that error's own
    /// sentence.
    public var errorDescription: String? {
        guard case .invalidValue = reason, let own = (underlyingError as? any LocalizedError)?.errorDescription else {
            return description
        }
        return KeyValueError(.invalidValue(own), className: className, key: key, keyPath: keyPath).description
    }
}
