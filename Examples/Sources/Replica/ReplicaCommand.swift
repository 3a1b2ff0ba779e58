import AutoKVO
import Foundation

/// `Replica listen PATH` and `Replica connect PATH`: each edits its own page at random, and prints the whole board at the end.
@main struct ReplicaCommand {
    static func main() {
        let arguments = CommandLine.arguments
        let texts = arguments.dropFirst(3)
        let numbers = texts.compactMap { UInt32($0) }.map { Int($0) }
        guard arguments.count >= 3, ["listen", "connect"].contains(arguments[1]), numbers.count == texts.count else {
            FileHandle.standardError.write(Data("usage: Replica listen|connect SOCKET [EDITS] [LOSSES]\n".utf8))
            exit(2)
        }
        let listener = arguments[1] == "listen" ? UnixSocket.listen(at: arguments[2]) : nil
        if arguments[1] == "listen", listener == nil {
            let reason = String(cString: strerror(errno))
            FileHandle.standardError.write(Data("cannot listen at \(arguments[2]): \(reason)\n".utf8))
            exit(1)
        }
        let side = Side(
            listener: listener, path: arguments[2], edits: numbers.first ?? 1000,
            losses: numbers.dropFirst().first ?? 0)
        side.run()
        print(side.board.text)
    }
}

/// One process: it makes edits between what it reads and writes, all on one thread.
final class Side {
    let board = Board()
    private let replica: Replica
    private let (listens, path, edits, losses): (Bool, String, Int, Int)
    private let listener: UnixSocket?
    private var made = 0
    private var numbers: SeededNumbers

    /// - Parameter listener: The socket that the other side connects to; nil to connect to the other side's.
    init(listener: UnixSocket?, path: String, edits: Int, losses: Int) {
        (self.listener, self.path, self.edits, self.losses) = (listener, path, edits, losses)
        listens = listener != nil
        replica = Replica(board)
        numbers = SeededNumbers(state: listens ? 1 : 2)
    }

    func run() {
        while true {
            guard let socket = listens ? listener?.accept() : UnixSocket.connect(to: path) else {
                // Nobody is there: the work goes on, and what it changes is sent later.
                edit(1)
                usleep(2000)
                continue
            }
            replica.connect()
            if converse(over: socket) { return }
            replica.disconnect()
        }
    }

    private func edit(_ count: Int) {
        for _ in 0..<min(count, edits - made) {
            made += 1
            (listens ? board.left : board.right).editAtRandom(&numbers)
        }
    }

    /// True at the end, false if the connection was lost.
    private func converse(over socket: UnixSocket) -> Bool {
        var hasFinished = false
        // Rounded up, so that each connection has an edit, and no more are lost than asked for.
        let limit = made + (edits + losses) / (losses + 1)
        while true {
            if made < edits, made >= limit { return false }
            edit(10)
            if made == edits, replica.isConfirmed, !hasFinished {
                hasFinished = true
                replica.finish()
            }
            if hasFinished, replica.otherIsFinished, replica.outgoing.isEmpty { return true }
            if made == edits { socket.wait(writing: !replica.outgoing.isEmpty) }
            guard let bytes = socket.read() else { return false }
            do { try replica.receive(bytes) } catch {
                FileHandle.standardError.write(Data("refused: \(error)\n".utf8))
                return false
            }
            if !replica.outgoing.isEmpty, !socket.write(&replica.outgoing) { return false }
        }
    }
}
