import AutoKVO
import FlyingFox
import Foundation

/// Answers what a browser on this machine asks. It changes nothing but whether an object that was offered is traced.
struct PageHandler: HTTPHandler {
    let port: UInt16
    private let rates = CallRates()

    private let traces: Traces

    init(port: UInt16, traces: Traces = Traces()) {
        (self.port, self.traces) = (port, traces)
    }

    /// What a browser writes into `Host`. It leaves the port out if that is 80.
    private var hosts: [String] {
        ["127.0.0.1", "localhost"].flatMap { port == 80 ? [$0, "\($0):80"] : ["\($0):\(port)"] }
    }

    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let host = request.headers[.host], hosts.contains(host) else {
            return answer(.forbidden, "text/plain", "This page is for 127.0.0.1 only.\n")
        }
        func query(_ name: String) -> String? { request.query.first { $0.name == name }?.value }
        if request.method == .POST, request.path == "/trace" {
            // A browser says from whose page a request is.
            guard request.headers[HTTPHeader("Origin")] == "http://\(host)" else {
                return answer(.forbidden, "text/plain", "Only this page switches traces.\n")
            }
            guard let object = query("object"), let isOn = query("on").flatMap(Bool.init) else {
                return answer(.badRequest, "text/plain", "It takes object=ADDRESS and on=true or on=false.\n")
            }
            let isKnown = await traces.setTraced(isOn, object)
            return isKnown
                ? answer(.ok, "text/plain", "")
                : answer(.notFound, "text/plain", "No object of this address is offered.\n")
        }
        guard request.method == .GET else {
            return answer(.methodNotAllowed, "text/plain", "This page can only be read.\n")
        }
        switch request.path {
        case "/": return answer(.ok, "text/html", Self.page(PageContent(await snapshot()).html))
        case "/content": return answer(.ok, "text/html", PageContent(await snapshot()).html)
        case "/graph.svg": return answer(.ok, "image/svg+xml", GraphDrawing(await snapshot()).svg)
        case "/graph.json": return answer(.ok, "application/json", try json(await snapshot()))
        case "/traces.json":
            return answer(.ok, "application/json", try json(traces.list(after: query("after").flatMap(Int.init) ?? 0)))
        case "/page.css": return answer(.ok, "text/css", PackageResources.page_css)
        case "/page.js": return answer(.ok, "text/javascript", PackageResources.page_js)
        default: return answer(.notFound, "text/plain", "There is no such page.\n")
        }
    }

    private func snapshot() async -> Snapshot {
        await rates.snapshot(of: Diagnostics.graph(), at: .now)
    }

    private func json(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    private static func page(_ content: String) -> String {
        String(decoding: PackageResources.page_html, as: UTF8.self).replacingOccurrences(
            of: "<!-- content -->", with: content)
    }

    private func answer(_ status: HTTPStatusCode, _ type: String, _ text: String) -> HTTPResponse {
        answer(status, type, Array(text.utf8))
    }

    private func answer(_ status: HTTPStatusCode, _ type: String, _ body: some Sequence<UInt8>) -> HTTPResponse {
        HTTPResponse(
            statusCode: status,
            headers: [
                .contentType: "\(type); charset=utf-8", .cacheControl: "no-store",
                // Nothing from elsewhere is loaded, no script stands in the page itself, and no other site shows it.
                HTTPHeader("Content-Security-Policy"): """
                default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; \
                img-src 'self' data:; frame-ancestors 'none'
                """,
                HTTPHeader("Cross-Origin-Resource-Policy"): "same-origin",
                HTTPHeader("X-Content-Type-Options"): "nosniff",
            ],
            body: Data(body))
    }
}
