import AutoKVOTestSupport
import Synchronization
import Testing

@testable import AutoKVO

/// The sum of two objects' properties. Each is written by a thread of its own.
private final class SumOfTwo: TrackedObject, @unchecked Sendable {
    let (a, b) = (RaceSource(), RaceSource())
    @Derived({ (sum: SumOfTwo) in sum.a.value + sum.b.value }) var sum: Int
    @Derived({ (sum: SumOfTwo) in sum.sum * 2 }) var twice: Int
}

/// A property that threads write and derived values read.
final class RaceSource: TrackedObject, @unchecked Sendable {
    /// Read by a thread while another one writes it, as the caller of such a class has to make possible.
    private let stored = Atomic(0)
    var value: Int {
        get {
            didRead("value")
            return stored.load(ordering: .sequentiallyConsistent)
        }
        set { withMutation(of: "value") { stored.store(newValue, ordering: .sequentiallyConsistent) } }
    }
    override class var schema: Schema {
        Schema(RaceSource.self, extending: super.schema) { Key("value", \.value, notifiesAutomatically: false) }
    }
}

/// Derived values of two threads.
struct DerivedRaceTests {
    @Test("the value is that of the last sources when both threads are done", arguments: 0..<load(80))
    func twoWriters(round: Int) throws {
        let sum = SumOfTwo()
        let last = Guarded(0)
        let observation = try sum.observe("twice", as: Int.self, options: .new) { change in
            if let new = change.newValue { last.withLock { $0 = max($0, new) } }
        }
        concurrently(2) { number in
            for value in 1...50 { if number == 0 { sum.a.value = value } else { sum.b.value = value } }
        }
        #expect(sum.sum == 100 && sum.twice == 200)
        expectEqual(last.withLock { $0 }, 200)
        observation.remove()
        #expect(sum.a.observations().isEmpty)
    }

    @Test("readers and writers at once find nothing dead", arguments: 0..<load(40))
    func readers(round: Int) throws {
        let sum = SumOfTwo()
        let observation = try sum.observe("twice") { _ in }
        concurrently(3) { number in
            for value in 1...50 {
                switch number {
                case 0: sum.a.value = value
                case 1: sum.b.value = value
                default: _ = (sum.twice, sum.sum)
                }
            }
        }
        expectEqual(sum.twice, 200)
        observation.remove()
    }

    @Test("observers come and go while sources change", arguments: 0..<load(40))
    func registrations(round: Int) throws {
        let sum = SumOfTwo()
        concurrently(3) { number in
            for value in 1...50 {
                switch number {
                case 0: sum.a.value = value
                case 1: sum.b.value = value
                default:
                    let observation = sum.$twice.observe { _ in }
                    _ = sum.twice
                    observation.remove()
                }
            }
        }
        expectEqual(sum.twice, 200)
        let log = Recorder<Int>()
        sum.$twice.observe(options: [.old, .new], log.handler())
        sum.a.value = 60
        expectEqual(log.entries.map { [$0.old, $0.new] }, [[200, 220]])
    }

    #if DEBUG
        @Test("an observation with .once that fires on another thread in its first computation reads nothing any more")
        func firedInItsFirstComputation() throws {
            let (sum, calls) = (SumOfTwo(), Counter())
            TestPoint.evaluated.whenReached { onAnotherThread { sum.a.value = 1 } }
            let observation = sum.observe(reading: { $0.a.value }, options: [.initial, .new, .once]) { _, _ in
                calls.add()
            }
            #expect(!observation.isValid && sum.a.record!.interest == 0)
            sum.a.value = 2
            expectEqual(calls.count, 1)
            try observation.rearm()
            sum.a.value = 3
            expectEqual(calls.count, 2)
        }
    #endif

    @Test("two threads that read one object's properties while both record") func twoReaders() throws {
        let person = Shared(Person("Ann"))
        concurrently(2) { _ in
            let panel = ReadingPanel()
            for _ in 0..<load(400) {
                panel.observe(reading: { _ in "\(person.value.firstName) \(person.value.age)" }) { _, _ in }.remove()
            }
        }
        #expect(person.value.observations().isEmpty)
    }
}
