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
