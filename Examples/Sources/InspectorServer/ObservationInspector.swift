import AutoKVO
import FlyingFox
import FlyingSocks
import Foundation

/// Shows the observations of the program that starts it as a page in a browser on the same machine.
///
///     let inspector = try await ObservationInspector.startIfAsked()
///
/// The page changes nothing but which of the objects that `offer(_:as:isolation:)` named are traced, and it is served to this machine alone: the server is bound to 127.0.0.1, and it refuses requests in whose
/// `Host` another name stands, so that no other site that is open in the browser can read it by having its own name lead here.
public struct ObservationInspector: Sendable {
    /// The page.
    public let url: URL
    private let server: HTTPServer
    private let traces: Traces

    /// Starts an inspector if the environment variable `AUTOKVO_INSPECTOR` has the number of a port, 0 for any free one.
    ///
    /// It is called where the program starts: the calls of what is registered afterwards are counted.
    ///
    /// - Throws: What `start(port:)` throws, and an error for text that is no such number.
    public static func startIfAsked(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws -> ObservationInspector? {
        guard let text = environment["AUTOKVO_INSPECTOR"], !text.isEmpty else { return nil }
        guard let port = UInt16(text) else { throw PortError(text: text) }
        return try await start(port: port)
    }

    /// Starts an inspector, and has the calls of what is registered from now on counted.
    ///
    /// - Parameter port: The port; 0 for any free one.
    /// - Throws: An error if the port is not free.
    public static func start(port: UInt16 = 0) async throws -> ObservationInspector {
        Diagnostics.countsCalls = true
        let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: port), logger: .disabled)
        let listening = Task { try await server.waitUntilListening() }
        let running = Task {
            defer { listening.cancel() }
            try await server.run()
        }
        do {
            try await listening.value
        } catch {
            running.cancel()
            try await running.value
            throw error
        }
        guard case .ip4(let address, let port)? = await server.listeningAddress else {
            await server.stop()
            throw SocketError.unsupportedAddress
        }
        let traces = Traces()
        await server.appendRoute("*", to: PageHandler(port: port, traces: traces))
        return ObservationInspector(url: URL(string: "http://\(address):\(port)/")!, server: server, traces: traces)
    }

    /// Lets the page trace an object. Nothing is traced until somebody asks for it there; then the page lists each change.
    ///
    /// The object is not kept alive. Its trace ends with it, or when the inspector is released and its server has stopped.
    /// Nothing can be traced of an object whose class has no keys, so the page does not list it.
    ///
    /// - Parameters:
    ///   - object: The object, of the actor that calls.
    ///   - name: What the page calls it; the name of its class if it is nil.
    ///   - isolation: That actor, on which traces begin. Leave it at its default.
    public func offer(
        _ object: TrackedObject, as name: String? = nil, isolation: isolated any Actor = #isolation
    ) {
        traces.offer(object, name: name ?? "\(type(of: object))", on: isolation)
    }

    /// Ends the server. Calls are counted on.
    public func stop() async {
        await server.stop()
    }

    struct PortError: Error, CustomStringConvertible {
        let text: String
        var description: String { "AUTOKVO_INSPECTOR takes the number of a port, and not \"\(text)\"" }
    }
}
