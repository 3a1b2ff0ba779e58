import AutoKVO

/// A place in the display: what was declared, and what became of it.
final class PanelSlot {
    let declaration: PanelDeclaration
    /// The only strong reference to the panel. Setting it to nil is how a panel is closed.
    private(set) var panel: Panel?
    /// Why there never was a panel: the key path or the handler is unknown.
    private(set) var failure: String?
    private(set) var closedAtSample: Int?

    private let observation: KeyValueObservation?
    private let end = End()

    /// Filled by the observation when it ends; a thing of its own, so that the observation does not hold the slot.
    private final class End {
        var reason: String?
    }

    init(_ declaration: PanelDeclaration, on machine: Machine) {
        self.declaration = declaration
        let panel = Panel(declaration)
        do throws(KeyValueError) {
            let observation = try panel.open(on: machine)
            observation.onEnd { [end] reason in end.reason = "\(reason)" }
            self.observation = observation
            self.panel = panel
        } catch {
            observation = nil
            failure = error.description
        }
    }

    /// Releases the panel. Nothing is unregistered here.
    func close(atSample sample: Int) {
        closedAtSample = sample
        panel = nil
    }

    /// Whether the observation is still there, and otherwise how it ended.
    var observationState: String {
        guard let observation else { return "none" }
        return observation.isValid ? "live" : end.reason ?? "ended"
    }
}
