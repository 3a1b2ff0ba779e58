import CDeallocHook
import Testing

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An address that no other test uses, as long as this lives. The table shares nothing between addresses, so the tests
/// run in parallel with each other and with those of other modules; what is global is tested in a process of its own.
final class Thing: @unchecked Sendable {
    let address: UnsafeRawPointer

    init() { address = UnsafeRawPointer(UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 16)) }
    deinit { UnsafeMutableRawPointer(mutating: address).deallocate() }

    func associate(_ value: Value, for key: Key, order: cdh_order = CDH_FIRST) -> cdh_result {
        let retained = Unmanaged.passRetained(value)
        let result = cdh_associate(address, key.address, retained.toOpaque(), releaseValue, order)
        if result != CDH_OK { retained.release() }
        return result
    }

    func value(for key: Key) -> String? {
        guard let found = cdh_associated(address, key.address, retainValue) else { return nil }
        return Unmanaged<Value>.fromOpaque(found).takeRetainedValue().name
    }

    func dissociate(_ key: Key) -> Bool { cdh_dissociate(address, key.address) }

    /// The token, or nil with what the table said in `result`.
    @discardableResult
    func onTeardown(
        _ name: String, _ log: Log, result: UnsafeMutablePointer<cdh_result>? = nil,
        body: @escaping (UnsafeRawPointer) -> Void = { _ in }
    ) -> UInt64? {
        let call = Unmanaged.passRetained(Call(log: log, name: name, body: body))
        var token: UInt64 = 0
        let outcome = cdh_on_teardown(address, runCall, call.toOpaque(), releaseCall, &token)
        result?.pointee = outcome
        if outcome == CDH_OK { return token }
        call.release()
        return nil
    }

    func cancel(_ token: UInt64) -> Bool { cdh_cancel(address, token) }
    func tearDown() { cdh_teardown(address) }
    var isDying: Bool { cdh_is_dying(address) }
}

/// A key: nothing but an address.
final class Key: @unchecked Sendable {
    let address = UnsafeRawPointer(UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))
    deinit { UnsafeMutableRawPointer(mutating: address).deallocate() }
}

/// What happened, in order, from any thread.
final class Log: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)  // guards `lines`
    private var lines: [String] = []

    init() { demand(pthread_mutex_init(mutex, nil) == 0) }
    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func callAsFunction(_ line: String) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        lines.append(line)
    }

    /// Everything since it was last asked.
    func take() -> [String] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        defer { lines = [] }
        return lines
    }
}

/// A value that logs its release by the table, and may do more then.
final class Value: @unchecked Sendable {
    let name: String
    let log: Log
    let whenReleased: () -> Void

    init(_ name: String, _ log: Log, whenReleased: @escaping () -> Void = {}) {
        self.name = name
        self.log = log
        self.whenReleased = whenReleased
    }
}

final class Call {
    let log: Log
    let name: String
    let body: (UnsafeRawPointer) -> Void

    init(log: Log, name: String, body: @escaping (UnsafeRawPointer) -> Void) {
        self.log = log
        self.name = name
        self.body = body
    }
}

func retainValue(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    Unmanaged<Value>.fromOpaque(pointer).retain().toOpaque()
}

private func releaseValue(_ pointer: UnsafeMutableRawPointer?) {
    let value = Unmanaged<Value>.fromOpaque(pointer!).takeRetainedValue()
    value.log("released \(value.name)")
    value.whenReleased()
}

private func runCall(_ object: UnsafeRawPointer, _ context: UnsafeMutableRawPointer?) {
    let call = Unmanaged<Call>.fromOpaque(context!).takeUnretainedValue()
    call.log("\(call.name) ran")
    call.body(object)
}

private func releaseCall(_ context: UnsafeMutableRawPointer?) {
    let call = Unmanaged<Call>.fromOpaque(context!).takeRetainedValue()
    call.log("\(call.name)'s context released")
}

/// A thread that can be waited for. What it throws away when it ends, a thread of a pool would keep.
struct Thread {
    private final class Body {
        let run: () -> Void
        init(_ run: @escaping () -> Void) { self.run = run }
    }

    private let handle: pthread_t

    init(_ run: @escaping @Sendable () -> Void) {
        var handle = pthread_t()
        let status = pthread_create(&handle, nil, { Self.start($0!) }, Unmanaged.passRetained(Body(run)).toOpaque())
        demand(status == 0)
        self.handle = handle
    }

    private static func start(_ body: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run()
        return nil
    }

    func join() { demand(pthread_join(handle, nil) == 0) }
}

/// Closed, until some thread opens it.
final class Gate: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)  // guards `isOpen`
    private var isOpen = false

    init() { demand(pthread_mutex_init(mutex, nil) == 0) }
    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func open() {
        pthread_mutex_lock(mutex)
        isOpen = true
        pthread_mutex_unlock(mutex)
    }

    func wait() {
        while true {
            pthread_mutex_lock(mutex)
            let isOpen = isOpen
            pthread_mutex_unlock(mutex)
            if isOpen { return }
            usleep(100)
        }
    }
}

/// Whether the tests run under a sanitizer, where everything takes 5 to 20 times as long.
let isSlow = getenv("AUTOKVO_SANITIZER") != nil

/// Stops the tests unless a condition is true. In any build it is evaluated, where `precondition` is not in one without checks.
func demand(_ condition: Bool, line: UInt = #line) {
    if !condition { fatalError("A condition of a test does not hold.", line: line) }
}
