import CBenchSupport
import Glibc
import Synchronization

/// Measures W2's operation on one thread (`W8-1`) and on two, each with objects of its own (`W8-2`), in nanoseconds for one
/// set of one thread. The throughput of two against one is 2 × W8-1 / W8-2, each taken by its minimum.
@inlinable
func threads<P: Peer>(_: P.Type, _ samples: Int) -> [Line] {
    /// One thread's own target and observer, made on that thread: two threads share no cache line of them.
    func work(_ count: Int, _ meeting: Meeting, at place: Int) {
        let target = P.makeTarget()
        let observer = P.makeObserver()
        var token = P.add(observer, to: target)
        var value = 0
        for _ in 0..<(count / 10) {
            value &+= 1
            P.set(target, value)
        }
        meeting.arrive()
        let start = bench_now()
        for _ in 0..<count {
            value &+= 1
            P.set(target, value)
        }
        meeting.times[place] = (start, bench_now())
        check("W8 calls", P.calls(observer), equals: value + P.callsOnAdd)
        P.remove(&token)
    }
    func took(_ count: Int, threads: Int) -> UInt64 {
        let meeting = Meeting(threads)
        inThreads(threads) { place in work(count, meeting, at: place) }
        let times = meeting.times
        return times.map(\.end).max()! - times.map(\.start).min()!
    }

    var count = 1000
    while true {
        let one = took(count, threads: 1)
        if one >= shortestBatch { break }
        count *= 2
    }
    var one: [Double] = []
    var two: [Double] = []
    for _ in 0..<samples * 4 {  // two free cores at once are rarer than one
        one.append(Double(took(count, threads: 1)) / Double(count))
        two.append(Double(took(count, threads: 2)) / Double(count))
    }
    return [Line("W8-1", "ns/set", one), Line("W8-2", "ns/set", two)]
}

/// Where the threads of one batch wait for each other, spinning, and leave their times.
@usableFromInline
final class Meeting: @unchecked Sendable {  // each thread writes its own place, and the joins order the reads
    let expected: Int
    let arrived = Atomic<Int>(0)
    @usableFromInline let times: UnsafeMutableBufferPointer<(start: UInt64, end: UInt64)>

    @usableFromInline
    init(_ count: Int) {
        expected = count
        times = .allocate(capacity: count)
        times.initialize(repeating: (0, 0))
    }

    deinit { times.deallocate() }

    @usableFromInline
    func arrive() {
        arrived.add(1, ordering: .acquiringAndReleasing)
        while arrived.load(ordering: .acquiring) < expected {}
    }
}

/// Runs `body` on that many threads, and returns when all have ended.
@usableFromInline
func inThreads(_ count: Int, _ body: (Int) -> Void) {
    final class Job {
        let place: Int
        let body: (Int) -> Void
        init(_ place: Int, _ body: @escaping (Int) -> Void) {
            self.place = place
            self.body = body
        }
    }
    withoutActuallyEscaping(body) { body in
        let threads = (0..<count).map { place in
            var thread = pthread_t()
            let job = Unmanaged.passRetained(Job(place, body)).toOpaque()
            let result = pthread_create(
                &thread, nil,
                { job in
                    let job = Unmanaged<Job>.fromOpaque(job!).takeRetainedValue()
                    job.body(job.place)
                    return nil
                }, job)
            precondition(result == 0, "a thread could not be started")
            return thread
        }
        for thread in threads { pthread_join(thread, nil) }
    }
}
