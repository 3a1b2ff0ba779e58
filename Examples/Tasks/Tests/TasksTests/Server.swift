import Foundation
import Testing

@testable import Tasks

/// The program itself, in a process of its own.
final class ServerProcess {
    let process = Process()
    private(set) var port: UInt16 = 0
    private let output = Pipe()
    let log: String

    /// - Parameter waits: Whether it has to listen when this returns.
    init(_ database: String, port: UInt16 = 0, heartbeat: Double = 15, waits: Bool = true) throws {
        process.executableURL = Bundle(for: TaskList.self).bundleURL.appending(path: "Tasks")
        process.arguments = ["--database", database, "--port", "\(port)", "--heartbeat", "\(heartbeat)"]
        log = database + ".log"
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: URL(filePath: log))
        try process.run()
        if !waits { return }
        var text = ""
        while !text.contains("\n") {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            text += String(decoding: data, as: UTF8.self)
        }
        guard let found = text.firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\//), let port = UInt16(found.1) else {
            process.terminate()
            throw Failure(
                description: "the server does not start: \((try? String(contentsOfFile: log, encoding: .utf8)) ?? "")")
        }
        self.port = port
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    struct Failure: Error, CustomStringConvertible { let description: String }

    /// Ends it, and waits until it has ended.
    @discardableResult func end(_ signal: Int32) -> Int32 {
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        return process.terminationStatus
    }

    private var wire: Wire?

    /// One request, on a connection that is kept. Nil if there is no answer.
    func ask(
        _ method: String, _ path: String, _ body: String? = nil, type: String = "application/json", host: String? = nil,
        more: String = ""
    ) -> Wire.Response? {
        let wire = wire ?? Wire(port: port)
        self.wire = nil
        var text = "\(method) \(path) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\n\(more)"
        if let body {
            text += "Content-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        } else {
            text += "\r\n"
        }
        guard let wire, wire.send(text.utf8), let response = wire.response() else { return nil }
        if response.headers["connection"] != "close" { self.wire = wire }
        return response
    }

    func board() throws -> Whole {
        guard let response = ask("GET", "/board"), response.status == 200 else {
            throw Failure(description: "no board")
        }
        return try JSONDecoder().decode(Whole.self, from: response.body)
    }

    /// An edit that has to be made.
    @discardableResult func edit(_ method: String, _ path: String, _ body: String? = nil) throws -> Store.Outcome {
        guard let response = ask(method, path, body) else {
            throw Failure(description: "no answer to \(method) \(path)")
        }
        if response.status >= 300 { throw Failure(description: String(decoding: response.body, as: UTF8.self)) }
        return try JSONDecoder().decode(Store.Outcome.self, from: response.body)
    }
}

/// A folder for one test.
final class Folder {
    let url = FileManager.default.temporaryDirectory.appending(path: "tasks-\(UUID().uuidString)")
    var database: String { url.appending(path: "tasks.sqlite").path }

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }
}

/// Numbers that are the same in each run with the same seed (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
