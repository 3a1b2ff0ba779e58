public import AutoKVO
public import Dispatch

/// Delivers changes on a queue: `try person.observe("age", as: Int.self, on: DispatchQueue.global()) { change in … }`.
///
/// They arrive in the order in which they were made, on a concurrent queue too.
extension DispatchQueue: ChangeScheduler {
    public func schedule(_ operation: @escaping @Sendable () -> Void) {
        async(execute: operation)
    }
}
