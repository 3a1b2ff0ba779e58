import AutoKVO
import AutoKVOTestSupport
import Synchronization
import Testing

private final class Inner: TrackedObject, @unchecked Sendable {
    let source: RaceSource
    init(_ source: RaceSource) { self.source = source }
    @Derived({ (inner: Inner) in inner.source.value + 1 }) var next: Int
}

private final class Outer: TrackedObject, @unchecked Sendable {
    let inner: Inner
    init(_ source: RaceSource) { inner = Inner(source) }
    @Derived({ (outer: Outer) in outer.inner.next * 2 }) var twice: Int
}

/// Derived values that end while another thread refreshes them.
struct EndedInsideTests {
    /// A change finds the derived values to refresh by their sources. The last observation of one may end, and its object die, at any
    /// moment of that:
    ///
    ///     sets the source                            holds the objects
    ///     finds `next` among the sources of `twice`
    ///                                                ends the observation: the routes of both end
    ///                                                drops the objects: their records are freed
    ///     evaluates `next`
    @Test("what a refresh uses lasts until it is done", arguments: 0..<load(200))
    func endedByAnotherThread(round: Int) throws {
        let source = RaceSource()
        let isDone = Atomic(false)
        concurrently(2) { number in
            if number == 0 {
                var value = 0
                while !isDone.load(ordering: .acquiring) {
                    value += 1
                    source.value = value
                }
            } else {
                for _ in 0..<20 {
                    let outer = Outer(source)
                    let observation = outer.$twice.observe { _ in }
                    expectEqual(outer.twice % 2, 0)
                    observation.remove()
                }
                isDone.store(true, ordering: .releasing)
            }
        }
        #expect(source.observations().isEmpty)
    }

    private final class Ended: TrackedObject {
        @Observed var a = 1
        @Observed var log = 0
        var token: KeyValueObservation?
        var other: Ended?
        @Derived({ (object: Ended) in
            object.token?.remove()
            (object.token, object.other) = (nil, nil)
            return object.a
        }) var value: Int
    }

    @Test("what the end of an observation, or a death, has run in a function is no read of it") func actions() {
        let (object, other) = (Ended(), Ended())
        object.token = other.$a.observe { _ in }
        object.other = Ended()
        var runs = 0
        object.token!.onEnd { [unowned object] _ in runs += 1 + object.log * 0 }
        object.other!.onDeinit { [unowned object] in runs += 1 + object.log * 0 }
        var calls = 0
        object.$value.observe(options: .prior) { _ in calls += 1 }
        object.log = 5
        #expect(runs == 2 && calls == 0)
        object.a = 2
        expectEqual(calls, 2)
    }
}
