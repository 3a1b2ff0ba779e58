/// The observations that several roads lead to and that a delivery has called, so that each is called once for one change.
///
/// Deliveries are one inside the other on a thread, and each has the end of the register to itself.
struct CallRegister {
    private var entries: UnsafeMutablePointer<UnsafeRawPointer>
    private var capacity = 16
    private var count = 0
    /// Where the part of the innermost delivery begins.
    private var start = 0
    /// The same once they are many.
    private var many: Set<Entry> = []

    private struct Entry: Hashable {
        let observation: UnsafeRawPointer
        let start: Int
    }

    init() {
        entries = .allocate(capacity: capacity)
    }

    /// To be called when the thread ends.
    func deallocate() {
        entries.deallocate()
    }

    /// Begins a delivery. Returns what `end` is to be given.
    @inline(__always)
    mutating func begin() -> Int {
        let outer = start
        start = count
        return outer
    }

    @inline(__always)
    mutating func end(_ outer: Int) {
        if !many.isEmpty { forgetMany() }
        count = start
        start = outer
    }

    /// Whether this is the first call in the delivery for an observation.
    ///
    /// - Complexity: O(1).
    @inline(__always)
    mutating func isFirst(of observation: UnsafeRawPointer) -> Bool {
        let few = 16
        if count - start >= few { return isFirstOfMany(observation, few) }
        for index in start..<count where entries[index] == observation { return false }
        append(observation)
        return true
    }

    @inline(never)
    private mutating func isFirstOfMany(_ observation: UnsafeRawPointer, _ few: Int) -> Bool {
        if count - start == few {
            for index in start..<count { many.insert(Entry(observation: entries[index], start: start)) }
        }
        guard many.insert(Entry(observation: observation, start: start)).inserted else { return false }
        append(observation)
        return true
    }

    @inline(never)
    private mutating func forgetMany() {
        for index in start..<count { many.remove(Entry(observation: entries[index], start: start)) }
    }

    @inline(__always)
    private mutating func append(_ observation: UnsafeRawPointer) {
        if count == capacity { grow() }
        entries[count] = observation
        count += 1
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<UnsafeRawPointer>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: entries, count: count)
        entries.deallocate()
        entries = larger
        capacity *= 2
    }
}
