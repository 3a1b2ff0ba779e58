internal import CSwiftRuntime
import Synchronization

/// Where the library reports what is wrong but is not an error: a `didChangeValue` without its `willChangeValue`, a manual
/// observation whose observer died.
public enum Diagnostics {
    /// A function that receives a message. It may be called on any thread, and must not use the object that the message is about.
    public typealias Handler = @Sendable (String) -> Void

    /// A handler in a struct. A closure by itself in a generic box is wrapped twice more each time it is read through `inout`
    /// (Swift 6.3.1), so that each message would cost more than the one before, until the stack overflows.
    private struct Sink: Sendable { let call: Handler }

    private static let current = Guarded(Sink(call: printToStandardError))

    /// Receives each message, one line without a newline at its end, on the thread that reports it. Prints it to standard
    /// error unless replaced.
    public static var handler: Handler {
        get { current.withLock { $0 }.call }
        set {
            // The previous handler is released without the lock.
            var sink = Sink(call: newValue)
            current.withLock { swap(&$0, &sink) }
        }
    }

    private static let isCountingCalls = Atomic(false)

    /// Whether observations that are registered from now on count the calls of their handlers, for `ObservationGraph.Edge.calls`.
    /// False unless set.
    ///
    /// Set it when the program starts, before you register what you want to have counted. Observations that exist already do not
    /// begin to count, and those that count do not stop. A call of a handler that is counted takes a few nanoseconds longer; the others
    /// take as long as before.
    public static var countsCalls: Bool {
        get { isCountingCalls.load(ordering: .relaxed) }
        set { isCountingCalls.store(newValue, ordering: .relaxed) }
    }

    @TaskLocal private static var override: Sink?

    /// Runs an operation whose messages, and those of the tasks it starts, go to another handler: for tests that run
    /// in parallel.
    ///
    /// - Returns: What the operation returns.
    /// - Throws: What the operation throws.
    public static func withHandler<Result, Failure: Error>(
        _ handler: @escaping Handler, operation: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try $override.withValue(Sink(call: handler)) { Swift.Result { () throws(Failure) in try operation() } }.get()
    }

    /// The same for an asynchronous operation.
    @_disfavoredOverload public static func withHandler<Result, Failure: Error>(
        _ handler: @escaping Handler, isolation: isolated (any Actor)? = #isolation,
        operation: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await $override.withValue(Sink(call: handler)) {
            do throws(Failure) { return Swift.Result<Result, Failure>.success(try await operation()) } catch {
                return .failure(error)
            }
        }.get()
    }

    /// Passes a message of one line to the handler that is in effect on this thread or task.
    public static func report(_ message: @autoclosure () -> String) {
        // What the handler reads and writes is not part of a function that is being computed.
        Recording.suspended { (override?.call ?? handler)(message()) }
    }

    private static let printToStandardError: Handler = { message in
        let line = "AutoKVO: \(message)\n"
        csr_print_error(line, line.utf8.count)
    }
}
