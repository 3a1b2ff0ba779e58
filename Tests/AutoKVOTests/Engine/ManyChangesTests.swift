import AutoKVO
import AutoKVOTestSupport
import Testing

/// Properties with three, four, five and six keys derived from them, some through others.
private final class Fan: Model {
    @Observed var a = 0
    @Observed var b = 0
    @Observed var c = 0
    @Observed var d = 0
    var a1: Int { a * 10 + 1 }
    var a2: Int { a * 10 + 2 }
    var a3: Int { a * 10 + 3 }
    var b1: Int { b * 10 + 1 }
    var b2: Int { b * 10 + 2 }
    var b3: Int { b * 10 + 3 }
    var b4: Int { b3 + 1 }
    var c1: Int { c * 10 + 1 }
    var c2: Int { c * 10 + 2 }
    var c3: Int { c * 10 + 3 }
    var c4: Int { c * 10 + 4 }
    var c5: Int { c4 + 1 }
    var d1: Int { d * 10 + 1 }
    var d2: Int { d1 + 1 }
    var d3: Int { d2 + 1 }
    var d4: Int { d3 + 1 }
    var d5: Int { d4 + 1 }
    var d6: Int { d5 + 1 }

    static let properties: [(name: String, derived: Int)] = [("a", 3), ("b", 4), ("c", 5), ("d", 6)]
    nonisolated(unsafe) static let keyPaths: [ReferenceWritableKeyPath<Fan, Int>] = [\.a, \.b, \.c, \.d]

    override class var schema: Schema {
        Schema(Fan.self, extending: super.schema) {
            Key("a", \.a)
            Key("a1", \.a1, affectedBy: "a")
            Key("a2", \.a2, affectedBy: "a")
            Key("a3", \.a3, affectedBy: "a")
            Key("b", \.b)
            Key("b1", \.b1, affectedBy: "b")
            Key("b2", \.b2, affectedBy: "b")
            Key("b3", \.b3, affectedBy: "b")
            Key("b4", \.b4, affectedBy: "b3")
            Key("c", \.c)
            Key("c1", \.c1, affectedBy: "c")
            Key("c2", \.c2, affectedBy: "c")
            Key("c3", \.c3, affectedBy: "c")
            Key("c4", \.c4, affectedBy: "c")
            Key("c5", \.c5, affectedBy: "c4")
            Key("d", \.d)
            Key("d1", \.d1, affectedBy: "d")
            Key("d2", \.d2, affectedBy: "d1")
            Key("d3", \.d3, affectedBy: "d2")
            Key("d4", \.d4, affectedBy: "d3")
            Key("d5", \.d5, affectedBy: "d4")
            Key("d6", \.d6, affectedBy: "d5")
        }
    }
}

/// Five keys that are derived from the same three.
private final class Mesh: Model {
    @Observed var x = 0
    @Observed var y = 0
    @Observed var z = 0
    var sum1: Int { x + y + z + 1 }
    var sum2: Int { x + y + z + 2 }
    var sum3: Int { x + y + z + 3 }
    var sum4: Int { x + y + z + 4 }
    var sum5: Int { x + y + z + 5 }

    override class var schema: Schema {
        Schema(Mesh.self, extending: super.schema) {
            Key("x", \.x)
            Key("y", \.y)
            Key("z", \.z)
            Key("sum1", \.sum1, affectedBy: "x", "y", "z")
            Key("sum2", \.sum2, affectedBy: "x", "y", "z")
            Key("sum3", \.sum3, affectedBy: "x", "y", "z")
            Key("sum4", \.sum4, affectedBy: "x", "y", "z")
            Key("sum5", \.sum5, affectedBy: "x", "y", "z")
        }
    }
}

/// More derived keys and changes at once than the structures behind them have room for at first.
struct ManyChangesTests {
    // MARK: Derived keys

