/// Runs a task on the thread that lets it go on.
final class Stepper: TaskExecutor, @unchecked Sendable {
    private var jobs: [UnownedJob] = []
    private var waiting: UnsafeContinuation<Void, Never>?

    func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

    private func runAll() {
        while !jobs.isEmpty { jobs.removeFirst().runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Begins a task, which runs until it waits.
    func start(_ body: @escaping () async -> Void) {
        nonisolated(unsafe) let body = body
        Task(executorPreference: self) { await body() }
        runAll()
    }

    /// Has the task wait for `goOn`.
    func pause() async { await withUnsafeContinuation { [self] in waiting = $0 } }

    /// Has the task change a value in place: it waits, and then sets it.
    func edit<Value>(_ value: inout Value, _ last: Value) async {
        await pause()
        value = last
    }

    func goOn() {
        waiting.take()!.resume()
        runAll()
    }
}
