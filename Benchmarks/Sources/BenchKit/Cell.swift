import CBenchSupport

/// One thing to run: a workload of a system at a size.
public struct Cell {
    public let system: String
    public let workload: String
    public let n: Int
    /// Takes the number of samples and returns what it measured.
    public let run: (Int) -> [Line]

    public init(system: String, workload: String, n: Int = 1, run: @escaping (Int) -> [Line]) {
        self.system = system
        self.workload = workload
        self.n = n
        self.run = run
    }
}

/// One row of the output: what was measured, in which unit, and every sample of it.
public struct Line {
    public var workload: String
    public var unit: String
    public var samples: [Double]

    @inlinable
    public init(_ workload: String, _ unit: String, _ samples: [Double]) {
        self.workload = workload
        self.unit = unit
        self.samples = samples
    }
}

/// A batch is at least this long, in nanoseconds: fifty thousand times the clock's own cost.
@usableFromInline let shortestBatch: UInt64 = 1_200_000

/// Times `body(count)`, with a count at which one batch takes more than a millisecond.
///
/// - Parameter per: what one turn of the body counts for: a set with a thousand handlers counts for a thousand.
/// - Returns: nanoseconds for one operation, one value a batch.
@inlinable
public func sampled(_ samples: Int, per: Int = 1, _ body: (Int) -> Void) -> [Double] {
    var count = 1
    while true {
        let start = bench_now()
        body(count)
        let took = bench_now() - start
        if took >= shortestBatch { break }
        let wanted = Double(shortestBatch) * 1.2 / Double(max(took, 100))
        count = max(count * 2, min(count * 50, Int(Double(count) * wanted)))
    }
    return (0..<samples).map { _ in
        let start = bench_now()
        body(count)
        return Double(bench_now() - start) / Double(count * per)
    }
}

/// Times pieces until they add up to a batch; a piece prepares and cleans up outside the clock.
///
/// - Parameter piece: does some operations and returns how many, and how many nanoseconds they took.
@inlinable
public func sampledPieces(_ samples: Int, _ piece: () -> (operations: Int, took: UInt64)) -> [Double] {
    _ = piece()
    return (0..<samples).map { _ in
        var operations = 0
        var took: UInt64 = 0
        repeat {
            let next = piece()
            operations += next.operations
            took += next.took
        } while took < shortestBatch
        return Double(took) / Double(operations)
    }
}

/// How long `body` takes, in nanoseconds.
@inlinable
public func timed(_ body: () -> Void) -> UInt64 {
    let start = bench_now()
    body()
    return bench_now() - start
}

/// The bytes of one instance, header included, before the allocator rounds them up.
public func instanceSize(of type: AnyClass) -> Int { positiveExtent(of: type) }

@_silgen_name("$ss36_class_getInstancePositiveExtentSizeySiyXlXpF")
private func positiveExtent(of type: AnyClass) -> Int
