import AutoKVO
import AutoKVOTestSupport
import Testing

/// Its functions write, as none should.
private final class Clamp: Model {
    @Observed var a = 0
    @Observed var other = 0
    @Observed var list: [Int] = []
    @Derived({ (c: Clamp) in
        if c.a > 10 { c.a = 10 }
        return c.a
    }) var clamped: Int
    @Derived({ (c: Clamp) in
        if c.list.count > 3 { c.$list.removeFirst(c.list.count - 3) }
        return c.list.count
    }) var trimmed: Int
    @Derived({ (c: Clamp) in
        c.other = c.a
        return c.a
    }) var copied: Int
    @Derived({ (c: Clamp) in
        let former = c.other
        c.other = former + 1
        return former
    }) var running: Int
    @Derived({ (c: Clamp) in c.running + 1 }) var behindRunning: Int
}

/// What it reaches is to have the most that it has seen.
private final class Meter: Model {
    @Observed var a = 0
    @Observed var most = 0
    @Observed var next: Meter?
    @Derived({ (meter: Meter) in
        if let next = meter.next, next.most < meter.a { next.most = meter.a }
        return meter.next?.most ?? 0
    }) var reached: Int
    @Derived({ (meter: Meter) in meter.a }) var apart: Int
    @Derived({ (meter: Meter) in meter.a + meter.most }) var sum: Int
}

/// A derived value whose function writes.
struct WritingFunctionTests {
    /// Its writes are reported, on purpose here.
    func silently(_ body: () throws -> Void) rethrows { try Diagnostics.withHandler({ _ in }, operation: body) }

    @Test("changes what it reads behind the change that it is computed for") func order() throws {
        try silently {
            let clamp = Clamp()
            let log = Recorder<Int>()
            var (mirror, paths) = (0, [Int]())
            clamp.$a.observe(options: [.old, .new], log.handler())
            clamp.$a.onValue { mirror = $0 }
            try clamp.observe(["a", "other"], options: .new) { paths.append($0.newValue as! Int) }
            clamp.$clamped.observe { _ in }
            clamp.a = 30
            expectEqual(log.take().map { [$0.old, $0.new] }, [[0, 30], [30, 10]])
            #expect(clamp.a == 10 && mirror == 10 && paths == [30, 10])
            coalescingChanges {
                clamp.a = 3
                clamp.a = 40
            }
            expectEqual(log.take().map { [$0.old, $0.new] }, [[10, 40], [40, 10]])
        }
    }

    private final class Writing: Model {
        @Observed var written = 0
        @Observed var words: [String] = []
        @Observed var read = 1
        @Derived({ (object: Writing) in
            object.written += 1
            return object.read
        }) var behindWrite: Int
        @Derived({ (object: Writing) in
            object.$words.append("a")
            return object.read
        }) var behindEdit: Int
        var plain = 0
        override class var schema: Schema {
            Schema(Writing.self, extending: super.schema) { Key("plain", \.plain, notifiesAutomatically: false) }
        }
        @Derived({ (object: Writing) in
            try! object.setValue(object.read, forKey: "plain")
            return object.read
        }) var behindName: Int
    }

    @Test("depends on what it reads behind its writes, also where they are observed", arguments: [false, true])
    func readsBehind(isObserved: Bool) {
        silently {
            let object = Writing()
            if isObserved {
                object.$written.observe { _ in }
                object.$words.observe { _ in }
            }
            var told: [Int] = []
            object.$behindWrite.observe(options: .new) { told.append($0.newValue!) }
            object.$behindEdit.observe(options: .new) { told.append($0.newValue!) }
            object.read = 2
            expectEqual(told, [2, 2])
        }
    }

