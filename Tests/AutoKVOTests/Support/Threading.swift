import AutoKVOTestSupport
import Synchronization

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Runs a closure on several threads at once, and returns when all have finished. Each gets its number.
func concurrently(_ count: Int, stackSize: Int? = nil, _ body: (Int) -> Void) {
    withoutActuallyEscaping(body) { body in
        let threads = (0..<count).map { number in Thread(stackSize: stackSize) { body(number) } }
        for thread in threads { thread.join() }
    }
}

/// Runs a closure on a new thread, and returns when it has finished.
func onAnotherThread(stackSize: Int? = nil, _ body: () -> Void) {
    concurrently(1, stackSize: stackSize) { _ in body() }
}

/// A POSIX thread. What its closure captures is the test's to keep apart from what other threads use.
final class Thread {
    private var thread = pthread_t()

    private final class Start {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }

    init(stackSize: Int? = nil, _ body: @escaping () -> Void) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        // Code made for a sanitizer takes several times the stack.
        if let stackSize { pthread_attr_setstacksize(&attributes, isSanitized ? stackSize * 8 : stackSize) }
        let start = Unmanaged.passRetained(Start(body)).toOpaque()
        let result = pthread_create(
            &thread, &attributes,
            { start in
                Unmanaged<Start>.fromOpaque(start!).takeRetainedValue().body()
                return nil
            }, start)
        precondition(result == 0, "No thread could be made.")
    }

    func join() { pthread_join(thread, nil) }
}

/// A door that threads wait at until it is opened.
final class Door: @unchecked Sendable {
    private var mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)  // guards `isOpen`
    private var condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isOpen = false

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func open() {
        pthread_mutex_lock(mutex)
        isOpen = true
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }

    func wait() {
        pthread_mutex_lock(mutex)
        while !isOpen { pthread_cond_wait(condition, mutex) }
        pthread_mutex_unlock(mutex)
    }
}

/// A variable that several threads use, one after the other or under the test's own order.
final class Shared<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }

    /// Gives the value away, so that the caller's is the last reference to it.
    func take<Wrapped>() -> Wrapped? where Value == Wrapped? {
        let taken = value
        value = nil
        return taken
    }
}

/// Counts from any thread.
final class Counter: Sendable {
    private let cell = Atomic<Int>(0)
    var count: Int { cell.load(ordering: .acquiring) }
    @discardableResult
    func add(_ one: Int = 1) -> Int { cell.wrappingAdd(one, ordering: .acquiringAndReleasing).newValue }
}

/// How much a stress test does: `quick` in `scripts/check.sh`, an eighth of that in `scripts/test.sh` and `swift test` and under a
/// sanitizer, a hundred times that in a long run.
func load(_ quick: Int) -> Int {
    if isLongRun { return quick * 100 }
    let isShort = isSanitized || getenv("AUTOKVO_CHECK") == nil
    return max(quick / (isShort ? 8 : 1), 1)
}

/// Whether this is the step `stress` of `scripts/check.sh --long`, which alone sets the variable: a release build.
var isLongRun: Bool { getenv("AUTOKVO_LONG") != nil && !isSanitized }

/// How many things a test of size makes: the same in a long run, an eighth in a debug build, a fortieth in one for a sanitizer.
func size(_ count: Int) -> Int {
    if isSanitized { return max(count / 40, 1) }
    #if DEBUG
        return max(count / 8, 1)
    #else
        return count
    #endif
}

/// Whether the tests were made for the thread or the address sanitizer, which `scripts/check.sh` says.
var isSanitized: Bool { getenv("AUTOKVO_SANITIZER") != nil }

/// Stops the tests unless a condition is true. In any build it is evaluated, where `precondition` is not in one without checks.
func demand(_ condition: Bool, line: UInt = #line) {
    if !condition { fatalError("A condition of a test does not hold.", line: line) }
}
