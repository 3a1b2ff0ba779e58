import AutoKVO
import AutoKVOTestSupport
import Testing

private class Boiler: TrackedObject {
    @Observed var heat = 0
    @Observed var limit = 10
    @Observed var parts: [String] = []
    @Observed var next: Boiler?
    @Derived({ (boiler: Boiler) in boiler.heat > boiler.limit }) var isHot: Bool
}

private final class ManualBoiler: Boiler {
    override class var unregistersAutomatically: Bool { false }
}

private final class KeylessObject: TrackedObject {}

/// Tracing an object.
struct TraceTests {
    private final class Log {
        var lines: [String] = []
        var durations: [Duration] = []

        func add(_ change: TracedChange) {
            let (old, new) = (change.oldValue.map { "\($0)" } ?? "-", change.newValue.map { "\($0)" } ?? "-")
            lines.append(
                "\(change.key) \(change.kind) \(old) \(new) \(change.calls.map { $0.keyPath.isEmpty ? "read" : $0.keyPath })"
            )
            durations += change.calls.map(\.duration)
        }
    }
    private let boiler = Boiler()
    private let log = Log()

    private func trace() -> ScopedObservation { Diagnostics.trace(boiler) { [log] in log.add($0) } }

    @Test("each change, with the place of each call and how long it took") func calls() throws {
        let first = boiler.$heat.observe { _ in Self.wait(.milliseconds(50)) }
        let trace = trace()
        let second = try boiler.observe("heat", options: .once) { _ in }
        var changes: [TracedChange] = []
        let other = Diagnostics.trace(boiler) { changes.append($0) }
        boiler.heat = 1
        boiler.heat = 2
        boiler.limit = 11
        expectEqual(
            log.lines,
            [
                #"heat setting 0 1 ["heat", "heat"]"#, #"heat setting 1 2 ["heat"]"#, "limit setting 10 11 []",
            ])
        let sites = [first.registrationSite, second.registrationSite]
        expectEqual(changes.map { $0.calls.map(\.registeredAt) }, [sites, [sites[0]], []])
        #expect(log.durations[0] >= .milliseconds(50) && log.durations[1] < log.durations[0])
        trace.remove()
        other.remove()
        boiler.heat = 3
        #expect(log.lines.count == 3 && changes.count == 3)
    }

    @Test("two traces of one object report the same calls, those of other objects' paths among them") func two() {
        final class Panel: Model { @Observed var next: Boiler? }
        let panel = Panel()
        panel.next = boiler
        panel.$next.$heat.observe { _ in }
        panel.observe(reading: { $0.next?.heat }) { _, _ in }
        var told: [String: [String]] = [:]
        let traces = ["a", "b"].map { name in
            Diagnostics.trace(boiler) { if $0.key == "heat" { told[name] = $0.calls.map(\.keyPath).sorted() } }
        }
        boiler.heat = 1
        #expect(told["a"] == told["b"])
        expectEqual(told["a"], ["", "next.heat"])
        for trace in traces { trace.remove() }
    }

    private static func wait(_ duration: Duration) {
        let end = ContinuousClock.now + duration
        while ContinuousClock.now < end {}
    }

    @Test("the order of calls is that of the registrations, whoever traces") func order() throws {
        var calls: [Int] = []
        for number in 0..<20 { boiler.$heat.observe { _ in calls.append(number) } }
        let trace = trace()
        for number in 20..<40 { boiler.$heat.observe { _ in calls.append(number) } }
        boiler.heat = 1
        expectEqual(calls, Array(0..<40))
        expectEqual(log.durations.count, 40)
        trace.remove()
        boiler.heat = 2
        expectEqual(calls, Array(0..<40) + Array(0..<40))
    }

