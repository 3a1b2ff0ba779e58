import AsyncAlgorithms
import FlyingFox
import FlyingSocks

/// What one browser hears, as server-sent events: the whole board, then each turn.
///
/// A turn is taken when the browser has taken the one before, so what waits for a slow one is bounded by the policy of the stream. The
/// turns that are then missing show as a gap between two numbers, and in their place it gets the whole board again.
struct EventStream: AsyncBufferedSequence {
    typealias Element = UInt8

    enum Signal: Sendable {
        case turn(Turn)
        case tick
        case end
    }

    private let snapshot: Snapshot
    private let turns: AsyncStream<Turn>
    private let current: @Sendable () async throws -> Snapshot
    private let heartbeat: Duration

    /// - Parameters:
    ///   - snapshot: The board from which on there are the turns.
    ///   - turns: The turns.
    ///   - heartbeat: How often something is sent when there is no turn: only by that a server hears that a browser has gone.
    ///   - current: The whole board as it is then.
    init(
        _ snapshot: Snapshot, _ turns: AsyncStream<Turn>, heartbeat: Duration,
        current: @escaping @Sendable () async throws -> Snapshot
    ) {
        (self.snapshot, self.turns, self.heartbeat, self.current) = (snapshot, turns, heartbeat, current)
    }

    func makeAsyncIterator() -> Iterator {
        let signals = merge(
            chain(turns.map(Signal.turn), CollectionOfOne(Signal.end).async),
            AsyncTimerSequence(interval: heartbeat, clock: .continuous).map { _ in Signal.tick })
        return Iterator(
            signals: signals.makeAsyncIterator(), current: current, waiting: Self.event(snapshot),
            last: snapshot.revision)
    }

    struct Iterator: AsyncBufferedIteratorProtocol {
        private var signals: any AsyncIteratorProtocol<Signal, Never>
        private let current: @Sendable () async throws -> Snapshot
        /// Bytes that are still to be given.
        private var waiting: ArraySlice<UInt8>
        /// The number of the last turn that the browser has, by itself or in a whole board.
        private var last: Int64

        init(
            signals: any AsyncIteratorProtocol<Signal, Never>, current: @escaping @Sendable () async throws -> Snapshot,
            waiting: [UInt8], last: Int64
        ) {
            (self.signals, self.current, self.waiting, self.last) = (signals, current, waiting[...], last)
        }

        mutating func next() async throws -> UInt8? { try await nextBuffer(suggested: 1)?.first }

        mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
            while waiting.isEmpty {
                switch await signals.next(isolation: nil) {
                case .turn(let turn) where turn.revision == last + 1:
                    last = turn.revision
                    waiting = EventStream.event("turn", turn.revision, turn.json)[...]
                case .turn(let turn) where turn.revision > last:
                    let snapshot = try await current()
                    last = snapshot.revision
                    waiting = EventStream.event(snapshot)[...]
                case .turn: continue
                case .tick: waiting = Array(": still here\n\n".utf8)[...]
                case .end, nil: return nil
                }
            }
            defer { waiting = waiting.dropFirst(count) }
            return Array(waiting.prefix(count))
        }
    }

    private static func event(_ snapshot: Snapshot) -> [UInt8] { event("snapshot", snapshot.revision, snapshot.json) }

    /// JSON has no line breaks, so it is one line of data.
    private static func event(_ name: String, _ id: Int64, _ json: String) -> [UInt8] {
        Array("event: \(name)\nid: \(id)\ndata: \(json)\n\n".utf8)
    }
}