    @Test("is reported: a write, an edit, and a set by name, whether observed or not", arguments: [false, true])
    func reports(isObserved: Bool) throws {
        let object = Writing()
        let log = MessageLog()
        if isObserved {
            object.$written.observe { _ in }
            object.$words.observe { _ in }
            _ = try object.observe("plain") { _ in }
        }
        silently {
            object.$behindWrite.observe { _ in }
            object.$behindEdit.observe { _ in }
            object.$behindName.observe { _ in }
        }
        Diagnostics.withHandler({ log.add($0) }) { object.read = 2 }
        expectEqual(
            log.messages.map { $0.prefix { $0 != " " } }.sorted(),
            ["Writing.plain", "Writing.words", "Writing.written"])
        let clamp = Clamp()
        if isObserved { clamp.$other.observe { _ in } }
        silently { clamp.$copied.observe { _ in } }
        let told = messages { clamp.a = 1 }
        #expect(told.count == 1 && told[0].hasPrefix("Clamp.other "))
    }

    @Test("edits a list in the order in which that was edited") func edits() {
        silently {
            let clamp = Clamp()
            var copy: [Int] = []
            clamp.$list.observe(options: .new) { $0.apply(to: &copy) }
            clamp.$trimmed.observe { _ in }
            for number in 0..<6 { clamp.$list.append(number) }
            #expect(copy == [3, 4, 5] && clamp.list == copy)
        }
    }

    @Test("is undone with the change that it is computed for") func undo() {
        silently {
            let clamp = Clamp()
            clamp.$clamped.observe { _ in }
            let history = UndoHistory(of: clamp)
            clamp.a = 5
            clamp.a = 30
            #expect(clamp.a == 10 && history.undo() && clamp.a == 5)
        }
    }

    @Test("makes its change behind what coalescingChanges tells at its end") func coalesced() {
        silently {
            let clamp = Clamp()
            let log = Recorder<Int>()
            clamp.$copied.observe { _ in }
            clamp.$other.observe(options: [.old, .new], log.handler())
            coalescingChanges {
                clamp.other = 9
                clamp.a = 5
            }
            expectEqual(log.take().map { [$0.old, $0.new] }, [[0, 9], [9, 5]])
        }
    }

    @Test("of what it reads, each time, stops with a sentence when it is first observed")
    func endless() async {
        let alone = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Clamp().$running.observe(options: [.old, .new]) { _ in }
        }
        expectEqual(missing("Clamp.running writes what it reads", in: alone), [])
        let read = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Clamp().$behindRunning.observe(options: .initial) { _ in }
        }
        expectEqual(missing("Clamp.running writes what it reads", in: read), [])
    }

    @Test("calls nobody at the registration") func registration() {
        silently {
            let clamp = Clamp()
            clamp.a = 20
            var told: [Int?] = []
            clamp.$clamped.observe(options: [.old, .new]) { told += [$0.oldValue, $0.newValue] }
            #expect(told.isEmpty && clamp.clamped == 10)
            clamp.a = 3
            expectEqual(told, [10, 3])
        }
    }
}

/// Writes what other derived values read that read it, or its source.
private class Circuit: Model {
    @Observed var a = 0
    @Observed var b = 0
    @Observed var kids: [Int] = []
    @Derived({ (c: Circuit) in
        if c.b != c.a % 7 { c.b = c.a % 7 }
        return c.a
    }) var writer: Int
    @Derived({ (c: Circuit) in
        if c.kids.count < 2 { c.$kids.append(c.a) }
        return c.kids.count + c.b
    }) var filler: Int
    @Derived({ (c: Circuit) in c.b + c.writer }) var after: Int
    @Derived({ (c: Circuit) in c.writer + c.b }) var before: Int
    @Derived({ (c: Circuit) in c.a * 100 + c.b }) var beside: Int
    @Derived({ (c: Circuit) in c.kids.count + c.filler + c.before }) var all: Int

    static let keys = ["writer", "filler", "after", "before", "beside", "all"]
    var plain: [Int] {
        let filled = kids.count + b
        return [a, filled, b + a, a + b, a * 100 + b, kids.count + filled + a + b]
    }
}

