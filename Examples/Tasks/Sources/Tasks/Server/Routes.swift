import AutoKVO
import FlyingFox
import Foundation
import Logging

/// Answers what a program on this machine asks.
struct Routes: HTTPHandler {
    static let bodyLimit = 64 * 1024

    let store: Store
    let activity: Activity
    let port: UInt16
    let heartbeat: Duration
    let logger: Logger

    /// What a browser writes into `Host`, and behind "http://" into `Origin`. It leaves the port out if that is 80.
    static func names(port: UInt16) -> [String] {
        ["127.0.0.1", "localhost"].flatMap { port == 80 ? [$0, "\($0):80"] : ["\($0):\(port)"] }
    }

    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        let names = Self.names(port: port)
        guard let host = request.headers[.host], names.contains(host) else {
            return Answer.closing(.forbidden, "this server is for 127.0.0.1 only")
        }
        // A page of another site that is open in the same browser.
        if let origin = request.headers[HTTPHeader("Origin")], !names.contains(where: { origin == "http://\($0)" }) {
            return Answer.closing(.forbidden, "this server answers its own page only")
        }
        do {
            return try await answer(request)
        } catch let error as KeyValueError {
            return Answer.refusal(.badRequest, WrongRequest(error).sentences)
        } catch let error as WrongRequest {
            return Answer.refusal(error.isMissing ? .notFound : .badRequest, error.sentences)
        } catch let error as Unavailable {
            return Answer.refusal(.serviceUnavailable, [error.sentence])
        } catch let error as FailedCommit {
            logger.error("a turn was not kept: \(error.error)")
            return Answer.refusal(.internalServerError, ["the change could not be kept, and was undone"])
        }
    }

    private func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        switch (request.method, parts.count) {
        case (.GET, 1): return try await get(parts[0])
        case (.POST, 1) where parts[0] == "lists":
            return try await perform(request, .created) { [.addList(try Edit.values($0))] }
        case (.POST, 1) where parts[0] == "edits":
            return try await perform(request) { try Edit.several($0) }
        case (.POST, 3) where parts[0] == "lists" && parts[2] == "tasks":
            guard case .list(let id)? = ObjectName("lists/\(parts[1])") else { break }
            return try await perform(request, .created) { [.addTask(list: id, try Edit.values($0))] }
        case (.PATCH, 2):
            guard let object = ObjectName("\(parts[0])/\(parts[1])") else { break }
            return try await perform(request) { [.set(object, try Edit.values($0))] }
        case (.DELETE, 2):
            guard let object = ObjectName("\(parts[0])/\(parts[1])") else { break }
            return try await perform(request, hasBody: false) { _ in [.remove(object)] }
        default: break
        }
        return Answer.closing(.notFound, "there is nothing at this address, or not by this method")
    }

    private func get(_ path: String) async throws -> HTTPResponse {
        switch path {
        case "": return Answer.text(.ok, "text/html", PackageResources.page_html)
        case "page.css": return Answer.text(.ok, "text/css", PackageResources.page_css)
        case "page.js": return Answer.text(.ok, "text/javascript", PackageResources.page_js)
        case "board": return Answer.json(.ok, try await store.snapshot().json)
        case "activity": return try Answer.json(.ok, await activity.report)
        case "events":
            let (snapshot, turns) = try await store.follow()
            return Answer.events(
                EventStream(snapshot, turns, heartbeat: heartbeat) { [store] in try await store.snapshot() })
        default: return Answer.closing(.notFound, "there is nothing at this address, or not by this method")
        }
    }

    /// Makes the edits of a request. They are made of its body where nothing else is: what is in it goes to the store, and is not shared.
    private func perform(
        _ request: HTTPRequest, _ status: HTTPStatusCode = .ok, hasBody: Bool = true,
        _ edits: @Sendable (Data) throws -> sending [Edit]
    ) async throws -> HTTPResponse {
        // A form of another site could send any other type without asking.
        if hasBody, request.headers[.contentType]?.lowercased().hasPrefix("application/json") != true {
            return Answer.closing(.unsupportedMediaType, "the body has the type application/json")
        }
        var body = Data()
        for try await part in request.bodySequence {
            body.append(part)
            if body.count > Self.bodyLimit {
                return Answer.closing(.payloadTooLarge, "a body has at most \(Self.bodyLimit) bytes")
            }
        }
        return try Answer.json(status, await store.perform(edits(body)))
    }
}
