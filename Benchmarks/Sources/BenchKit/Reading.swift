import Foundation

/// Reads a property of each of N objects, which are all zero.
///
/// - Parameters:
///   - system: The system that the objects are of.
///   - other: Something that a thread does as long as this is measured, given what to wait in.
///   - sum: Reads them, in a loop of the module that measures.
public func reading<Target>(
    _ system: String, _ workload: String, n: Int = 1000,
    while other: (@Sendable (_ wait: @escaping () -> Void) -> Void)? = nil,
    _ makeTarget: @escaping () -> Target, _ sum: @escaping ([Target]) -> Int
) -> Cell {
    Cell(system: system, workload: workload, n: n) { samples in
        let targets = (0..<n).map { _ in makeTarget() }
        let (begun, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        if let other {
            Thread.detachNewThread {
                other {
                    begun.signal()
                    isOver.wait()
                }
            }
            begun.wait()
        }
        var total = 0
        let result = sampled(samples, per: targets.count) { count in
            for _ in 0..<count { total &+= sum(targets) }
        }
        isOver.signal()
        check("\(workload) sum", total, equals: 0)
        return [Line(workload, "ns/read", result)]
    }
}
