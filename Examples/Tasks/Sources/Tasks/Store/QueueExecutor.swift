import Dispatch

/// Runs an actor on a queue, so that its waiting for the disk keeps no thread of the other tasks.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue
    private let key = DispatchSpecificKey<Bool>()

    init(label: String) {
        queue = DispatchQueue(label: label)
        queue.setSpecific(key: key, value: true)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func isIsolatingCurrentContext() -> Bool? { DispatchQueue.getSpecific(key: key) == true }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
