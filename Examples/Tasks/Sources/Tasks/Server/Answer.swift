import FlyingFox
import FlyingSocks
import Foundation

/// The answers of the server.
enum Answer {
    static func text(_ status: HTTPStatusCode, _ type: String, _ body: some Sequence<UInt8>) -> HTTPResponse {
        HTTPResponse(statusCode: status, headers: headers(type), body: Data(body))
    }

    static func json(_ status: HTTPStatusCode, _ text: String) -> HTTPResponse {
        self.text(status, "application/json", text.utf8)
    }

    static func json(_ status: HTTPStatusCode, _ value: some Encodable) throws -> HTTPResponse {
        text(status, "application/json", try JSONEncoder().encode(value))
    }

    /// What is wrong, in sentences: the first as `error`, all of them as `errors`.
    static func refusal(_ status: HTTPStatusCode, _ sentences: [String]) -> HTTPResponse {
        struct Body: Encodable {
            let error: String
            let errors: [String]
        }
        return (try? json(status, Body(error: sentences.first ?? status.phrase, errors: sentences)))
            ?? HTTPResponse(statusCode: .internalServerError)
    }

    /// After such an answer the connection is closed: what is left of the request is not read.
    static func closing(_ status: HTTPStatusCode, _ sentence: String) -> HTTPResponse {
        var response = refusal(status, [sentence])
        response.headers[.connection] = "close"
        let body = Data(#"{"error":"\#(sentence)","errors":["\#(sentence)"]}"#.utf8)
        return HTTPResponse(
            statusCode: status, headers: response.headers,
            body: HTTPBodySequence(from: LastWords(bytes: Array(body)), count: body.count))
    }

    static func events(_ stream: EventStream) -> HTTPResponse {
        HTTPResponse(
            statusCode: .ok, headers: headers("text/event-stream"),
            body: HTTPBodySequence(from: stream, suggestedBufferSize: 64 * 1024))
    }

    private static func headers(_ type: String) -> HTTPHeaders {
        [
            .contentType: "\(type); charset=utf-8", .cacheControl: "no-store",
            // Nothing from elsewhere is loaded, no script stands in the page itself, and no other site shows it.
            HTTPHeader("Content-Security-Policy"): """
            default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; \
            frame-ancestors 'none'; base-uri 'none'; form-action 'none'
            """,
            HTTPHeader("Cross-Origin-Resource-Policy"): "same-origin",
            HTTPHeader("X-Content-Type-Options"): "nosniff",
        ]
    }
}

/// A body after which the connection is closed: FlyingFox (0.27.1) does that when a body throws.
private struct LastWords: AsyncBufferedSequence {
    typealias Element = UInt8
    let bytes: [UInt8]

    func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes[...]) }

    struct Iterator: AsyncBufferedIteratorProtocol {
        var bytes: ArraySlice<UInt8>

        mutating func next() async throws -> UInt8? { try await nextBuffer(suggested: 1)?.first }

        mutating func nextBuffer(suggested count: Int) async throws -> ArraySlice<UInt8>? {
            if bytes.isEmpty { throw SocketError.disconnected }
            defer { bytes = [] }
            return bytes
        }
    }
}
