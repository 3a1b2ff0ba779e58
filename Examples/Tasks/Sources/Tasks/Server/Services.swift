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
                sharedRequestReplaySize: Routes.bodyLimit + 1, pool: PromptSockets(base: HTTPServer.defaultPool()),
                logger: .disabled))
        try await withGracefulShutdownHandler {
            do {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await server.run() }
                    group.addTask { try await open(server) }
                    // The first that fails ends the other.
                    for try await _ in group {}
                }
            } catch {
                if !Task.isShuttingDownGracefully { throw UnusablePort(port: port, error: error) }
            }
        } onGracefulShutdown: {
            Task {
                await store.endStreams()
                // FlyingFox (0.27.1) does not notice that its listening socket is closed, so it always waits as long.
                await server.stop(timeout: 1)
            }
        }
    }
}

extension Server {
    /// Waits until it listens, and says where.
    private func open(_ server: HTTPServer) async throws {
        try await server.waitUntilListening()
        guard case .ip4(_, let port)? = await server.listeningAddress else { throw SocketError.disconnected }
        await server.appendRoute(
            "*", to: Routes(store: store, activity: activity, port: port, heartbeat: heartbeat, logger: logger))
        // Unlike print, this is seen at once also where the output is no terminal.
        FileHandle.standardOutput.write(Data("Open http://127.0.0.1:\(port)/\n".utf8))
    }
}

/// Why the server does not serve.
struct UnusablePort: Error, CustomStringConvertible {
    let port: UInt16
    let error: any Error

    var description: String { "Port \(port) cannot be used: \(error.localizedDescription)" }
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
