import FlyingFox
import FlyingSocks
import Foundation
import Testing

@testable import Inspector
@testable import InspectorServer

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The program of Chromium, if it is installed.
private let chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].first {
    FileManager.default.isExecutableFile(atPath: $0)
}

/// Two starts of one program: the first requests for traces are answered by the one, all others by the other.
private actor Restart: HTTPHandler {
    private let first, second: PageHandler
    private var left: Int

    init(_ first: PageHandler, requests: Int, _ second: PageHandler) {
        self.first = first
        self.second = second
        left = requests
    }

    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard request.path == "/traces.json", left > 0 else { return try await second.handleRequest(request) }
        left -= 1
        return try await first.handleRequest(request)
    }
}

@Suite("The page in a browser", .enabled(if: chromium != nil, "Chromium is not installed."), .timeLimit(.minutes(3)))
struct BrowserTests {
    /// Runs Chromium without a window, and returns what it prints.
    private func browse(_ url: URL, _ arguments: String...) async throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("inspector-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let browser = Process()
        browser.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
        browser.arguments =
            [
                "90", chromium!, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                "--no-first-run",
                "--user-data-dir=\(folder.path)", "--window-size=1400,900", "--virtual-time-budget=4500",
            ] + arguments + [url.absoluteString]
        let output = Pipe()
        browser.standardOutput = output
        browser.standardError = FileHandle.nullDevice
        return try await withCheckedThrowingContinuation { continuation in
            do {
                try browser.run()
                Thread.detachNewThread {
                    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                    continuation.resume(returning: text)
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    @Test("it shows the graph, and refreshes it") func page() async throws {
        let inspector = try await ObservationInspector.start()
        let picture = FileManager.default.temporaryDirectory.appendingPathComponent(
            "inspector-\(UUID().uuidString).png")
        defer { try? FileManager.default.removeItem(at: picture) }
        // On the main actor, as a program has it, while the browser looks.
        let greenhouse = Task { @MainActor in
            let greenhouse = try Greenhouse()
            inspector.offer(greenhouse.zones[0], as: "Zone north")
            for step in 0... {
                greenhouse.advance(step)
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        // Two looks, so that the rates are known.
        _ = try await URLSession.shared.data(from: inspector.url)
        try await Task.sleep(for: .milliseconds(700))

        let list = try await URLSession.shared.data(from: inspector.url.appendingPathComponent("traces.json")).0
        let address = try #require(JSONDecoder().decode(TraceList.self, from: list).objects.first?.address)
        var request = URLRequest(url: URL(string: "trace?object=\(address)&on=true", relativeTo: inspector.url)!)
        request.httpMethod = "POST"
        request.setValue(String("\(inspector.url)".dropLast()), forHTTPHeaderField: "Origin")
        _ = try await URLSession.shared.data(for: request)

        let page = try await browse(inspector.url, "--dump-dom")
        let refreshes = try #require(page.firstMatch(of: /data-refreshes="(\d+)"/)).1
        #expect(Int(refreshes)! >= 2)
        for part in [
            "refreshed every second", "<svg", "Zone", "sensor.temperature", "Inspector/Greenhouse.swift:", "/s</text>",
            "Derived values", "<td>Zone north \(address)</td>", "µs</td>",
        ] {
            #expect(page.contains(part), "\(part)")
        }

        _ = try await browse(inspector.url, "--screenshot=\(picture.path)")
        let data = try Data(contentsOf: picture)
        #expect(data.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        #expect(data.count > 20_000)
        // To see what the test has seen.
        if let path = ProcessInfo.processInfo.environment["INSPECTOR_SCREENSHOT"] {
            try data.write(to: URL(fileURLWithPath: path))
        }
        greenhouse.cancel()
        await inspector.stop()
    }

    /// The traces of a sensor that was changed so many times.
    @MainActor private func traces(of name: String, changes: Int) async throws -> Traces {
        let traces = Traces()
        let sensor = Greenhouse.Sensor(temperature: 20)
        traces.offer(sensor, name: name, on: MainActor.shared)
        let address = try #require(traces.list(after: 0).objects.first?.address)
        _ = await traces.setTraced(true, address)
        for _ in 0..<changes { sensor.humidity += 1 }
        return traces
    }

    @Test("a page that is open while the program is started again shows what is traced then, from the first change on")
    func restart() async throws {
        let first = try await traces(of: "before", changes: 3)
        let second = try await traces(of: "after", changes: 1)
        #expect(first.list(after: 0).changes.count == 3 && second.list(after: 0).changes.count == 1)
        let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: 0), logger: .disabled)
        let running = Task { try await server.run() }
        try await server.waitUntilListening()
        guard case .ip4(_, let port)? = await server.listeningAddress else { throw SocketError.unsupportedAddress }
        let handlers = (PageHandler(port: port, traces: first), PageHandler(port: port, traces: second))
        await server.appendRoute("*", to: Restart(handlers.0, requests: 2, handlers.1))
        let page = try await browse(URL(string: "http://127.0.0.1:\(port)/")!, "--dump-dom")
        #expect(page.contains("<td>after 0x"))
        #expect(!page.contains("<td>before 0x"))
        await server.stop()
        running.cancel()
    }
}
