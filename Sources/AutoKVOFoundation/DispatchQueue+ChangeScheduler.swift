public import AutoKVO
public import Dispatch

/// Delivers changes on a queue: `try person.observe("age", as: Int.self, on: DispatchQueue.global()) { change in … }`.
///
/// They arrive in the order in which they were made, on a concurrent queue too. On a serial queue each keeps its place among
/// the other work: `person.age = 1; queue.sync {}` returns after the handler has run.
extension DispatchQueue: ChangeScheduler {
    public func schedule(_ operation: @escaping @Sendable () -> Void) { async(execute: operation) }
}
