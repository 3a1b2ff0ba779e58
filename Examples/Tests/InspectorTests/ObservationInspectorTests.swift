import AutoKVO
import FlyingFox
import Foundation
import Testing

@testable import Inspector
@testable import InspectorServer

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

private final class Lamp: TrackedObject {
    @Observed var level = 0
}

private final class Dimmer: TrackedObject {
    @Observed var level = 2
    @Derived({ (dimmer: Dimmer) in dimmer.level * 10 }) var percent: Int
}

private final class Reader {}

private final class Empty: TrackedObject {}

@Suite("The inspector", .timeLimit(.minutes(2))) struct ObservationInspectorTests {
    private func get(_ url: URL) async throws -> (status: Int, text: String) {
        let (data, response) = try await URLSession.shared.data(from: url)
        return ((response as! HTTPURLResponse).statusCode, String(decoding: data, as: UTF8.self))
    }

    @Test("it is off unless it is asked for") func off() async throws {
        #expect(try await ObservationInspector.startIfAsked(environment: [:]) == nil)
        #expect(try await ObservationInspector.startIfAsked(environment: ["AUTOKVO_INSPECTOR": ""]) == nil)
        await #expect(throws: ObservationInspector.PortError.self) {
            try await ObservationInspector.startIfAsked(environment: ["AUTOKVO_INSPECTOR": "yes"])
        }
        let asked = try #require(try await ObservationInspector.startIfAsked(environment: ["AUTOKVO_INSPECTOR": "0"]))
        #expect(try await get(asked.url).status == 200)
        await asked.stop()
        await #expect(throws: URLError.self) { try await get(asked.url) }
    }

    @Test("a port that is not free is an error at once") func occupied() async throws {
        let inspector = try await ObservationInspector.start()
        let start = ContinuousClock.now
        await #expect(throws: (any Error).self) {
            try await ObservationInspector.start(port: UInt16(inspector.url.port!))
        }
        #expect(start.duration(to: .now) < .seconds(4))
        await inspector.stop()
    }

    @Test("it shows who observes what, where it was registered, and how often handlers are called") func content()
        async throws
    {
        let inspector = try await ObservationInspector.start()
        let (lamp, reader) = (Lamp(), Reader())
        let observation = try lamp.addObserver(reader, forKeyPath: "level", options: .new) { _, _ in }
        for level in 1...10 { lamp.level = level }

        func shown() async throws -> Snapshot.Observation? {
            let (status, text) = try await get(inspector.url.appendingPathComponent("graph.json"))
            #expect(status == 200)
            let snapshot = try JSONDecoder().decode(Snapshot.self, from: Data(text.utf8))
            let shown = snapshot.observations.first { $0.registeredAt == observation.registrationSite }
            if let shown {
                let target = snapshot.objects.first { $0.address == shown.targets.first }
                #expect(target?.className == "Lamp" && target?.isAlive == true)
                #expect(snapshot.objects.contains { $0.address == shown.observer && $0.className == "Reader" })
            }
            return shown
        }
        let first = try #require(try await shown())
        #expect(first.keyPaths == ["level"])
        #expect(first.options == "[.new]")
        #expect(first.registeredAt.hasPrefix("InspectorTests/ObservationInspectorTests.swift:"))
        #expect(first.calls == 10)
        try await Task.sleep(for: .milliseconds(600))
        for level in 1...30 { lamp.level = level }
        let second = try #require(try await shown())
        #expect(second.calls == 40)
        #expect(try #require(second.callsPerSecond) > 0)

        let page = try await get(inspector.url)
        #expect(page.status == 200)
        for part in ["<svg", "Lamp", "Reader", "level", observation.registrationSite, "/s<"] {
            #expect(page.text.contains(part), "\(part)")
        }
        #expect(try await get(inspector.url.appendingPathComponent("graph.svg")).text.hasPrefix("<svg"))
        #expect(try await get(inspector.url.appendingPathComponent("page.js")).status == 200)
        #expect(try await get(inspector.url.appendingPathComponent("page.css")).status == 200)
        #expect(try await get(inspector.url.appendingPathComponent("else")).status == 404)

        observation.remove()
        #expect(try await shown() == nil)
        await inspector.stop()
        withExtendedLifetime(reader) {}
    }

    private func traces(_ inspector: ObservationInspector, after: Int = 0) async throws -> TraceList {
        let text = try await get(URL(string: "traces.json?after=\(after)", relativeTo: inspector.url)!).text
        return try JSONDecoder().decode(TraceList.self, from: Data(text.utf8))
    }

    private func setTraced(
        _ isOn: Bool, _ address: String, _ inspector: ObservationInspector, origin: String? = nil
    ) async throws -> Int {
        var request = URLRequest(url: URL(string: "trace?object=\(address)&on=\(isOn)", relativeTo: inspector.url)!)
        request.httpMethod = "POST"
        request.setValue(origin ?? String("\(inspector.url)".dropLast()), forHTTPHeaderField: "Origin")
        return (try await URLSession.shared.data(for: request).1 as! HTTPURLResponse).statusCode
    }

    @MainActor @Test("an object that is offered is traced when the page asks for it, until it dies") func trace()
        async throws
    {
        let inspector = try await ObservationInspector.start()
        var lamp: Lamp? = Lamp()
        inspector.offer(lamp!, as: "hall")
        let site = try lamp!.observe("level") { _ in }.registrationSite
        lamp!.level = 1
        let offered = try await traces(inspector)
        #expect(offered.objects.map(\.name) == ["hall"] && offered.objects.first?.isTraced == false)
        #expect(offered.changes.isEmpty)
        let address = try #require(offered.objects.first?.address)

        #expect(try await setTraced(true, address, inspector, origin: "http://evil.example") == 403)
        #expect(try await setTraced(true, "0x1", inspector) == 404)
        #expect(try await setTraced(true, address, inspector) == 200)
        lamp!.level = 7
        let traced = try await traces(inspector)
        #expect(traced.objects.first?.isTraced == true)
        #expect(traced.start == offered.start && traced.start != Traces().list(after: 0).start)
        let change = try #require(traced.changes.first)
        #expect(change.object == "hall \(address)" && change.key == "level")
        #expect(change.oldValue == "1" && change.newValue == "7")
        #expect(change.calls.map(\.registeredAt) == [site] && change.calls.map(\.keyPath) == ["level"])
        #expect(try #require(change.calls.first).microseconds > 0)
        #expect(abs(change.time - Date().timeIntervalSince1970) < 60)

        #expect(try await setTraced(false, address, inspector) == 200)
        lamp!.level = 8
        #expect(try await traces(inspector, after: change.number).changes.isEmpty)
        #expect(try await setTraced(true, address, inspector) == 200)
        for level in 0..<(Traces.limit + 20) { lamp!.level = level }
        #expect(try await traces(inspector).changes.count == Traces.limit)
        lamp = nil
        #expect(try await traces(inspector).objects.isEmpty)
        #expect(try await setTraced(true, address, inspector) == 404)
        await inspector.stop()
    }

    @MainActor @Test("an object whose class has no keys is not offered, since it cannot be traced") func noKeys()
        async throws
    {
        let inspector = try await ObservationInspector.start()
        let empty = Empty()
        inspector.offer(empty)
        #expect(try await traces(inspector).objects.isEmpty)
        let address = "0x" + String(UInt(bitPattern: ObjectIdentifier(empty)), radix: 16)
        #expect(try await setTraced(true, address, inspector) == 404)
        await inspector.stop()
        withExtendedLifetime(empty) {}
    }

    @Test("the graph says what a derived value reads") func reads() async throws {
        let inspector = try await ObservationInspector.start()
        let dimmer = Dimmer()
        let observation = try dimmer.observe("percent") { _ in }
        let text = try await get(inspector.url.appendingPathComponent("graph.json")).text
        let address = "0x" + String(UInt(bitPattern: ObjectIdentifier(dimmer)), radix: 16)
        let reads = try JSONDecoder().decode(Snapshot.self, from: Data(text.utf8)).reads
        #expect(
            reads.contains(.init(object: address, key: "percent", sourceObject: address, sourceKey: "level")))
        let page = try await get(inspector.url).text
        #expect(page.contains("Derived values") && page.contains("<code>percent</code>"))
        observation.remove()
        await inspector.stop()
    }

    @Test("only 127.0.0.1 is served") func addresses() async throws {
        let inspector = try await ObservationInspector.start()
        #expect(inspector.url.host == "127.0.0.1")
        // Another address of the same machine: a server that is bound to all of them would answer.
        let other = URL(string: "http://127.0.0.2:\(inspector.url.port!)/")!
        await #expect(throws: URLError.self) { try await get(other) }
        await inspector.stop()
    }

    private func status(
        _ method: HTTPMethod, _ path: String = "/", port: UInt16, host: String?, origin: String? = nil
    ) async throws -> HTTPStatusCode {
        var request = HTTPRequest(
            method: method, version: .http11, path: path, query: [], headers: [:], body: Data())
        request.headers[.host] = host
        request.headers[HTTPHeader("Origin")] = origin
        return try await PageHandler(port: port).handleRequest(request).statusCode
    }

    // At any port but 80, for which the name alone is right.
    @Test(
        "another name in Host, and all but GET, are refused",
        arguments: ["evil.example", "127.0.0.1", "127.0.0.1:81", "", nil])
    func hosts(host: String?) async throws {
        #expect(try await status(.GET, port: 8080, host: host) == .forbidden)
        #expect(try await status(.GET, port: 8080, host: "localhost:8080") == .ok)
        #expect(try await status(.POST, port: 8080, host: "127.0.0.1:8080") == .methodNotAllowed)
    }

    @Test(
        "port 80, which browsers leave out of Host and Origin, need not be there",
        arguments: ["127.0.0.1", "localhost", "127.0.0.1:80", "localhost:80"])
    func port80(host: String) async throws {
        #expect(try await status(.GET, port: 80, host: host) == .ok)
        // It is let in, and then does not say what is to be traced.
        #expect(try await status(.POST, "/trace", port: 80, host: host, origin: "http://\(host)") == .badRequest)
        #expect(try await status(.POST, "/trace", port: 80, host: host, origin: "http://evil.example") == .forbidden)
        #expect(try await status(.GET, port: 80, host: "127.0.0.1:81") == .forbidden)
    }

    @Test(
        "the program runs up to a day, and refuses what is no such number of seconds",
        arguments: ["-1", "\(Int.max)", "86401", "some", ""])
    func runningTime(text: String) {
        #expect(InspectorCommand.runningTime(text, isInspected: true) == nil)
        #expect(InspectorCommand.runningTime("86400", isInspected: true) == 86_400)
        #expect(InspectorCommand.runningTime(nil, isInspected: true) == 3600)
        #expect(InspectorCommand.runningTime(nil, isInspected: false) == 1)
    }

    @Test("rates are those since the last look, and unknown after a long pause") func rates() async throws {
        Diagnostics.countsCalls = true
        let lamp = Lamp()
        let observation = try lamp.observe("level") { _ in }
        let rates = CallRates()
        let start = ContinuousClock.now
        func rate(after seconds: Double, writes: Int) async -> Double? {
            for _ in 0..<writes { lamp.level += 1 }
            let snapshot = await rates.snapshot(of: Diagnostics.graph(), at: start + .seconds(seconds))
            return snapshot.observations.first { $0.registeredAt == observation.registrationSite }?.callsPerSecond
        }
        #expect(await rate(after: 0, writes: 4) == nil)
        #expect(await rate(after: 2, writes: 10) == 5)
        // Too soon to be measured again.
        #expect(await rate(after: 2.1, writes: 10) == 5)
        #expect(await rate(after: 4, writes: 0) == 5)
        #expect(await rate(after: 60, writes: 100) == nil)
        #expect(await rate(after: 61, writes: 0) == 0)
    }
}
