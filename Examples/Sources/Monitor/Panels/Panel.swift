import AutoKVO

/// One line of the display, and an observer: the machine's changes reach it through whichever of its handlers its
/// declaration names.
///
/// A panel never unregisters. Releasing it is all there is to closing it.
final class Panel: TrackedObject {
    let declaration: PanelDeclaration
    private(set) var reading = Reading.nothing
    private(set) var suffix = ""
    private(set) var changes = 0
    private(set) var history: [Double?] = []

    /// How many figures the sparkline shows.
    static let historyLength = 24

    init(_ declaration: PanelDeclaration) {
        self.declaration = declaration
        super.init()
    }

    /// Registers for the changes that the declaration names.
    /// - Throws: what is wrong with its key path or its handler; nothing is registered then.
    func open(on machine: Machine) throws(KeyValueError) -> KeyValueObservation {
        try machine.addObserver(
            self, forKeyPath: declaration.keyPath, options: declaration.options,
            handler: declaration.handler, userInfo: declaration.note)
    }

    /// Takes what is shown now into the sparkline; called once a sample, since a figure that stays is a figure too.
    func advance() {
        history.append(reading.number)
        if history.count > Self.historyLength { history.removeFirst() }
    }

    // MARK: Handlers

    /// The newest value.
    func showValue(_ change: Change<Any>) {
        guard !change.isPrior else { return }
        changes += 1
        reading = Reading(change.wholeValue)
    }

    /// The newest value, followed by the note from the panels file.
    func showWithNote(_ change: Change<Any>, _ note: Any?) {
        showValue(change)
        suffix = note as? String ?? ""
    }

    /// The largest value so far.
    func showPeak(_ change: Change<Any>) {
        guard !change.isPrior, let value = Reading(change.wholeValue).number else { return }
        changes += 1
        reading = .number(max(value, reading.number ?? value))
    }

    /// By how much the value moved; needs the options `old` and `new`.
    func showDifference(_ change: Change<Any>) {
        guard !change.isPrior else { return }
        changes += 1
        // An edit of a collection carries the elements that came and those that left, or none.
        let none: Double? = change.kind == .setting ? nil : 0
        guard let new = Reading(change.newValue).number ?? none, let old = Reading(change.oldValue).number ?? none
        else { return }
        reading = .number(new - old)
    }

    /// How often something changed, whatever it was.
    func countChanges() {
        changes += 1
        reading = .number(Double(changes))
    }

    override class var schema: Schema {
        Schema(Panel.self, extending: super.schema) {
            Handler("showValue", Panel.showValue)
            Handler("showWithNote", Panel.showWithNote)
            Handler("showPeak", Panel.showPeak)
            Handler("showDifference", Panel.showDifference)
            Handler("countChanges", Panel.countChanges)
        }
    }
}

extension Change<Any> {
    /// The value from after the change, if it was asked for: of a collection that was edited, all of it.
    fileprivate var wholeValue: Any? {
        guard kind != .setting, observation.options.contains(.new) else { return newValue }
        return try? target?.value(forKeyPath: keyPath)
    }
}
