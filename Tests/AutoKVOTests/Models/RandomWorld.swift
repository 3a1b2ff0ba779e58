import AutoKVO
import AutoKVOTestSupport
import Testing

/// What the random worlds have in common: they pick, note what they do in a step, and keep the first fault with the notes of its step.
class RandomWorld {
    final var random: SplitMix64
    /// How deep in handlers.
    final var depth = 0
    /// How deep in blocks that hold changes back.
    final var held = 0
    private var trace: [String] = []
    private(set) final var fault: String?
    private let disturbance: Disturbance

    init(seed: Int) {
        random = SplitMix64(seed: UInt64(seed))
        disturbance = Disturbance(seed: seed)
    }

    final func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

    /// Begins a step. The notes of the one before are dropped.
    final func begin(_ notes: [String]) {
        trace = notes
        disturbance.arm()
    }

    final func note(_ text: @autoclosure () -> String) {
        trace.append(String(repeating: "  ", count: depth + held) + text())
    }

    final func fail(_ text: String) {
        note("FAULT: " + text)
        if fault == nil { fault = trace.joined(separator: "\n") }
    }

    /// Runs a block one level further in.
    final func holding(_ body: () -> Void) {
        held += 1
        body()
        held -= 1
    }
}

/// What other threads do to other objects while a world is in the middle of something: nothing in the world may depend on it. In debug builds.
private final class Disturbance {
    private let (reader, others) = (Person("Reader"), [Person("A"), Person("B")])
    private var random: SplitMix64
    private static let points: [TestPoint] = [
        .attaching, .ending, .firing, .beforeCall, .beforeObserver, .lettingGo, .written, .subjectsFound, .begun,
        .relinking, .linked, .coalesced, .checking, .evaluating, .evaluated, .updatingDerivedKeyRoutes,
    ]

    init(seed: Int) {
        random = SplitMix64(seed: UInt64(seed) << 8 | 1)
        reader.spouse = others[0]
        do { try reader.observe(["spouse.age", "cityLine"], options: .old) { _ in } } catch { Issue.record(error) }
    }

    /// The next time that this thread comes to one of the points, another thread has a path moved, through a change that goes through
    /// derived keys, and adds and removes an observer.
    func arm() {
        #if DEBUG
            Self.points[Int(random.next() % UInt64(Self.points.count))].whenReached { [weak self] in
                guard let self else { return }
                onAnotherThread { self.move() }
            }
        #endif
    }

    private func move() {
        reader.spouse = others[reader.spouse === others[0] ? 1 : 0]
        reader.address = Address("City")
        reader.$age.observe { _ in }.remove()
    }
}

/// Runs worlds, one for each seed of a part, until one has a fault, and records it with its seed. There are eight parts.
func search<World: RandomWorld>(
    _ count: Int, part: Int, _ makeWorld: (_ seed: Int) -> World, run: (World) async -> Void
) async {
    for seed in 0..<load(count) {
        let world = makeWorld(seed * 8 + part)
        await run(world)
        guard let fault = world.fault else { continue }
        Issue.record("seed \(seed * 8 + part):\n\(fault)")
        return
    }
}
