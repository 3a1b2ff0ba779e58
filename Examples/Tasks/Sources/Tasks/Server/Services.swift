import AsyncAlgorithms
import FlyingFox
import FlyingSocks
import Foundation
import Logging
import ServiceLifecycle

/// The HTTP server. At the end it takes no more connections, ends the streams, and answers what it has begun to answer.
struct Server: Service {
    let store: Store
    let activity: Activity
    let port: UInt16
    let heartbeat: Duration
    let logger: Logger

    func run() async throws {
        let server = HTTPServer(
            config: .init(
                address: try .inet(ip4: "127.0.0.1", port: port), sharedRequestBufferSize: Routes.bodyLimit + 1,
                sharedRequestReplaySize: Routes.bodyLimit + 1, logger: .disabled))
        try await withGracefulShutdownHandler {
            async let running: Void = server.run()
            do {
                try await server.waitUntilListening()
                guard case .ip4(_, let port)? = await server.listeningAddress else { throw SocketError.disconnected }
                await server.appendRoute(
                    "*",
                    to: Routes(store: store, activity: activity, port: port, heartbeat: heartbeat, logger: logger))
                // Unlike print, this is seen at once also where the output is no terminal.
                FileHandle.standardOutput.write(Data("Open http://127.0.0.1:\(port)/\n".utf8))
                try await running
            } catch {
                if !Task.isShuttingDownGracefully { throw error }
            }
        } onGracefulShutdown: {
            Task {
                await store.endStreams()
                await server.stop(timeout: 5)
            }
        }
    }
}

/// Tells the store when it is another day.
struct Midnight: Service {
    let store: Store
    let logger: Logger

    func run() async throws {
        for await _ in AsyncTimerSequence(interval: .seconds(20), clock: .continuous).cancelOnGracefulShutdown() {
            do { try await store.setToday(Day.today) } catch { logger.error("the day was not changed: \(error)") }
        }
    }
}

/// Closes the database when nobody uses it any more: services end in the reverse order of their start.
struct Keeper: Service {
    let store: Store
    let activity: Activity
    let logger: Logger

    func run() async throws {
        try await store.report(to: activity)
        try? await gracefulShutdown()
        try await store.close()
        let report = await activity.report
        logger.info("ended after \(report.turns) turns with \(report.changes) changes")
    }
}
