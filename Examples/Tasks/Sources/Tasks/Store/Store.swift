import AutoKVO
import Foundation

/// The board, its database, and all that changes them: one turn after the other.
///
/// A turn is one request, or the change of the day. Its changes are coalesced: each property is written once, with its last value. They are
/// committed in one transaction, and only then told to the followers and to whoever asked. If anything in a turn is refused, or the
/// database fails, the board is as it was before.
actor Store {
    /// What a request gets when its changes are on the disk.
    struct Outcome: Codable, Sendable {
        /// The number of the turn.
        let revision: Int64
        /// The objects that it added, in the order of its edits.
        let ids: [Int64]
    }

    /// Those who follow the turns get this many that they have not taken yet; of more, the oldest are dropped.
    static let bufferedTurns = 64
    static let followerLimit = 100

    private let executor = QueueExecutor(label: "store")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let database: TaskDatabase
    private let board: Board
    private let recorder: TurnRecorder
    private let history: UndoHistory
    private var journal: Journal?
    private var revision: Int64

    init(path: String, today: String = Day.today) throws {
        database = try TaskDatabase(path: path)
        (board, revision) = try database.load(DayClock(today: today))
        recorder = TurnRecorder(board)
        history = UndoHistory(of: board, includingParts: true, limit: 1)
        journal = Journal(Turn(revision: revision, changes: []))
    }

    func perform(_ edits: sending [Edit]) throws -> Outcome {
        let nextID = board.nextID
        do {
            var ids: [Int64] = []
            try turn { for edit in edits { if let id = try board.perform(edit) { ids.append(id) } } }
            return Outcome(revision: revision, ids: ids)
        } catch {
            board.nextID = nextID
            throw error
        }
    }

    /// Tells the lists which day it is.
    func setToday(_ day: String) throws {
        let before = board.clock.today
        do { try turn { board.clock.today = day } } catch {
            board.clock.today = before
            _ = recorder.take()
            throw error
        }
    }

    private func turn(_ body: () throws -> Void) throws {
        let name = "turn \(revision + 1)"
        do {
            try history.group(name) { try coalescingChanges { try body() } }
            let (statements, changes) = recorder.take()
            if changes.isEmpty { return }
            let state = Statement("UPDATE state SET revision = ?, nextID = ?", revision + 1, board.nextID)
            do { try database.commit(statements + [state]) } catch { throw FailedCommit(error: error) }
            revision += 1
            journal?.latest = Turn(revision: revision, changes: changes)
        } catch {
            // Without a change there is no step of this name.
            if history.undoName == name { history.undo() }
            _ = recorder.take()
            throw error
        }
    }

    /// The whole board as JSON.
    func snapshot() throws -> Snapshot {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(board), as: UTF8.self)
        return Snapshot(revision: revision, json: #"{"revision":\#(revision),"board":\#(text)}"#)
    }

    /// The whole board, and the turns from then on. A follower who is slow loses turns, and sees that by their numbers.
    func follow() throws -> (snapshot: Snapshot, turns: AsyncStream<Turn>) {
        guard let journal else { throw Unavailable(sentence: "the server is about to end") }
        if journal.observations().count > Self.followerLimit {
            throw Unavailable(sentence: "there are too many followers")
        }
        return (try snapshot(), journal.$latest.values(bufferingPolicy: .bufferingNewest(Self.bufferedTurns)))
    }

    /// Has an observer on another actor hear of each turn.
    func report(to activity: Activity) throws {
        if let journal { try activity.follow(journal) }
    }

    /// How many observe the turns.
    var followerCount: Int { journal?.observations().count ?? 0 }

    /// Ends all streams of turns: they end with the object that they observe.
    func endStreams() { journal = nil }

    func close() throws {
        endStreams()
        try database.close()
    }
}

/// A board as a whole.
struct Snapshot: Sendable {
    let revision: Int64
    let json: String
}

/// Why a right request is refused now.
struct Unavailable: Error {
    let sentence: String
}

/// The database could not keep a turn, which was undone.
struct FailedCommit: Error {
    let error: any Error
}
