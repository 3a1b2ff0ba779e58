import AutoKVO
import Foundation
import Testing

@testable import Replica

@Suite("One model in two processes") struct ReplicaTests {
    /// Two sides in this process, and the bytes that go between them.
    private final class Pair {
        let left = Replica(Board())
        var right = Replica(Board())

        func connect() {
            left.connect()
            right.connect()
        }

        func disconnect() {
            left.disconnect()
            right.disconnect()
        }

        /// Carries all that there is, cut at any place.
        func carry(_ numbers: inout SeededNumbers) throws {
            while !left.outgoing.isEmpty || !right.outgoing.isEmpty {
                for (from, to) in [(left, right), (right, left)] {
                    let count = Int.random(in: 0...min(from.outgoing.count, 700), using: &numbers)
                    let bytes = Data(from.outgoing.prefix(count))
                    from.outgoing = Data(from.outgoing.dropFirst(count))
                    try to.receive(bytes)
                }
            }
        }
    }

    private var numbers = SeededNumbers(state: 7)

    @Test("10,000 random edits on each side, with 100 lost connections, end equal") mutating func equal() throws {
        let pair = Pair()
        for round in 0..<100 {
            for _ in 0..<50 {
                pair.left.board.left.editAtRandom(&numbers)
                pair.right.board.right.editAtRandom(&numbers)
            }
            pair.connect()
            for _ in 0..<50 {
                pair.left.board.left.editAtRandom(&numbers)
                pair.right.board.right.editAtRandom(&numbers)
                if numbers.next() % 4 == 0 { try pair.carry(&numbers) }
            }
            if round % 2 == 0 {
                try pair.carry(&numbers)
                #expect(pair.left.board.text == pair.right.board.text)
            }
            pair.disconnect()
        }
        pair.connect()
        try pair.carry(&numbers)
        #expect(pair.left.board.text == pair.right.board.text)
        #expect(pair.left.isConfirmed && pair.right.isConfirmed)
    }

    @Test("a change that came in is not sent back, and an edit keeps its indexes") mutating func echo() throws {
        let pair = Pair()
        pair.connect()
        try pair.carry(&numbers)
        var told: [ChangeKind] = []
        pair.right.board.left.$items.observe { told.append($0.kind) }
        pair.left.board.left.items = ["a", "b"]
        try pair.carry(&numbers)
        told = []
        pair.left.board.left.$items.insert("c", at: 1)
        try pair.right.receive(pair.left.outgoing)
        #expect(told == [.insertion])
        #expect(pair.right.board.left.items == ["a", "c", "b"])
        // Only the confirmation goes back.
        #expect(!String(decoding: pair.right.outgoing, as: UTF8.self).contains("change"))
    }

    @Test("what an observer changes in consequence, elsewhere, is sent") mutating func consequence() throws {
        let pair = Pair()
        pair.connect()
        try pair.carry(&numbers)
        let board = pair.right.board
        board.left.$level.observe { [unowned board] _ in board.right.title = "seen" }
        pair.left.board.left.level = 3
        try pair.carry(&numbers)
        #expect(pair.left.board.right.title == "seen")
    }

    @Test("what does not fit is refused and changes nothing; the next connection mends it") mutating func refused()
        throws
    {
        let pair = Pair()
        pair.connect()
        try pair.carry(&numbers)
        pair.left.board.left.items = ["a", "b"]
        try pair.carry(&numbers)
        let before = pair.right.board.text
        let record =
            #"{"keyPath":"items","kind":2,"newValue":["x"],"indexes":[[900,901]],"isPrior":false,"isFirst":false}"#
        for wrong in [
            "no JSON",
            #"{"change":{"path":"left.nothing","number":1,"isWhole":false,"content":{"list":{"_0":\#(record)}}}}"#,
            #"{"change":{"path":"left.title","number":1,"isWhole":false,"content":{"list":{"_0":\#(record)}}}}"#,
            #"{"change":{"path":"left.items","number":1,"isWhole":false,"content":{"list":{"_0":\#(record)}}}}"#,
        ] {
            #expect(throws: (any Error).self) { try pair.right.receive(Data((wrong + "\n").utf8)) }
            #expect(pair.right.board.text == before)
            pair.disconnect()
            pair.left.board.left.level += 1
            pair.connect()
            try pair.carry(&numbers)
            #expect(pair.right.board.left.level == pair.left.board.left.level)
            pair.right.board.left.level = 0
            try pair.carry(&numbers)
            #expect(pair.left.board.left.level == 0)
        }
    }

