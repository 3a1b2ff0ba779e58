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
    /// What else follows the collections: each has to end on what they are.
    private let (holder, mirror) = (Crate(), Crate())
    private var (onPath, labels): ([Int], Set<String>) = ([], [])
    private var (bag, sum): ([Int: Int], Int) = ([:], 0)

    init(seed: UInt64, observers: Int) {
        random = SplitMix64(seed: seed)
        copies = Array(repeating: ([], []), count: observers)
        let tags = { (crate: Crate) in crate.maybeTags ?? [] }
        crate.maybeTags = []
        if seed % 2 == 0 { followOtherwise() }
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

    /// By a path, a set's handle, elements, a binding and a function, in front of the others.
    private func followOtherwise() {
        holder.inner = crate
        try! holder.observe("inner.items", as: [Int].self, options: [.old, .new]) { [unowned self] change in
            replay(change, "path", &onPath)
        }
        crate.$tags.observe(options: [.old, .new, .prior]) { [unowned self] change in
            if change.isPrior { return editInHandler() }
            replay(change, "labels", &labels, crate.tags)
            editInHandler()
        }
        crate.$items.observeElements(
            added: { [unowned self] in bag[$0, default: 0] += 1 },
            removed: { [unowned self] element in
                bag[element, default: 0] -= 1
                if bag[element] == 0 { bag[element] = nil }
            })
        mirror.$items.bind(to: crate.$items)
        crate.observe(reading: { $0.items.reduce(0, +) }, options: [.old, .new]) { [unowned self] crate, change in
            if change.oldValue != sum { fail("the sum was \(sum), and was told as \(change.oldValue!)") }
            sum = change.newValue!
            if sum != crate.items.reduce(0, +) { fail("the sum \(sum) of \(crate.items)") }
            if sum % 5 == 0 { editInHandler() }
        }
    }

    private func checkOthers() {
        if holder.inner == nil { return }
        let items = crate.items
        if onPath != items { fail("the path ends with \(onPath), and it is \(items)") }
        if labels != crate.tags { fail("the labels end with \(labels), and are \(crate.tags)") }
        if bag != items.reduce(into: [:], { $0[$1, default: 0] += 1 }) { fail("\(bag) were added to \(items)") }
        if mirror.items != items { fail("\(mirror.items) is bound to \(items)") }
        if sum != items.reduce(0, +) { fail("the sum ends with \(sum) of \(items)") }
    }

    private func number(_ below: Int) -> Int { Int(random.next() % UInt64(max(below, 1))) }

    private func replay(_ change: Change<[Int]>, _ number: Int) { replay(change, "\(number)", &copies[number].items) }

    private func replay(_ change: Change<[Int]>, _ number: String, _ copy: inout [Int]) {
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
        if copy != crate.items { fail("\(number): after \(change.kind) it would be \(copy), and is \(crate.items)") }
    }

    private func replay(_ change: Change<Set<Int>>, _ number: Int, _ tags: Set<Int>) {
        replay(change, "\(number)", &copies[number].tags, tags)
    }

    private func replay<Tag>(_ change: Change<Set<Tag>>, _ number: String, _ copy: inout Set<Tag>, _ tags: Set<Tag>) {
        let (old, new) = (change.oldValue ?? [], change.newValue ?? [])
        if change.kind == .setting {
            if old != copy { fail("\(number): tags set from \(old), and were \(copy)") }
            copy = new
        } else {
            if !old.isSubset(of: copy) || !new.isDisjoint(with: copy.subtracting(old)) {
                fail("\(number): tags \(change.kind) \(old) \(new) of \(copy)")
            }
            copy.subtract(old)
            copy.formUnion(new)
        }
        if copy != tags { fail("\(number): tags would be \(copy), and are \(tags)") }
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
        checkOthers()
        return problem
    }

    /// Takes the edits that it makes back and makes them again. Handlers change nothing meanwhile.
    func undoAndRedo(_ history: UndoHistory) -> String? {
        budget = 0
        let end = state
        while history.undo() {}
        if state != "[] [] []" { fail("undone it is \(state)") }
        while history.redo() {}
        if state != end { fail("done again it is \(state), and was \(end)") }
        checkOthers()
        return problem
    }

    private var state: String { "\(crate.items) \(crate.maybeTags!.sorted()) \(crate.tags.sorted())" }

    private func edit() {
        let (value, kind) = (number(10), number(42))
        trace.append("\(kind)(\(value))")
        let (items, tags) = (crate.$items, crate.$tags)
        let (count, tag) = (crate.items.count, "\(value % 5)")
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
            case 18: _ = items.popLast()
            case 19:
                var generator = random
                items.shuffle(using: &generator)
            case 20: items.update(to: [value, 3, 1])
            case 21: items.removeAll()
            case 22: items.replaceSubrange(0..., with: [value, 7])
            case 23: if count < 20 { items.insert(contentsOf: items, at: 0) }
            case 24: items.value = [value]
            case 25: items.value.append(value)
            case 26: crate.withMutation(of: "items") { if budget == 6 { for _ in 0..<3 { edit() } } }
            case 27: try array.swapAt(0, value)
            case 28: try array.insert(value, at: value)
            case 29: try array.replace(at: value, with: 5)
            case 30: items.edit { $0.sort { $0 > $1 } }
            case 31: tags.insert(tag)
            case 32: tags.formUnion([tag, "a"])
            case 33: tags.subtract(["a", tag])
            case 34: tags.formSymmetricDifference([tag, "b"])
            case 35: tags.removeAll { $0 < tag }
            case 36: tags.update(with: tag)
            case 37: tags.update(to: [tag, "c"])
            case 38: tags.value = [tag]
            case 39: crate.tags.insert(tag)
            case 40: try crate.mutableSetValue(forKey: "tags").formIntersection(["a", "b", tag])
            default: try set.removeAll { ($0 as! Int) % 2 == value % 2 }
            }
        } catch {
            if case .indexOutOfRange = error.reason { return }
            fail("\(error)")
        }
    }
}

/// Random edits inside of edits.
struct RandomEditTests {
    @Test("each observer's log, replayed, is the collection, at each call", arguments: [1, 3, 40])
    func replayed(observers: Int) {
        for seed in 0..<UInt64(load(observers > 10 ? 80 : 600)) {
            let world = EditWorld(seed: seed, observers: observers)
            let history = seed % 3 == 0 ? UndoHistory(of: world.crate, limit: 1000) : nil
            for step in 0...30 {
                if let problem = step < 30 ? world.step() : history.flatMap(world.undoAndRedo) {
                    Issue.record(
                        "seed \(seed), \(observers) observers, \(world.trace.joined(separator: " ")): \(problem)")
                    return
                }
            }
        }
    }
}
