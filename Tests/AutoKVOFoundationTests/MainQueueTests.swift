import AutoKVO
import AutoKVOTestSupport
import Dispatch
import Testing

// These tests run in a program with an asynchronous `main`, whose main queue is served by any thread.

@MainActor private final class Screen: TrackedObject {
    @Observed var width = 10
    var log: [String] = []

    nonisolated override init() {}

    nonisolated override class var schema: Schema {
        Schema(Screen.self, extending: super.schema, isolation: MainActor.self) {
            Key("width", \.width, validate: { _, width in width = min(width, 100) })
            Handler("redraw") { $0.log.append("redraw \($0.width)") }
        }
    }

    nonisolated static func validated(_ width: Int) -> Result<Int?, KeyValueError> {
        var value: Any? = width
        do throws(KeyValueError) {
            try Screen().validateValue(&value, forKey: "width")
            return .success(value as? Int)
        } catch { return .failure(error) }
    }
}

/// Runs its work on a queue. What it answers to the runtime, its user says.
private class QueueExecutor: SerialExecutor, @unchecked Sendable {
    let queue: DispatchQueue
    let key = DispatchSpecificKey<Bool>()

    init(_ queue: DispatchQueue) {
        self.queue = queue
        queue.setSpecific(key: key, value: true)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
    func isIsolatingCurrentContext() -> Bool? { nil }
}

private final class AnsweringExecutor: QueueExecutor, @unchecked Sendable {
    override func isIsolatingCurrentContext() -> Bool? { DispatchQueue.getSpecific(key: key) ?? false }
}

private actor Panel: KeyValueObserver {
    private let executor: QueueExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ executor: QueueExecutor) { self.executor = executor }

    nonisolated func follow(_ person: Person, _ log: MessageLog) throws {
        try observe("age", of: person, as: Int.self, options: .new) { _, change in log.add("\(change.newValue!)") }
        try observe("age", of: person) { _ in log.add("changed") }
    }

    /// Returns after what was sent to the actor before.
    func settle() {}
}

/// What MainActor.assumeIsolated and other actors' accept.
struct MainQueueTests {
    private let log = MessageLog()

    private func run<Result: Sendable>(on queue: DispatchQueue, _ body: @escaping @MainActor () -> Result) async
        -> Result
    {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: MainActor.assumeIsolated { body() }) }
        }
    }

    @Test(
        "a validation of the main actor runs on the main queue, and on a queue that targets it",
        arguments: [nil, "a queue"])
    func validation(label: String?) async throws {
        let queue = label.map { DispatchQueue(label: $0, target: .main) } ?? .main
        let result = await run(on: queue) { Screen.validated(700) }
        #expect(try result.get() == 100)
    }

    @Test("so does a named handler of the main actor") func handler() async throws {
        let log = try await run(on: .main) {
            Result {
                let (screen, person) = (Screen(), Person())
                try person.addObserver(screen, forKeyPath: "age", handler: "redraw")
                try screen.addObserver(screen, forKeyPath: "width", handler: "redraw")
                person.age = 1
                screen.width = 20
                return screen.log
            }
        }.get()
        #expect(log == ["redraw 10", "redraw 20"])
    }

    @Test("on any other queue, and on another actor, a validation of the main actor throws") func elsewhere() async {
        for queue in [DispatchQueue.global(), DispatchQueue(label: "a queue")] {
            let result = await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: Screen.validated(70)) }
            }
            #expect(throws: KeyValueError.self) { try result.get() }
        }
        let result = await Task.detached { Screen.validated(70) }.value
        #expect(throws: KeyValueError.self) { try result.get() }
    }

    @Test("a named handler of the main actor stops the program on any other queue, with a sentence")
    func handlerElsewhere() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    let (screen, person) = (Screen(), Person())
                    _ = try? person.addObserver(screen, forKeyPath: "age", handler: "redraw")
                    person.age = 1
                    continuation.resume()
                }
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("\"redraw\" of Screen belongs to the main actor"))
    }

    @Test("an executor that says that it isolates is believed: a change on its queue is delivered at once")
    func answering() async throws {
        let executor = AnsweringExecutor(DispatchQueue(label: "a queue"))
        let (panel, log) = (Panel(executor), log)
        nonisolated(unsafe) let person = Person()
        try panel.follow(person, log)
        executor.queue.sync {
            panel.assumeIsolated { _ in }
            person.age = 1
            log.add("set")
        }
        await panel.settle()
        #expect(log.messages == ["1", "changed", "set"])
    }

    @Test("also where the main actor's task runs on that queue", .needs(.currentExecutor)) func answeringOnMainQueue()
        async throws
    {
        let (panel, log) = (Panel(AnsweringExecutor(.main)), log)
        nonisolated(unsafe) let person = Person()
        try panel.follow(person, log)
        await MainActor.run {
            panel.assumeIsolated { _ in }
            person.age = 1
            log.add("set")
        }
        #expect(log.messages == ["1", "changed", "set"])
        let width = await Panel(AnsweringExecutor(.main)).validated(700)
        #expect(try width.get() == 100)
    }

    @Test("an executor that only checks cannot be asked: a change on its queue is delivered on the actor, in order")
    func checking() async throws {
        let executor = QueueExecutor(DispatchQueue(label: "a queue"))
        let (panel, log) = (Panel(executor), log)
        nonisolated(unsafe) let person = Person()
        try panel.follow(person, log)
        executor.queue.sync {
            panel.assumeIsolated { _ in }
            person.age = 1
            person.age = 2
            log.add("set")
        }
        // What was sent to the actor before has run then. (An empty method of the actor is not called in a release build.)
        executor.queue.sync {}
        #expect(log.messages == ["set", "1", "changed", "2", "changed"])
        withExtendedLifetime(person) {}
    }
}

extension Panel {
    fileprivate func validated(_ width: Int) -> Result<Int?, KeyValueError> { Screen.validated(width) }
}
