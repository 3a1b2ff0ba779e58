#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The processor time that this thread has taken, in seconds: other threads and programs do not count.
func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The processor time of a closure, in seconds.
func processorTime(of body: () throws -> Void) rethrows -> Double {
    let start = processorTime()
    try body()
    return processorTime() - start
}

/// By how much four times as many things take longer: near 4 if each costs the same, 16 if each looks at all. What disturbs can only
/// make a time longer, so the least counts of up to six turns; the first that is near 4 is enough, or less than `enough`.
func timeRatio(to count: Int, enough: Double = 6, _ time: (_ count: Int) throws -> Double) rethrows -> Double {
    var (few, many) = (try time(count / 4), Double.infinity)
    for _ in 0..<6 {
        many = min(many, try time(count))
        few = min(few, try time(count / 4))
        if many < enough * few { break }
    }
    return many / few
}
