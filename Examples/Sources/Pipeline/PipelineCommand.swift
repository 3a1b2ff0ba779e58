@main struct PipelineCommand {
    static func main() async throws {
        let report = try await ImportPipeline().run()
        print("The board, on the main actor:")
        for (name, line) in report.lines.sorted(by: { $0.key < $1.key }) {
            print("    \(name): \(line.done) imported, \(line.state)")
        }
        print("The journal, an actor:")
        for entry in report.journal.sorted() { print("    \(entry)") }
        print("The stream of changes: \(report.orders.count), the last one to \(report.orders.last ?? 0)")
        print(
            "The stream of the newest fraction, read slowly: \(report.fractions.count) values, the last one",
            report.fractions.last ?? 0)
        print(
            "The cancelled reader: \(report.observations.before) observations before,",
            "\(report.observations.after) after")
    }
}
