import ArgumentParser
import Foundation
import GRDB
import Logging
import ServiceLifecycle

/// Task lists for the browsers of this machine.
@main struct TasksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Tasks", abstract: "Serves task lists to the browsers of this machine.")

    @Option(help: "The file in which the lists are kept.") var database = "tasks.sqlite"
    @Option(help: "The port on 127.0.0.1; 0 for any free one.") var port: UInt16 = 8081
    @Option(help: "Seconds after which a browser that hears nothing is sent a sign of life.") var heartbeat = 15.0

    func validate() throws {
        if !(0.05...3600).contains(heartbeat) { throw ValidationError("A heartbeat is 0.05 to 3600 seconds.") }
    }

    func run() async throws {
        let logger = Logger(label: "tasks") { StreamLogHandler.standardError(label: $0) }
        let store: Store
        do { store = try Store(path: database) } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY
        {
            throw ValidationError("Another process uses \(database).")
        } catch {
            throw ValidationError("\(database) cannot be used: \(error)")
        }
        let activity = Activity()
        let server = Server(
            store: store, activity: activity, port: port, heartbeat: .seconds(heartbeat), logger: logger)
        let group = ServiceGroup(
            services: [
                Keeper(store: store, activity: activity, logger: logger), Midnight(store: store, logger: logger),
                server,
            ],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        try await group.run()
    }
}
