import AutoKVO
import AutoKVOTestSupport
import Testing

/// Read-only properties.
struct ReadOnlyTests {
    let resident = Resident()

    @Test("writes by the class are changes, as of any observed property") func writes() throws {
        let (typed, named) = (Recorder<Int>(), Recorder<Any>())
        resident.$balance.observe(options: [.old, .new], typed.handler())
        try resident.observe("title", options: [.new], named.handler())
        resident.pay(3)
        #expect(typed.entries.map(\.old) == [0] && typed.entries.map(\.new) == [3])
        expectEqual(named.news(String.self), ["Ann (3)"])
        expectEqual(resident.$balance.value, 3)
        #expect(resident.$balance.key == "balance" && resident.$balance.keyPath == "balance")
        expectEqual(resident.balance, 3)
    }

    @Test("the class edits its collections, and says what moved") func edits() {
        let (entries, marks) = (Recorder<[Int]>(), Recorder<Set<String>>())
        resident.$entries.observe(options: [.new], entries.handler())
        resident.$marks.observe(options: [.new], marks.handler())
        resident.pay(3)
        resident.pay(4)
        resident.mark("a")
        resident.doubleEntries()
        expectEqual(entries.kinds, [.insertion, .insertion, .setting])
        expectEqual(entries.entries.map(\.new), [[3], [4], [3, 4, 3, 4]])
        expectEqual(entries.entries[1].indexes, RangeSet(1..<2))
        expectEqual(marks.kinds, [.insertion])
        expectEqual(marks.last?.new, ["a"])
    }

    @Test("the handle of a collection reads like the collection") func collection() {
        resident.setEntries([3, 1, 2])
        resident.mark("a")
        let handle = resident.$entries
        #expect(handle.count == 3 && !handle.isEmpty && handle[1] == 1 && handle.first == 3 && handle.last == 2)
        #expect(Array(handle) == [3, 1, 2] && handle.sorted() == [1, 2, 3] && Array(handle[1...]) == [1, 2])
        #expect(handle.reversed() == [2, 1, 3] && handle.indices == 0..<3)
        expectEqual(handle.withContiguousStorageIfAvailable { $0.count }, 3)
        #expect(resident.$marks.contains("a") && resident.$marks.count == 1)
        var sum = 0
        for entry in handle { sum += entry }
        expectEqual(sum, 6)
    }

    @Test("reached by key path, by path and with an observer that dies") func forms() {
        let tracker = LifetimeTracker()
        var log: [Int] = []
        resident.observe(\.$balance, options: [.new]) { _, change in log.append(change.newValue!) }
        var panel: PlainObserver? = PlainObserver(tracker)
        let observation = resident.$balance.addObserver(panel!) { _, _ in log.append(-1) }
        resident.pay(1)
        panel = nil
        resident.pay(1)
        expectEqual(log, [1, -1, 2])
        #expect(!observation.isValid)
        tracker.expectNoLeaks()
    }
}