    @Test("a side that was killed and started again gets the whole board, its own page too")
    mutating func startedAgain() throws {
        let pair = Pair()
        for _ in 0..<20 {
            pair.connect()
            for _ in 0..<50 {
                pair.left.board.left.editAtRandom(&numbers)
                pair.right.board.right.editAtRandom(&numbers)
            }
            try pair.carry(&numbers)
            let before = pair.left.board.text
            // Some is on its way when the right side dies, and the left side goes on.
            pair.left.board.left.editAtRandom(&numbers)
            pair.left.disconnect()
            pair.right = Replica(Board())
            pair.left.board.left.level += 1
            pair.connect()
            try pair.carry(&numbers)
            #expect(pair.left.board.text == pair.right.board.text)
            #expect(pair.left.board.text != before)
            pair.disconnect()
        }
    }

    @Test("a message without an end is refused, and not kept") func endless() {
        let replica = Replica(Board())
        let part = Data(repeating: UInt8(ascii: "x"), count: 64 * 1024)
        #expect(throws: RefusedMessage.self) { for _ in 0...16 { try replica.receive(part) } }
        replica.disconnect()
    }

    @Test("a message that is too long is refused, also when it comes in one piece") func long() {
        let replica = Replica(Board())
        let line =
            Data(repeating: UInt8(ascii: " "), count: 1024 * 1024 + 1) + Data(#"{"complete":{}}"#.utf8)
            + Data("\n".utf8)
        #expect(throws: RefusedMessage.self) { try replica.receive(line) }
        replica.disconnect()
    }

    @Test(
        "a path at which nobody can listen is said", arguments: ["/nowhere/at/all", String(repeating: "x", count: 300)])
    func unusablePath(path: String) throws {
        let (status, text) = try complaint(["listen", path])
        #expect(status == 1)
        #expect(text.hasPrefix("cannot listen at \(path): "))
    }

    @Test("a file at the path that is no socket is left alone") func otherFile() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "replica-\(getpid()).txt")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("notes".utf8).write(to: file)
        let (status, text) = try complaint(["listen", file.path])
        #expect(status == 1)
        #expect(text.hasPrefix("cannot listen at \(file.path): "))
        #expect(try Data(contentsOf: file) == Data("notes".utf8))
    }

    @Test(
        "what is no number of edits or losses is answered with the usage",
        arguments: [["-5"], ["3", "-1"], ["3", "\(Int.max)"], ["3", "some"]])
    func wrongNumbers(numbers: [String]) throws {
        let (status, text) = try complaint(["connect", "/nowhere/at/all"] + numbers)
        #expect(status == 2)
        #expect(text.hasPrefix("usage: "))
    }

    /// A process of the program. One that does not end by itself is ended, with the status 124.
    private func makeProcess(_ arguments: [String], seconds: Int) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
        let program = Bundle(for: Replica.self).bundleURL.appending(path: "Replica")
        process.arguments = ["\(seconds)", program.path] + arguments
        return process
    }

    /// Runs the program, and returns its status and what it says of mistakes.
    private func complaint(_ arguments: [String]) throws -> (status: Int32, text: String) {
        let (process, pipe) = (makeProcess(arguments, seconds: 30), Pipe())
        process.standardError = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    @Test(
        "two processes end equal: 10,000 edits each and five lost connections, and fewer edits than losses",
        .timeLimit(.minutes(2)), arguments: [(10_000, 5), (3, 5)])
    func processes(edits: Int, losses: Int) async throws {
        let socket = FileManager.default.temporaryDirectory.appending(path: "replica-\(getpid())-\(edits).sock").path
        defer { try? FileManager.default.removeItem(atPath: socket) }
        let both = try ["listen", "connect"].map { role in
            let arguments = [role, socket, "\(edits)", role == "connect" ? "\(losses)" : "0"]
            let (process, pipe) = (makeProcess(arguments, seconds: 100), Pipe())
            process.standardOutput = pipe
            try process.run()
            return (process, pipe)
        }
        let texts = both.map { String(decoding: $0.1.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }
        for (process, _) in both {
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
        #expect(texts[0] == texts[1])
        #expect(edits < 100 || texts[0].contains("item"))
    }
}
