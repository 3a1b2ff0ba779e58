import AutoKVOTestSupport
import Testing

@testable import AutoKVO

private final class Part: Model {
    @Observed var price: Int
    @Observed var isFree = false
    init(_ price: Int) { self.price = price }
}

private final class Order: Model {
    @Observed var parts: [Part] = []
    @Observed var rate = 1
    @Observed var bonus = 0
    private(set) var evaluations = 0

    /// Reads one or two properties of each part, another one again and again, and one behind all.
    @Derived({ (order: Order) in
        order.evaluations += 1
        return order.parts.reduce(0) { $0 + ($1.isFree ? 0 : $1.price * order.rate) } + order.bonus
    }) var total: Int

    var recomputed: Int { withoutTracking { parts.reduce(0) { $0 + ($1.isFree ? 0 : $1.price * rate) } + bonus } }
}

/// What its key is affected by is at the end of a path.
private final class Substitute: Model {
    @Observed var level = 1
    @Observed var rank = 1
    @Observed var deputy: Substitute?
    override class var schema: Schema {
        Schema(Substitute.self, extending: super.schema) { Key("level", \.level, affectedBy: "deputy.rank") }
    }
}

private final class Office: Model {
    @Observed var number = 0
    @Observed var isKept = false
    var (clerks, evaluations): ([Substitute], Int) = ([], 0)
    @Derived({ (office: Office) in
        let clerk = Substitute()
        clerk.deputy = Substitute()
        if office.isKept { office.clerks.append(clerk) }
        office.evaluations += 1
        return office.number + clerk.level
    }) var sum: Int
}

/// What a function reads of a list that changes.
struct ListReadingTests {
    /// Edits of any size, with lists longer than any number of positions or searches in Recorder.
    private func edit(_ parts: inout [Part], _ spare: inout [Part], _ random: inout SplitMix64) {
        let place = Int.random(in: 0...parts.count, using: &random)
        let count = Int.random(in: 0...(random.next() % 4 == 0 ? 40 : 3), using: &random)
        switch random.next() % 8 {
        case 0, 1:
            parts.insert(contentsOf: (0..<count).map { Part($0 + 1) }, at: place)
        case 2, 3:
            let range = place..<min(place + count, parts.count)
            spare += parts[range]
            parts.removeSubrange(range)
        case 4:
            guard !parts.isEmpty else { return }
            let part = parts.remove(at: place % parts.count)
            parts.insert(part, at: Int.random(in: 0...parts.count, using: &random))
        case 5:
            // An object in two places.
            if let part = parts.randomElement(using: &random) { parts.insert(part, at: place) }
        case 6:
            if random.next() % 3 == 0 { parts.shuffle(using: &random) } else { parts.reverse() }
        default:
            let middle = place % max(parts.count, 1)
            parts = Array(parts[middle...] + parts[..<middle])
        }
        if parts.count > 120 { parts.removeLast(60) }
    }

    @Test(
        "a function that makes an object each time, and reads a key of it that a path affects, is computed a few times")
    func newObjectEachTime() {
        let office = Office()
        var told: [Int] = []
        office.$sum.observe(options: .new) { told.append($0.newValue!) }
        for isKept in [false, true, true] {
            office.isKept = isKept
            office.number += 1
        }
        #expect(told == [2, 3, 4] && office.evaluations < 60)
        // What it has read last is followed.
        let before = office.evaluations
        office.clerks.last!.deputy!.rank = 2
        #expect(office.evaluations > before)
    }

    @Test("is what it depends on, whatever the edit was", arguments: 0..<60)
    func random(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        let order = Order()
        var (told, spare) = (0, [Part]())
        order.$total.observe(options: .new) { told = $0.newValue! }
        for step in 0..<40 {
            var parts = order.parts
            edit(&parts, &spare, &random)
            order.parts = parts
            if random.next() % 3 == 0 { order.rate += 1 }
            for part in parts.shuffled(using: &random).prefix(6) {
                if random.next() % 4 == 0 { part.isFree.toggle() } else { part.price += 1 }
                #expect(order.total == order.recomputed && told == order.total, "seed \(seed), step \(step)")
            }
            order.bonus += 1
            expectEqual(told, order.recomputed, "seed \(seed), step \(step)")
            let before = order.evaluations
            for part in spare where !parts.contains(where: { $0 === part }) { part.price += 1 }
            for part in parts where part.isFree { part.price += 1 }
            expectEqual(order.evaluations, before, "seed \(seed), step \(step)")
            spare = Array(spare.suffix(20))
        }
    }

    private func linkCount(_ object: TrackedObject) -> Int {
        guard let record = object.record else { return 0 }
        return record.lock.withLock {
            var count = 0
            for slot in 0..<record.layout!.value.count { record.list(slot)?.value.forEachLink { _ in count += 1 } }
            return count
        }
    }

    @Test("has one link for each key, and few more behind edits") func links() {
        let order = Order()
        order.parts = (0..<100).map { Part($0) }
        var count: Int { order.parts.reduce(linkCount(order)) { $0 + linkCount($1) } }
        order.$total.observe { _ in }
        expectEqual(count, 203)
        for _ in 0..<50 {
            order.parts.insert(Part(1), at: 50)
            order.parts.removeFirst()
            order.parts.append(order.parts.removeFirst())
        }
        expectEqual(count, 203)
        order.parts.shuffle()
        order.rate = 2
        order.parts.reverse()
        #expect(count >= 203 && count <= 203 + 32)
    }

    @Test("costs what the list is long, also where every other object leaves or the list is turned round")
    func longLists() {
        let edits: [(Order) -> Void] = [
            { order in order.parts = order.parts.enumerated().filter { $0.offset % 2 == 0 }.map(\.element) },
            { $0.parts.reverse() },
        ]
        for edit in edits {
            let ratio = timeRatio(to: size(32_000)) { count in
                let order = Order()
                order.parts = (0..<count).map { Part($0) }
                order.$total.observe { _ in }
                return processorTime { edit(order) }
            }
            #expect(ratio < 9)
        }
    }

    private final class Tagged: Model {
        @Observed var tags: Set<Int> = [1]
        @Derived({ (tagged: Tagged) in tagged.$tags.value.reduce(0, +) }) var sum: Int
        @Derived({ (tagged: Tagged) in tagged.$tags.contains(2) }) var hasTwo: Bool
        @Derived({ (tagged: Tagged) in tagged.$tags.count }) var count: Int
    }

    @Test("a set that is read by its handle is followed") func sets() {
        let tagged = Tagged()
        var told: [String] = []
        tagged.$sum.observe(options: .new) { told.append("\($0.newValue!)") }
        tagged.$hasTwo.observe(options: .new) { told.append("\($0.newValue!)") }
        tagged.$count.observe(options: .new) { told.append("\($0.newValue!)") }
        tagged.$tags.insert(2)
        tagged.$tags.value = [5]
        tagged.tags = [4]
        expectEqual(told, ["3", "true", "2", "5", "false", "1", "4"])
    }
}
