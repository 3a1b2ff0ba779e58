import Testing

@testable import Pipeline

@Suite("Imports on actors of their own") struct PipelineTests {
    @Test("observers on other actors, streams and cancellation", .timeLimit(.minutes(1))) func everything() async throws
    {
        let report = try await ImportPipeline(orders: 500, customers: 300).run()

        // The main actor has got every change.
        #expect(report.lines["orders"] == Board.Line(done: 500, state: .finished))
        #expect(report.lines["customers"] == Board.Line(done: 300, state: .finished))
        #expect(report.lines["invoices"]?.state == .cancelled)

        // So has the other actor, in their order.
        func states(of name: String) -> [String] { report.journal.filter { $0.hasPrefix(name) } }
        #expect(states(of: "orders") == ["orders: waiting, now running", "orders: running, now finished"])
        #expect(states(of: "customers") == ["customers: waiting, now running", "customers: running, now finished"])
        #expect(states(of: "invoices") == ["invoices: waiting, now running", "invoices: running, now cancelled"])

        // Without a limit the stream has every change; with one the newest value, and the last one in any case.
        #expect(report.orders == Array(1...500))
        #expect(report.fractions.count <= 300)
        #expect(report.fractions == report.fractions.sorted())
        #expect(report.fractions.last == 1)

        // Two for the board, one for the journal, and one for the stream until its reader is cancelled.
        #expect(report.observations == (before: 4, after: 3))
    }
}