extension WritingFunctionTests {
    @Test(
        "a value that reads it, and a property that it writes, is notified once of both changes",
        arguments: [false, true]) func readers(
            isLater: Bool
        )
    {
        silently {
            let circuit = Circuit()
            let log = Recorder<Int>()
            if isLater { circuit.$writer.observe { _ in } }
            circuit.$after.observe(options: [.old, .new], log.handler("after"))
            circuit.$beside.observe(options: [.old, .new], log.handler("beside"))
            if !isLater { circuit.$writer.observe { _ in } }
            circuit.a = 1
            circuit.a = 9
            expectEqual(
                log.entries.map { [$0.label, "\($0.old!)", "\($0.new!)"] },
                [["after", "0", "2"], ["beside", "0", "101"], ["after", "2", "11"], ["beside", "101", "902"]])
            circuit.kids = [1, 2, 3]
            circuit.$all.observe(options: [.old, .new], log.handler("all"))
            circuit.kids = []
            expectEqual(log.entries.last.map { [$0.label, "\($0.new!)"] }, ["all", "\(circuit.all)"])
        }
    }

    @Test(
        "at random: each old value is the last new one, and the last new one is the value that is", arguments: 0..<60
    )
    func walk(seed: Int) throws {
        try silently {
            var random = SplitMix64(seed: UInt64(seed))
            func number(_ below: Int) -> Int { Int(random.next() % UInt64(below)) }
            let circuit = Circuit()
            var told: [String: Int] = [:]
            var observed: [String: KeyValueObservation] = [:]
            var trace: [String] = []
            func step() {
                let value = number(20)
                switch number(6) {
                case 0, 1: circuit.a = value
                case 2: circuit.b = value
                case 3: circuit.kids = []
                case 4: if !circuit.kids.isEmpty { circuit.$kids.remove(at: 0) }
                default: circuit.$kids.append(value)
                }
                trace.append("\(circuit.a) \(circuit.b) \(circuit.kids)")
            }
            for _ in 0..<40 {
                let key = Circuit.keys[number(6)]
                switch number(5) {
                case 0 where observed[key] != nil:
                    observed.removeValue(forKey: key)!.remove()
                    told[key] = nil
                case 0:
                    trace.append("observe \(key)")
                    observed[key] = try circuit.observe(key, as: Int.self, options: [.initial, .old, .new]) { change in
                        if let old = change.oldValue, let last = told[key], last != old {
                            Issue.record("seed \(seed): \(key) \(last), \(old) → \(change.newValue!): \(trace)")
                        }
                        told[key] = change.newValue!
                    }
                case 1: coalescingChanges { for _ in 0..<3 { step() } }
                default: step()
                }
                // Those that nobody needs are computed by nobody, so the writer has run only if something needs it.
                for (key, last) in told {
                    let now = try circuit.value(forKey: key) as? Int
                    let plain = circuit.plain[Circuit.keys.firstIndex(of: key)!]
                    if last != now || plain != now {
                        Issue.record("seed \(seed): \(key) told \(last), is \(now ?? -1), plain \(plain): \(trace)")
                        return
                    }
                }
            }
            circuit.removeAllObservers()
        }
    }
}

/// Has keys that say what they are affected by: what it writes, its source, and its value.
private final class Wheel: Model {
    @Observed var a = 0
    @Observed var b = 0
    @Observed var kids: [Int] = []
    @Observed var next: Wheel?
    var computations = 0
    @Derived({ (wheel: Wheel) in
        wheel.computations += 1
        if wheel.b != wheel.a { wheel.b = wheel.a }
        return wheel.a + wheel.b
    }) var writer: Int
    @Derived({ (wheel: Wheel) in wheel.a + wheel.writer }) var reader: Int
    @Derived({ (wheel: Wheel) in
        if wheel.kids.count > 2 { wheel.$kids.removeFirst(wheel.kids.count - 2) }
        return wheel.kids.count
    }) var trimmer: Int
    var besideSource: Int { writer + a }
    var besideWritten: Int { writer + b }
    var besideList: Int { trimmer + kids.count }
    /// Does not say that it depends on the value.
    var reticent: Int { writer * 3 }
    var far: Int { (next?.writer ?? 0) + a }

