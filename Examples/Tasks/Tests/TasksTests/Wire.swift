import Foundation
import Glibc

/// One connection to a server on this machine, byte by byte: what a browser would never send can be sent, too.
final class Wire {
    struct Response {
        let status: Int
        let headers: [String: String]
        let body: Data
    }

    private let file: Int32
    private var read: [UInt8] = []

    /// - Parameter receiveBuffer: How much the kernel keeps for a reader who does not read; 0 for what is usual.
    init?(port: UInt16, seconds: Int = 10, receiveBuffer: Int32 = 0) {
        file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        if receiveBuffer > 0 {
            var size = receiveBuffer
            setsockopt(file, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if !isConnected { return nil }
    }

    deinit { close(file) }

    func send(_ bytes: some Sequence<UInt8>) -> Bool {
        let bytes = Array(bytes)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            sent += count
        }
        return true
    }

    /// False at the end of the connection.
    private func fill() -> Bool {
        let size = 65536
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = max(0, recv(file, buffer.baseAddress, size, 0))
        }
        read += bytes
        return !bytes.isEmpty
    }

    func line() -> String? {
        while true {
            if let end = read.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: read[..<end], as: UTF8.self)
                read.removeFirst(end + 1)
                return line.hasSuffix("\r") || line.utf8.last == 13
                    ? String(decoding: line.utf8.dropLast(), as: UTF8.self) : line
            }
            if !fill() { return nil }
        }
    }

    func bytes(_ count: Int) -> [UInt8]? {
        while read.count < count { if !fill() { return nil } }
        defer { read.removeFirst(count) }
        return Array(read.prefix(count))
    }

    /// The first line and the headers of a response.
    func head() -> (status: Int, headers: [String: String])? {
        guard let first = line()?.split(separator: " "), first.count > 1, let status = Int(first[1]) else { return nil }
        var headers: [String: String] = [:]
        while let line = line() {
            if line.isEmpty { return (status, headers) }
            guard let colon = line.firstIndex(of: ":") else { return nil }
            headers[line[..<colon].lowercased()] = line[colon...].dropFirst().trimmingCharacters(in: .whitespaces)
        }
        return nil
    }

    func response() -> Response? {
        guard let (status, headers) = head(), let length = headers["content-length"].flatMap(Int.init) else {
            return nil
        }
        return bytes(length).map { Response(status: status, headers: headers, body: Data($0)) }
    }
}

/// A server-sent event.
struct Event {
    let name: String
    let id: Int64
    let data: Data
}

/// Reads the events that a server sends.
final class EventReader {
    private let wire: Wire
    private var text: [UInt8] = []

    init?(port: UInt16, receiveBuffer: Int32 = 0, seconds: Int = 10) {
        guard let wire = Wire(port: port, seconds: seconds, receiveBuffer: receiveBuffer),
            wire.send("GET /events HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n".utf8)
        else { return nil }
        self.wire = wire
    }

    private var hasBegun = false

    /// Nil at the end of the stream.
    func next() -> Event? {
        if !hasBegun {
            guard let head = wire.head(), head.status == 200, head.headers["transfer-encoding"] == "chunked" else {
                return nil
            }
            hasBegun = true
        }
        var (name, id, data) = ("", Int64(-1), "")
        while let line = line() {
            if line.isEmpty {
                if !data.isEmpty { return Event(name: name, id: id, data: Data(data.utf8)) }
            } else if line.hasPrefix("event: ") {
                name = String(line.dropFirst(7))
            } else if line.hasPrefix("id: ") {
                id = Int64(line.dropFirst(4)) ?? -1
            } else if line.hasPrefix("data: ") {
                data = String(line.dropFirst(6))
            }
        }
        return nil
    }

    private func line() -> String? {
        while true {
            if let end = text.firstIndex(of: UInt8(ascii: "\n")) {
                defer { text.removeFirst(end + 1) }
                return String(decoding: text[..<end], as: UTF8.self)
            }
            guard let size = wire.line().flatMap({ Int($0, radix: 16) }), size > 0, let chunk = wire.bytes(size),
                wire.line() == ""
            else { return nil }
            text += chunk
        }
    }
}
