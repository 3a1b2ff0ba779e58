import AutoKVO

/// Three imports on actors of their own, two observers, and three streams that end in three ways.
struct ImportPipeline {
    var orders = 2000
    var customers = 1000
    /// More than will be imported: this import is cancelled.
    var invoices = Int.max

    struct Report {
        var lines: [String: Board.Line]
        var journal: [String]
        /// The number of orders that have been imported, after each change.
        var orders: [Int]
        /// The fractions of the customers that a slow reader has seen.
        var fractions: [Double]
        /// The observations of the cancelled import before and after the reader of its stream is cancelled.
        var observations: (before: Int, after: Int)
    }

    func run() async throws -> Report {
        let board = Board()
        let journal = Journal()
        var orders: Importer? = Importer(name: "orders", records: orders)
        let customers = Importer(name: "customers", records: customers)
        let invoices = Importer(name: "invoices", records: invoices)
        for importer in [orders!, customers, invoices] {
            await importer.show(on: board)
            try await importer.record(in: journal)
        }

        // This stream ends when the object that is observed dies.
        let changes = await orders!.changes()
        let everyChange = Task { await changes.compactMap(\.newValue).reduce(into: []) { $0.append($1) } }

        // This one ends because its reader leaves the loop.
        let fractions = try await customers.fractions()
        let someFractions = Task {
            var seen: [Double] = []
            for await fraction in fractions {
                seen.append(fraction)
                if fraction == 1 { break }
                try await Task.sleep(for: .milliseconds(2))
            }
            return seen
        }

        // This one ends because its reader is cancelled.
        let (started, start) = AsyncStream<Void>.makeStream()
        let endless = await invoices.changes()
        let reader = Task {
            for await _ in endless { start.yield() }
        }

        let imports = [orders!, customers, invoices].map { importer in Task { await importer.run() } }
        for await _ in started { break }
        await imports[0].value
        await imports[1].value
        imports[2].cancel()
        await imports[2].value
        let before = await invoices.observationCount
        reader.cancel()
        await reader.value
        let after = await invoices.observationCount

        // Read before the imports die: with them ends what is still on its way to another actor. A stream keeps what it has.
        let (lines, entries) = (await board.lines, await journal.entries)
        orders = nil
        return Report(
            lines: lines, journal: entries, orders: await everyChange.value, fractions: try await someFractions.value,
            observations: (before, after))
    }
}
