import AutoKVO
import AutoKVOTestSupport
import Testing

/// An array and a set that handlers edit inside of edits of them. What each observer was called with is replayed.
private final class EditWorld {
    let crate = Crate()
    private var random: SplitMix64
    /// How many more edits handlers may make in this step.
    private var budget = 0
    private(set) var trace: [String] = []
    private(set) var problem: String?
    private var copies: [(items: [Int], tags: Set<Int>)]

    init(seed: UInt64, observers: Int) {
        random = SplitMix64(seed: seed)
        copies = Array(repeating: ([], []), count: observers)
        let tags = { (crate: Crate) in crate.maybeTags ?? [] }
        crate.maybeTags = []
        for number in 0..<observers {
            let isPrior = number % 4 == 3
            crate.$items.observe(options: isPrior ? [.old, .new, .prior] : [.old, .new]) { [unowned self] change in
                if change.isPrior { return editInHandler() }
                replay(change, number)
                editInHandler()
            }
            try! crate.observe("maybeTags", as: Set<Int>.self, options: [.old, .new]) { [unowned self] change in
                replay(change, number, tags(crate))
                if number % 3 == 0 { editInHandler() }
            }
        }
    }

    private func number(_ below: Int) -> Int { Int(random.next() % UInt64(max(below, 1))) }

    private func replay(_ change: Change<[Int]>, _ number: Int) {
        var copy = copies[number].items
        let indexes = change.indexes.map { Array($0.ranges.joined()) } ?? []
        let (old, new) = (change.oldValue ?? [], change.newValue ?? [])
        switch change.kind {
        case .setting:
            if old != copy { fail("\(number): set from \(old), and was \(copy)") }
            copy = new
        case .insertion:
            for (index, element) in zip(indexes, new) {
                if index > copy.count { return fail("\(number): inserted at \(indexes) of \(copy)") }
                copy.insert(element, at: index)
            }
        case .removal, .replacement:
            if indexes.contains(where: { $0 >= copy.count }) || indexes.map({ copy[$0] }) != old {
                return fail("\(number): \(change.kind) of \(old) at \(indexes) of \(copy)")
            }
            if change.kind == .removal {
                for index in indexes.reversed() { copy.remove(at: index) }
            } else {
                for (index, element) in zip(indexes, new) { copy[index] = element }
            }
        }
        copies[number].items = copy
        if copy != crate.items { fail("\(number): after \(change.kind) it would be \(copy), and is \(crate.items)") }
    }

    private func replay(_ change: Change<Set<Int>>, _ number: Int, _ tags: Set<Int>) {
        let (old, new) = (change.oldValue ?? [], change.newValue ?? [])
        if change.kind == .setting {
            if old != copies[number].tags { fail("\(number): tags set from \(old), and were \(copies[number].tags)") }
            copies[number].tags = new
        } else {
            if !old.isSubset(of: copies[number].tags) || !new.isDisjoint(with: copies[number].tags.subtracting(old)) {
                fail("\(number): tags \(change.kind) \(old) \(new) of \(copies[number].tags)")
            }
            copies[number].tags.subtract(old)
            copies[number].tags.formUnion(new)
        }
        if copies[number].tags != tags { fail("\(number): tags would be \(copies[number].tags), and are \(tags)") }
    }

    private func fail(_ text: String) { problem = problem ?? text }

    private func editInHandler() {
        guard budget > 0, number(3) == 0 else { return }
        budget -= 1
        edit()
    }

    func step() -> String? {
        budget = 6
        edit()
        for (number, copy) in copies.enumerated() where copy.items != crate.items || copy.tags != crate.maybeTags {
            fail("\(number): ends with \(copy), and it is \(crate.items), \(crate.maybeTags!)")
        }
        return problem
    }

    private func edit() {
        let (value, kind) = (number(10), number(19))
        trace.append("\(kind)(\(value))")
        let items = crate.$items
        let count = crate.items.count
        let (array, set) = (
            try! crate.mutableArrayValue(forKey: "items"), try! crate.mutableSetValue(forKey: "maybeTags")
        )
        do {
            switch kind {
            case 0, 1: items.append(value)
            case 2: items.insert(value, at: 0)
            case 3: items.removeAll { $0 % 3 == value % 3 }
            case 4: items.sort()
            case 5: crate.items = [value, 3, 1, value]
            case 6: crate.items.append(value)
            case 7: try array.append(value)
            case 8: try array.removeAll { ($0 as! Int) < value }
            case 9: try array.sort { ($0 as! Int) > ($1 as! Int) }
            case 10: try array.remove(at: value)
            case 11: try array.replaceSubrange(0..<min(value, count), with: [8, 9])
            case 12: items.edit { if $0.count > 4 { $0.removeSubrange(2...) } else { $0 += [value, 0] } }
            case 13: items.reverse()
            case 14: try set.insert(value)
            case 15: try set.formSymmetricDifference([value, 1, 2])
            case 16: crate.maybeTags = [value]
            case 17: coalescingChanges { if budget == 6 { for _ in 0..<3 { edit() } } }
            default: try set.removeAll { ($0 as! Int) % 2 == value % 2 }
            }
        } catch {
            if case .indexOutOfRange = error.reason { return }
            fail("\(error)")
        }
    }
}

@Suite("Random edits inside of edits") struct RandomEditTests {
    @Test("each observer's log, replayed, is the collection, at each call", arguments: [1, 3, 40])
    func replayed(observers: Int) {
        for seed in 0..<UInt64(load(observers > 10 ? 80 : 600)) {
            let world = EditWorld(seed: seed, observers: observers)
            for _ in 0..<30 {
                if let problem = world.step() {
                    Issue.record(
                        "seed \(seed), \(observers) observers, \(world.trace.joined(separator: " ")): \(problem)")
                    return
                }
            }
        }
    }
}
