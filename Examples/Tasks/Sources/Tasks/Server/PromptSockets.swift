import FlyingSocks
import Foundation

/// The sockets of the server, without Nagle's algorithm.
///
/// FlyingFox (0.27.1) writes the head and the body of an answer one after the other. The kernel then keeps the body until the browser has
/// confirmed the head, which it does after 40 ms. Connections inherit the option from the socket that listens, which waits here first.
struct PromptSockets<Base: AsyncSocketPool>: AsyncSocketPool {
    let base: Base

    func prepare() async throws { try await base.prepare() }

    func run() async throws { try await base.run() }

    func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
        try? socket.setValue(true, for: BoolSocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY))
        try await base.suspendSocket(socket, untilReadyFor: events)
    }
}
