import CBenchSupport
import Dispatch

/// Runs `body` in a task and waits for it on this thread.
public func inTask<Result>(_ body: @escaping () async -> Result) -> Result {
    let job = TaskJob(body)
    Task.detached {
        job.result = await job.body()
        job.isOver.signal()
    }
    job.isOver.wait()
    return job.result!
}

// The semaphore orders the task before the thread that waits.
private final class TaskJob<Result>: @unchecked Sendable {
    let body: () async -> Result
    let isOver = DispatchSemaphore(value: 0)
    var result: Result?
    init(_ body: @escaping () async -> Result) { self.body = body }
}

/// As `sampled`, in a task.
@inlinable
public func sampledInTask(_ samples: Int, per: Int = 1, _ body: (Int) async -> Void) async -> [Double] {
    var count = 1
    while true {
        let start = bench_now()
        await body(count)
        let took = bench_now() - start
        if took >= shortestBatch { break }
        let wanted = Double(shortestBatch) * 1.2 / Double(max(took, 100))
        count = max(count * 2, min(count * 50, Int(Double(count) * wanted)))
    }
    var result: [Double] = []
    for _ in 0..<samples {
        let start = bench_now()
        await body(count)
        result.append(Double(bench_now() - start) / Double(count * per))
    }
    return result
}

/// Calls counted on one thread at a time, and read when they are over.
public final class SharedTally: @unchecked Sendable {
    public var calls = 0
    public init() {}
}

/// An actor that counts, whose bare delivery is a task of its global actor: such a task goes into the actor's queue at once.
@globalActor
public actor Station {
    public static let shared = Station()
    public var calls = 0
    public func called() { calls &+= 1 }
}

/// The sizes at which most of the second set runs: 1, 100, 10,000, and that of its bar.
public enum Sizes {
    public static let keys = [1, 20, 100, 10_000]
    public static let path = [1, 3, 100, 10_000]
    public static let usual = [1, 100, 10_000]
    public static let objects = [1, 10, 100, 10_000]
    public static let elements = [1, 100, 1000, 10_000]
}

/// Keeps the compiler from leaving out what made the value.
@inline(never)
public func consume(_ value: Any?) { withExtendedLifetime(value) {} }