    @Test("derived values, several paths, longer paths and closures, each with the change that it was called for")
    func derived() throws {
        let panel = Boiler()
        let trace = trace()
        boiler.$isHot.observe { _ in }
        try boiler.observe("heat|isHot") { _ in }
        panel.next = boiler
        panel.$next.$heat.observe { _ in }
        panel.observe(reading: { $0.next?.isHot }) { _, _ in }
        boiler.next = Boiler()
        boiler.$next.$heat.observe { _ in }
        boiler.heat = 20
        boiler.next = nil
        expectEqual(log.lines.count, 4)
        #expect(log.lines[0].hasPrefix("next setting nil ") && log.lines[0].hasSuffix(" []"))
        expectEqual(log.lines[1], #"heat setting 0 20 ["heat", "next.heat", "read"]"#)
        expectEqual(log.lines[2], #"isHot setting false true ["isHot", "isHot"]"#)
        #expect(log.lines[3].hasSuffix(#" nil ["next.heat"]"#))
        withExtendedLifetime(trace) {}
        panel.stopObserving()
    }

    @Test("what a handler changes is a change of its own, told first") func nested() {
        let trace = trace()
        boiler.$heat.observe { [unowned boiler] change in if boiler.heat < 2 { boiler.heat += 1 } }
        boiler.$heat.observe { [unowned boiler] _ in boiler.limit = 5 }
        boiler.heat = 1
        // The second observer is called for the first change before the handler's own write is stored.
        expectEqual(
            log.lines,
            [
                "limit setting 10 5 []", "limit setting 5 5 []", #"heat setting 1 2 ["heat", "heat"]"#,
                #"heat setting 0 1 ["heat", "heat"]"#,
            ])
        withExtendedLifetime(trace) {}
    }

    @Test("edits of a collection") func edits() {
        let trace = trace()
        boiler.$parts.append("valve")
        boiler.$parts[0] = "pump"
        boiler.$parts.removeAll()
        expectEqual(
            log.lines,
            [
                #"parts insertion - ["valve"] []"#, #"parts replacement ["valve"] ["pump"] []"#,
                #"parts removal ["pump"] - []"#,
            ])
        withExtendedLifetime(trace) {}
    }

    @Test("a change that is made in two edits is reported as two, in the order in which they were made") func twoEdits()
    {
        let trace = trace()
        boiler.$parts.observe { _ in }
        boiler.$parts.update(to: ["valve"])
        log.lines = []
        boiler.$parts.update(to: ["pump", "pipe"])
        boiler.$parts.replaceSubrange(1..<2, with: ["a", "b"])
        expectEqual(
            log.lines,
            [
                #"parts removal ["valve"] - ["parts"]"#, #"parts insertion - ["pump", "pipe"] ["parts"]"#,
                #"parts replacement ["pipe"] ["a"] ["parts"]"#, #"parts insertion - ["b"] ["parts"]"#,
            ])
        withExtendedLifetime(trace) {}
    }

    @Test("coalesced changes are told as one, with their calls") func coalesced() {
        let trace = trace()
        boiler.$heat.observe { _ in }
        coalescingChanges {
            boiler.heat = 1
            boiler.heat = 2
            #expect(log.lines.isEmpty)
        }
        expectEqual(log.lines, [#"heat setting 0 2 ["heat"]"#])
        withExtendedLifetime(trace) {}
    }

    @Test("the handler may change the object, and observers may come and go") func reentrant() {
        var observation: KeyValueObservation?
        var lines: [String] = []
        let trace = Diagnostics.trace(boiler) { [unowned boiler] change in
            lines.append("\(change.key) \(change.newValue!)")
            if boiler.heat < 3 { boiler.heat += 1 }
        }
        boiler.$heat.observe { [unowned boiler] _ in
            observation?.remove()
            observation = boiler.$heat.observe { _ in }
        }
        boiler.heat = 1
        expectEqual(lines, ["heat 1", "heat 2", "heat 3"])
        withExtendedLifetime(trace) {}
    }

    @Test("an observer that is added in an open change is called for the next, and the trace once for each") func open()
    {
        let trace = trace()
        var calls = 0
        boiler.$heat.withMutation {
            boiler.heat = 1
            boiler.$heat.observe { _ in calls += 1 }
            boiler.heat = 2
        }
        expectEqual(calls, 0)
        boiler.heat = 3
        expectEqual(calls, 1)
        expectEqual(log.lines, ["heat setting 0 2 []", #"heat setting 2 3 ["heat"]"#])
        withExtendedLifetime(trace) {}
    }

    @Test("it ends with its token, and with the object, which it does not keep") func ends() {
        let tracker = LifetimeTracker()
        var mortal: Boiler? = ManualBoiler()
        var ends: [KeyValueObservation.EndReason] = []
        let trace = Diagnostics.trace(mortal!) { [token = tracker.token()] _ in token.touch() }
        trace.observation.onEnd { ends.append($0) }
        mortal = nil
        #expect(!trace.isValid && ends == [.targetDeinitialized])
        expectEqual(tracker.liveCount, 0)
        var second: ScopedObservation? = self.trace()
        boiler.heat = 1
        #expect(second!.isValid && log.lines.count == 1)
        second = nil
        #expect(boiler.observations().isEmpty)
        boiler.heat = 2
        expectEqual(log.lines.count, 1)
    }

    @Test("changes of other threads are told there") func threads() async {
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let boiler = Boiler()
                    var told = 0
                    let trace = Diagnostics.trace(boiler) { told += $0.calls.count }
                    boiler.$heat.observe { _ in }
                    for heat in 1...200 { boiler.heat = heat }
                    withExtendedLifetime(trace) {}
                    return told
                }
            }
            for await told in group { expectEqual(told, 200) }
        }
    }

    @Test("several changes in a coalescingChanges are one, also of a property that nobody else observes")
    func coalescedAlone() {
        let trace = trace()
        coalescingChanges {
            boiler.limit = 11
            boiler.limit = 12
        }
        trace.remove()
        expectEqual(log.lines, ["limit setting 10 12 []"])
    }

    @Test("a class without keys traps") func keyless() async {
        await #expect(processExitsWith: .failure) { _ = Diagnostics.trace(KeylessObject()) { _ in } }
    }

    @Test("a trace that begins inside of an open change tells of the next one", arguments: [true, false])
    func begunInside(isCoalescing: Bool) {
        boiler.$heat.observe { _ in }
        var observation: ScopedObservation?
        func begin() {
            boiler.heat = 6
            observation = trace()
        }
        if isCoalescing { coalescingChanges(begin) } else { boiler.$heat.withMutation(begin) }
        expectEqual(log.lines, [])
        boiler.heat = 7
        expectEqual(
            log.lines, [#"heat setting 6 7 ["heat"]"#, "isHot setting false false []"].filter { $0.hasPrefix("heat") })
        withExtendedLifetime(observation) {}
    }
}
