import AutoKVO

/// An observation, its logs, and what its handler does.
final class ReplayedObservation {
    /// One for each path.
    let logs: [ReplayLog]
    let actions: [ModelStep]
    /// Whether the handler ignores the change, so that a change calls it once for all of its paths.
    let ignoresChange: Bool
    var observation: KeyValueObservation?
    /// The observer of a named handler.
    var callee: ModelCallee?
    /// How often a handler that ignores the change was called in this step.
    var callCount = 0

    init(logs: [ReplayLog], actions: [ModelStep], ignoresChange: Bool) {
        (self.logs, self.actions, self.ignoresChange) = (logs, actions, ignoresChange)
    }

    /// The properties that its values are made of, as far as the paths say.
    var keys: Set<String> {
        let keys = logs.flatMap { log -> [String] in
            log.path.split(separator: ".").flatMap { component -> [String] in
                switch component {
                case "sum": ["n", "m"]
                case "far", "deep": ["n", "next"]
                default: ["\(component)"]
                }
            }
        }
        return Set(keys)
    }

    var isActive: Bool { observation?.isValid ?? false }
    var hearsAll: Bool {
        !ignoresChange && observation?.options.isDisjoint(with: [.once, .distinct]) ?? false
    }
}