    @Test(
        "each of the keys derived from one property tells its own old and new value", arguments: Fan.properties.indices,
        [ObservingOptions](arrayLiteral: [.old, .new], [.new], [.old, .new, .prior]))
    func derived(which: Int, options: ObservingOptions) throws {
        let (name, count) = Fan.properties[which]
        let fan = Fan()
        let recorder = Recorder<Any>()
        for index in 1...count { try fan.observe("\(name)\(index)", options: options, recorder.handler()) }
        for value in 1...2 {
            fan[keyPath: Fan.keyPaths[which]] = value
            let entries = recorder.take().filter { !$0.isPrior }
            expectEqual(Set(entries.map(\.keyPath)), Set((1...count).map { "\(name)\($0)" }))
            expectEqual(entries.count, count)
            for entry in entries {
                let digit = Int(String(entry.keyPath.last!))!
                expectEqual(entry.new as? Int, value * 10 + digit)
                #expect(entry.old as? Int == (options.contains(.old) ? (value - 1) * 10 + digit : nil))
            }
        }
    }

    // MARK: Several changes at once

    @Test("changes that are open at once end in any order, each with its own values") func open() throws {
        let fans = [Fan(), Fan()]
        let changes = fans.indices.flatMap { fan in Fan.properties.indices.map { (fan, $0) } }
        let recorder = Recorder<Any>()
        for fan in fans {
            for (name, _) in Fan.properties { try fan.observe(name, options: [.old, .new], recorder.handler()) }
        }
        var random = SplitMix64(seed: 7)
        for round in 1...20 {
            for (fan, which) in changes.shuffled(using: &random) {
                fans[fan].willChangeValue(forKey: Fan.properties[which].name)
            }
            for (fan, which) in changes { fans[fan][keyPath: Fan.keyPaths[which]] = round }
            expectEqual(recorder.count, 0)
            for (fan, which) in changes.shuffled(using: &random) {
                fans[fan].didChangeValue(forKey: Fan.properties[which].name)
                let entries = recorder.take()
                expectEqual(entries.map(\.keyPath), [Fan.properties[which].name])
                expectEqual(entries.map(\.target), [ObjectIdentifier(fans[fan])])
                expectEqual(entries.map { $0.old as? Int }, [round - 1])
                expectEqual(entries.map { $0.new as? Int }, [round])
            }
        }
    }

    @Test(
        "keys that several open changes lead to are told before the first of them and after the last", arguments: 1...5)
    func openTogether(count: Int) throws {
        let mesh = Mesh()
        let recorder = Recorder<Any>()
        let sums = (1...count).map { "sum\($0)" }
        for sum in sums { try mesh.observe(sum, options: [.old, .new, .prior], recorder.handler()) }
        var random = SplitMix64(seed: 5)
        for round in 1...10 {
            var entries: [Recorder<Any>.Entry] = []
            for name in ["x", "y", "z"].shuffled(using: &random) {
                mesh.willChangeValue(forKey: name)
                entries += recorder.take()
                #expect(entries.count == count && entries.allSatisfy(\.isPrior))
            }
            (mesh.x, mesh.y, mesh.z) = (round, round, round)
            for name in ["x", "y", "z"].shuffled(using: &random) {
                expectEqual(recorder.count, 0)
                mesh.didChangeValue(forKey: name)
            }
            entries = recorder.take()
            #expect(Set(entries.map(\.keyPath)) == Set(sums) && entries.count == count)
            for entry in entries {
                let digit = Int(String(entry.keyPath.last!))!
                expectEqual(entry.old as? Int, 3 * (round - 1) + digit)
                expectEqual(entry.new as? Int, 3 * round + digit)
            }
        }
    }

    @Test("changes that nobody observed at their beginning end in any order, without a word") func unobserved() throws {
        let fan = Fan()
        var random = SplitMix64(seed: 11)
        let recorder = Recorder<Any>()
        let names = Fan.properties.map(\.name)
        for _ in 0..<10 {
            let lines = try messages {
                for name in (names + names).shuffled(using: &random) { fan.willChangeValue(forKey: name) }
                for name in names { try fan.observe(name, recorder.handler()) }
                for name in (names + names).shuffled(using: &random) { fan.didChangeValue(forKey: name) }
            }
            expectEqual(lines, [])
            expectEqual(recorder.count, 0)
            expectEqual(messages { for name in names { fan.didChangeValue(forKey: name) } }.count, names.count)
            fan.removeAllObservers()
        }
    }
}
