import AutoKVO

/// An observation, its logs, and what its handler does.
final class ReplayedObservation {
    /// One for each path.
    let logs: [ReplayLog]
    let actions: [ModelStep]
    var observation: KeyValueObservation?

    init(logs: [ReplayLog], actions: [ModelStep]) { (self.logs, self.actions) = (logs, actions) }

    var isActive: Bool { observation?.isValid ?? false }
    var hearsAll: Bool { observation?.options.isDisjoint(with: [.once, .distinct]) ?? false }
}
