import AutoKVO
import FlyingFox
import Foundation

/// Answers what a browser on this machine asks, and changes nothing.
struct PageHandler: HTTPHandler {
    let port: UInt16
    private let rates = CallRates()

    init(port: UInt16) {
        self.port = port
    }

    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let host = request.headers[.host], ["127.0.0.1:\(port)", "localhost:\(port)"].contains(host) else {
            return answer(.forbidden, "text/plain", "This page is for 127.0.0.1 only.\n")
        }
        guard request.method == .GET else {
            return answer(.methodNotAllowed, "text/plain", "This page can only be read.\n")
        }
        switch request.path {
        case "/": return answer(.ok, "text/html", Self.page(PageContent(await snapshot()).html))
        case "/content": return answer(.ok, "text/html", PageContent(await snapshot()).html)
        case "/graph.svg": return answer(.ok, "image/svg+xml", GraphDrawing(await snapshot()).svg)
        case "/graph.json": return answer(.ok, "application/json", try await json())
        case "/page.css": return answer(.ok, "text/css", PackageResources.page_css)
        case "/page.js": return answer(.ok, "text/javascript", PackageResources.page_js)
        default: return answer(.notFound, "text/plain", "There is no such page.\n")
        }
    }

    private func snapshot() async -> Snapshot {
        await rates.snapshot(of: Diagnostics.graph(), at: .now)
    }

    private func json() async throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(await snapshot())
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