    override class var schema: Schema {
        Schema(Wheel.self, extending: super.schema) {
            Key("besideSource", \.besideSource, affectedBy: "a", "writer")
            Key("besideWritten", \.besideWritten, affectedBy: "b", "writer")
            Key("besideList", \.besideList, affectedBy: "kids", "trimmer")
            Key("reticent", \.reticent, affectedBy: "b")
            Key("far", \.far, affectedBy: "next.writer", "a")
        }
    }
}

private final class Ring: Model {
    @Observed var isClosed = false
    @Derived({ (ring: Ring) in ring.isClosed ? ring.second : 0 }) var first: Int
    @Derived({ (ring: Ring) in ring.first + 1 }) var second: Int
}

extension WritingFunctionTests {
    private typealias Told = Recorder<Any>

    private func values(_ log: Told) -> [[Int?]] { log.take().map { [$0.old as? Int, $0.new as? Int] } }

    @Test(
        "a key or path that depends on it, and also on what is set, is notified once, when it is computed",
        arguments: ["besideSource", "besideWritten", "far", "next.besideSource", "next.besideWritten", "next.reader"])
    func declared(path: String) throws {
        try silently {
            let wheel = Wheel()
            wheel.next = wheel
            let (log, written) = (Told(), Recorder<Int>())
            wheel.a = 1
            try wheel.observe(path, options: [.old, .new], log.handler())
            wheel.$b.observe(options: [.old, .new], written.handler())
            expectEqual(values(log), [])
            wheel.computations = 0
            wheel.a = 5
            // Once more since it writes what it reads.
            #expect(wheel.computations == 2)
            wheel.a = 6
            wheel.b = 2
            expectEqual(values(log).filter { $0[0] != $0[1] }, [[3, 15], [15, 18]])
            wheel.computations = 0
            coalescingChanges {
                wheel.a = 7
                wheel.b = 3
                wheel.a = 8
            }
            #expect(wheel.computations == 2)
            expectEqual(values(log), [[18, 24]])
            expectEqual(
                written.take().map { [$0.old, $0.new] }, [[1, 5], [5, 6], [6, 2], [2, 6], [6, 3], [3, 8]])
            wheel.next = nil
        }
    }

    @Test("a path that comes to a key that depends on it is notified with the values of the end")
    func moved() throws {
        try silently {
            let (wheel, other) = (Wheel(), Wheel())
            (wheel.next, other.a) = (Wheel(), 5)
            let log = Told()
            for path in ["next.besideSource", "next.besideWritten", "next.reader", "far"] {
                try wheel.observe(path, options: [.old, .new], log.handler(path))
            }
            wheel.next = other
            #expect(Set(log.entries.map(\.label)).count == 4 && log.entries.count == 4 && other.b == 5)
            #expect(log.take().allSatisfy { $0.new as? Int == ($0.label == "far" ? 10 : 15) })
        }
    }

    @Test(
        "calls nobody at the registration of a key or path that says it depends on it, and on what it writes",
        arguments: ["besideWritten", "besideList", "next.besideWritten", "next.besideList"])
    func declaredRegistration(path: String) throws {
        try silently {
            let wheel = Wheel()
            (wheel.next, wheel.a, wheel.kids) = (wheel, 4, [1, 2, 3, 4])
            let (log, written) = (Told(), Recorder<Int>())
            wheel.$b.observe(options: [.old, .new], written.handler())
            try wheel.observe(path, options: [.old, .new], log.handler())
            #expect(log.take().isEmpty)
            if path.hasSuffix("List") {
                wheel.kids = [1]
                expectEqual(values(log), [[4, 2]])
            } else {
                expectEqual(written.take().map { [$0.old, $0.new] }, [[0, 4]])
                wheel.a = 5
                expectEqual(values(log), [[12, 15]])
            }
            wheel.next = nil
        }
    }

