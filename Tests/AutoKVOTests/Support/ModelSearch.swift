import AutoKVOTestSupport
import Testing

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Performs random runs of steps in new worlds until one finds a problem. Of that one the seed and the shortest run that fails
/// are reported. The environment variable `AUTOKVO_MODEL_SEED` is the first seed.
struct ModelSearch {
    private static let stepsInARun = 150
    let makeWorld: (_ keepsLog: Bool) -> any SteppedWorld

    func search(steps: Int) {
        let first = Self.environment("AUTOKVO_MODEL_SEED") ?? 1
        for seed in first..<first + (steps + Self.stepsInARun - 1) / Self.stepsInARun {
            var random = SplitMix64(seed: UInt64(seed))
            let run = (0..<Self.stepsInARun).map { _ in ModelStep(using: &random) }
            guard let problem = firstProblem(in: run, makeWorld(false)) else { continue }
            let shortest = shortened(run) { firstProblem(in: $0, makeWorld(false)) != nil }
            Issue.record(
                """
                seed \(seed): \(problem)
                the shortest run that fails:
                \(trace(of: shortest, makeWorld(true)))
                \(shortest)
                """)
            return
        }
    }

    static func environment(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }

    private func firstProblem(in run: [ModelStep], _ world: any SteppedWorld) -> String? {
        for step in run { if let problem = world.perform(step) { return problem } }
        return world.finish()
    }

    /// Leaves out ever smaller parts of a failing run as long as it still fails, until no single step can go.
    private func shortened(_ run: [ModelStep], while fails: ([ModelStep]) -> Bool) -> [ModelStep] {
        var run = run
        var size = run.count / 2
        while size > 0 {
            let before = run.count
            var start = 0
            while start < run.count {
                var shorter = run
                shorter.removeSubrange(start..<min(start + size, run.count))
                if fails(shorter) { run = shorter } else { start += size }
            }
            if size > 1 || run.count == before { size /= 2 }
        }
        return run
    }

    private func trace(of run: [ModelStep], _ world: any SteppedWorld) -> String {
        let problem = firstProblem(in: run, world)
        return (world.log + [problem ?? "no problem"]).joined(separator: "\n")
    }
}
