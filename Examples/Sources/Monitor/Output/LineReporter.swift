/// One line a panel: title, sparkline, figure.
struct LineReporter: Reporter {
    private var screen: Screen
    private let titleWidth: Int

    init(screen: Screen, titles: [String]) {
        self.screen = screen
        titleWidth = titles.map(\.printable.columns).max() ?? 0
    }

    mutating func failed(_ slot: PanelSlot) {
        // On a terminal the panel has its line in the block all the time; in a pipe once is enough.
        if !screen.isTerminal { screen.say(line(slot)) }
    }

    mutating func sampled(_ sample: Int, _ slots: [PanelSlot]) {
        if screen.isTerminal {
            screen.draw(slots.map(line))
        } else {
            screen.draw(slots.filter { $0.panel != nil }.map { "\(sample)\t\(line($0))" })
        }
    }

    mutating func closed(_ slot: PanelSlot, afterSample sample: Int, live: Int) {
        let declaration = slot.declaration
        screen.say(
            ("sample \(sample): panel \"\(declaration.name)\" was released; its observation of \"\(declaration.keyPath)\" "
                + "ended by itself (\(slot.observationState)); live observations: \(live)").printable)
    }

    mutating func finished(samples: Int, live: Int) {
        // The last block stays on the screen.
        screen.keepBlock()
        screen.say("samples: \(samples); all panels released; live observations: \(live)")
    }

    private func line(_ slot: PanelSlot) -> String {
        let declaration = slot.declaration
        var title = declaration.title.printable
        title += String(repeating: " ", count: max(titleWidth - title.columns, 0)) + "  "
        if let failure = slot.failure { return title + failure.printable }
        guard let panel = slot.panel else { return title + "closed after sample \(slot.closedAtSample ?? 0)" }
        let sparkline = Sparkline.text(panel.history, width: Panel.historyLength, maximum: declaration.maximum)
        let figure = panel.reading.text(declaration.unit) + (panel.suffix.isEmpty ? "" : " \(panel.suffix)")
        return "\(title)\(sparkline)  \(figure.printable)"
    }
}