    @Test("a key that does not say that it depends on it is notified of what it writes") func reticent() throws {
        try silently {
            let wheel = Wheel()
            let log = Told()
            wheel.$writer.observe { _ in }
            try wheel.observe("reticent", options: [.old, .new], log.handler())
            wheel.a = 5
            wheel.a = 6
            expectEqual(values(log), [[0, 30], [30, 36]])
        }
    }

    @Test(
        "handlers of what it writes may read it, and what reads it",
        arguments: [[], ["writer"], ["reader"], ["reader", "writer"]])
    func readInside(observed: [String]) throws {
        try silently {
            let wheel = Wheel()
            let log = Told()
            for key in observed { try wheel.observe(key, options: [.old, .new], log.handler(key)) }
            var read: [[Int]] = []
            wheel.$b.observe { _ in
                read.append([
                    wheel.$writer.value, wheel.besideSource, wheel.reader, try! wheel.value(forKey: "reader") as! Int,
                ])
            }
            wheel.a = 5
            _ = wheel.writer
            expectEqual(read, [[10, 15, 15, 15]])
            wheel.a = 6
            _ = wheel.writer
            expectEqual(read.last!, [12, 18, 18, 18])
            let told = log.take()
            for key in observed {
                let values = told.filter { $0.label == key }.map { [$0.old as? Int, $0.new as? Int] }
                expectEqual(values, key == "writer" ? [[0, 10], [10, 12]] : [[0, 15], [15, 18]])
            }
            wheel.removeAllObservers()
        }
    }

    @Test("a value that comes to depend on itself stops with a sentence", arguments: ["first", "second"])
    func circle(key: String) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [key] in
            let ring = Ring()
            try ring.observe(key) { _ in }
            ring.isClosed = true
        }
        expectEqual(missing("depends on itself", ": its function reads it", in: result), [])
    }

    @Test("a path to it whose head is set in the same change is notified once, when it is computed") func head() {
        silently {
            let (wheel, other) = (Wheel(), Wheel())
            let log = Recorder<Int>()
            wheel.next = other
            wheel.$next.$writer.observe(options: [.old, .new], log.handler())
            coalescingChanges {
                wheel.next = other
                other.a = 3
            }
            coalescingChanges {
                (wheel.next, other.b) = (Wheel(), 7)
                (wheel.next, other.a) = (other, 4)
            }
            expectEqual(log.take().map { [$0.old, $0.new] }, [[0, 6], [6, 8]])
        }
    }

    @Test(
        "a path that is moved to a property whose change is open is told of that, and then of the open change, once each",
        arguments: ["apart", "sum"], [false, true])
    func movedInside(key: String, isMade: Bool) throws {
        try silently {
            let (first, second) = (Meter(), Meter())
            let log = Recorder<Int?>()
            if isMade { try second.observe(key) { _ in } }
            first.a = 10
            try first.observe("next.\(key)", as: Int?.self, options: [.old, .new], log.handler())
            first.$reached.observe { _ in }
            func value() throws -> Int { try second.value(forKey: key) as! Int }
            var values: [Int] = []
            try second.$a.withMutation {
                second.a = 7
                first.next = second
                values.append(try value())
                (second.most, second.a) = (20, 9)
            }
            values.append(try value())
            let told: [[Int?]] = log.take().map { [$0.old ?? nil, $0.new ?? nil] }
            expectEqual(told, [[nil, values[0]], values])
        }
    }

    private final class Pair: Model {
        @Observed var both = 0
        @Observed var a = 0
        @Observed var b = 0
        @Derived({ (pair: Pair) in
            pair.b = pair.both + pair.a + 1
            return pair.a
        }) var first: Int
        @Derived({ (pair: Pair) in
            pair.a = pair.both + pair.b + 1
            return pair.b
        }) var second: Int
    }

    @Test("two functions that write what the other one reads stop with a sentence") func twoFunctions() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Diagnostics.handler = { _ in }
            let pair = Pair()
            coalescingChanges {
                pair.$first.observe { _ in }
                pair.$second.observe { _ in }
            }
            pair.both = 1
        }
        expectEqual(missing("writes what it reads", in: result), [])
    }
}
