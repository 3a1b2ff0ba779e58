import AutoKVO
import AutoKVOTestSupport
import Testing

private class Score: TrackedObject, Comparable {
    @Observed var points: Int
    init(_ points: Int) { self.points = points }

    static func == (a: Score, b: Score) -> Bool { a === b }
    static func < (a: Score, b: Score) -> Bool { a.points < b.points }
}
private final class Bonus: Score {}
private final class Malus: Score {}

private final class Squad: TrackedObject {
    @Observed var scores: [Score] = []
    @Observed var numbers: [Int] = []
    @Observed var samples: [Double] = []
    @Observed var log: [Sample] = []
    @Observed var events: [Event] = []
    @Observed var mixed: [Any] = []
}

private class Medal: Comparable, Hashable {
    let rank: Int
    init(_ rank: Int) { self.rank = rank }

    static func == (a: Medal, b: Medal) -> Bool { a === b }
    static func < (a: Medal, b: Medal) -> Bool { a.rank < b.rank }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
private final class GoldMedal: Medal {}

private enum Event: Hashable { case sample(time: Int, value: Double) }

/// One that has no number does not equal itself.
private struct Sample: Hashable {
    var time: Int
    var value: Double
}

/// What operators and comparisons make of values of several classes, and of many that do not equal themselves.
struct CommonClassTests {
    @Test("objects are compared by the class that all are of, in any order", arguments: 0..<3)
    func order(first: Int) throws {
        let (plain, bonus, malus) = (Score(1), Bonus(2), Malus(3))
        let all = [plain, bonus, malus]
        let squad = Squad()
        squad.scores = Array(all[first...] + all[..<first])
        #expect(try squad.value(forKeyPath: "scores.@max") as? Score === malus)
        #expect(try squad.value(forKeyPath: "scores.@min") as? Score === plain)
        squad.scores.removeAll { $0 === plain }
        #expect(try squad.value(forKeyPath: "scores.@min") as? Score === bonus)
    }

    @Test("values in an AnyHashable are compared as they are") func wrapped() throws {
        let squad = Squad()
        squad.mixed = [AnyHashable("b"), AnyHashable("a"), "c"]
        expectEqual(try squad.value(forKeyPath: "mixed.@max") as? String, "c")
        expectEqual((try squad.value(forKeyPath: "mixed.@min") as? AnyHashable)?.base as? String, "a")
        for scores in [[Medal(1), GoldMedal(2)], [GoldMedal(2), Medal(1)]] {
            squad.mixed = scores.map { AnyHashable($0) }
            expectEqual(((try squad.value(forKeyPath: "mixed.@max") as? AnyHashable)?.base as? Medal)?.rank, 2)
            expectEqual(((try squad.value(forKeyPath: "mixed.@min") as? AnyHashable)?.base as? Medal)?.rank, 1)
        }
    }

    @Test(
        "an average that is a whole number is exact",
        arguments: [3_002_399_751_580_331, 9_007_199_254_740_991, -5_000_000_000_000_001])
    func average(number: Int) throws {
        let squad = Squad()
        for count in [1, 3, 6, 7] {
            squad.numbers = Array(repeating: number, count: count)
            expectEqual(try squad.value(forKeyPath: "numbers.@avg") as? Double, Double(number))
        }
    }

    @Test("another one is rounded once", arguments: [1, -1]) func rounded(sign: Int) throws {
        let squad = Squad()
        squad.numbers = [9_007_199_254_740_993 * sign, 9_007_199_254_740_994 * sign]
        expectEqual(try squad.value(forKeyPath: "numbers.@avg") as? Double, Double(sign) * 9_007_199_254_740_994)
        squad.numbers = [9_007_199_254_740_993 * sign, 9_007_199_254_740_993 * sign]
        expectEqual(try squad.value(forKeyPath: "numbers.@avg") as? Double, Double(9_007_199_254_740_993 * sign))
    }

    @Test("many numbers that are none take a time that grows with their number", .timeLimit(.minutes(2)))
    func notNumbers() throws {
        let squad = Squad()
        squad.samples = Array(repeating: 0, count: 100_000)
        let calls = Counter()
        squad.$samples.observe { _ in calls.add() }
        squad.$samples.update(to: Array(repeating: .nan, count: 100_000))
        #expect(calls.count == 2 && squad.samples.allSatisfy(\.isNaN))
        let distinct = try squad.value(forKeyPath: "samples.@distinctUnionOfObjects") as? [Any]
        expectEqual(distinct?.count, 100_000)
    }

    @Test("so do many structures with one", .timeLimit(.minutes(2))) func structures() {
        let (squad, recorder) = (Squad(), Recorder<[Sample]>())
        func samples(from first: Int) -> [Sample] { (0..<5_000).map { Sample(time: first + $0, value: .nan) } }
        squad.log = samples(from: 0)
        var (added, removed): ([Int], [Int]) = ([], [])
        squad.$log.observeElements(added: { added.append($0.time) }, removed: { removed.append($0.time) })
        squad.log = samples(from: 1)
        #expect(added == [5_000] && removed == [0])
        squad.$log.observe(options: [.old, .new], recorder.handler())
        squad.$log.update(to: samples(from: 2))
        expectEqual(recorder.entries.map(\.kind), [.removal, .insertion])
        func events(from first: Int) -> [Event] { (0..<5_000).map { .sample(time: first + $0, value: .nan) } }
        squad.events = events(from: 0)
        var count = 0
        squad.$events.observeElements(added: { _ in count += 1 }, removed: { _ in count += 1 })
        squad.events = events(from: 1)
        expectEqual(count, 2)
    }
}
