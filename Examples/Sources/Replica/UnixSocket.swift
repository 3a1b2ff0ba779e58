import Foundation
import Glibc

/// A stream over a Unix socket that never waits, except in `wait(writing:)`.
final class UnixSocket {
    private let descriptor: Int32

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit { close(descriptor) }

    private static func open(_ path: String, _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32)
        -> UnixSocket?
    {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        if path.utf8.count >= MemoryLayout.size(ofValue: address.sun_path) {
            errno = ENAMETOOLONG
            return nil
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if result == 0 { return UnixSocket(descriptor) }
        let reason = errno
        close(descriptor)
        errno = reason
        return nil
    }

    /// Nil if nobody listens there yet.
    static func connect(to path: String) -> UnixSocket? { open(path) { Glibc.connect($0, $1, $2) } }

    /// Nil if the path cannot be used; `errno` says why. A socket that is there is replaced, any other file is not.
    static func listen(at path: String) -> UnixSocket? {
        var status = stat()
        if lstat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFSOCK else {
                errno = EEXIST
                return nil
            }
            unlink(path)
        }
        return open(path) { Glibc.bind($0, $1, $2) == 0 ? Glibc.listen($0, 1) : -1 }
    }

    /// Waits for somebody who connects.
    func accept() -> UnixSocket? {
        wait(writing: false)
        let other = Glibc.accept(descriptor, nil, nil)
        return other < 0 ? nil : UnixSocket(other)
    }

    /// Waits up to a second until there is something to read, or also room to write.
    func wait(writing: Bool) {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN | (writing ? POLLOUT : 0)), revents: 0)
        _ = Glibc.poll(&poll, 1, 1000)
    }

    /// What has arrived, empty if nothing has; nil if the connection is lost.
    func read() -> Data? {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count > 0 { return Data(bytes.prefix(count)) }
        return count < 0 && errno == EAGAIN ? Data() : nil
    }

    /// Takes off what could be written; false if the connection is lost.
    func write(_ bytes: inout Data) -> Bool {
        let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard count >= 0 else { return errno == EAGAIN }
        bytes = Data(bytes.dropFirst(count))
        return true
    }
}
