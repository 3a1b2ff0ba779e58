import AutoKVO
import AutoKVOTestSupport
import Testing

/// Random edits, whose changes are applied in their order to a copy: it has to stay equal to the collection, and the
/// collection equal to a plain one that the same is done to.
struct DeltaTests {
    static let seeds: [UInt64] = Array(1...20)

    /// Applies one change to a copy of an array, and checks what it says of the elements that leave.
    private func apply(_ change: Change<[Int]>, to copy: inout [Int]) {
        let positions = change.indexes.map { Array($0.ranges.joined()) } ?? []
        switch change.kind {
        case .setting: copy = change.newValue!
        case .insertion:
            #expect(change.oldValue == nil && positions.count == change.newValue!.count)
            for (position, element) in zip(positions, change.newValue!) { copy.insert(element, at: position) }
        case .removal:
            #expect(change.newValue == nil && change.oldValue == positions.map { copy[$0] })
            copy.removeSubranges(change.indexes!)
        case .replacement:
            #expect(change.oldValue == positions.map { copy[$0] } && positions.count == change.newValue!.count)
            for (position, element) in zip(positions, change.newValue!) { copy[position] = element }
        }
        if change.kind != .setting { #expect(!positions.isEmpty) }
    }

    /// One random edit, made on an array through its handle and on a plain one. Returns the most changes it may make.
    private func edit(_ handle: Property<[Int]>, _ model: inout [Int], _ random: inout SplitMix64) -> Int {
        let count = model.count
        let element = Int.random(in: 0..<10, using: &random)
        let low = Int.random(in: 0...count, using: &random)
        let range = low..<Int.random(in: low...count, using: &random)
        let several = (0..<Int.random(in: 0..<5, using: &random)).map { $0 * element }
        switch Int.random(in: 0..<18, using: &random) {
        case 0:
            handle.append(element)
            model.append(element)
        case 1:
            handle.append(contentsOf: several)
            model.append(contentsOf: several)
        case 2:
            handle.insert(element, at: low)
            model.insert(element, at: low)
        case 3:
            handle.insert(contentsOf: several, at: low)
            model.insert(contentsOf: several, at: low)
        case 4 where low < count: expectEqual(handle.remove(at: low), model.remove(at: low))
        case 5 where count > 0: expectEqual(handle.removeFirst(), model.removeFirst())
        case 6: expectEqual(handle.popLast(), model.popLast())
        case 7:
            handle.removeSubrange(range)
            model.removeSubrange(range)
        case 8:
            handle.removeAll { $0 % 3 == 0 }
            model.removeAll { $0 % 3 == 0 }
        case 9:
            handle.replaceSubrange(range, with: several)
            model.replaceSubrange(range, with: several)
            return 2
        case 10:
            handle.sort()
            model.sort()
        case 11 where low < count:
            handle.swapAt(low, element % count)
            model.swapAt(low, element % count)
        case 12:
            handle.reverse()
            model.reverse()
        case 13 where low < count:
            handle[low] = element
            model[low] = element
        case 14:
            handle.shuffle(using: &random)
            // Which order comes of a generator is not promised: only that it has the same elements.
            expectEqual(handle.value.sorted(), model.sorted())
            model = handle.value
        case 15:
            expectEqual(handle.moveSubranges(RangeSet(range), to: low), model.moveSubranges(RangeSet(range), to: low))
        case 16 where element == 0:
            handle.removeAll()
            model.removeAll()
        case 17:
            handle.value = several
            model = several
        default: return 0
        }
        return 1
    }

    @Test("applied in their order, the changes of handle edits give the array", arguments: seeds) func array(
        seed: UInt64
    ) {
        var random = SplitMix64(seed: seed)
        let crate = Crate()
        var model: [Int] = []
        var copy: [Int] = []
        var calls = 0
        crate.$items.observe(options: [.old, .new]) { change in
            calls += 1
            self.apply(change, to: &copy)
        }
        for step in 0..<500 {
            let before = model
            calls = 0
            let limit = edit(crate.$items, &model, &random)
            #expect(calls <= limit && (calls > 0 || before == model), "seed \(seed), step \(step)")
            guard crate.items == model, copy == model else {
                Issue.record(
                    "seed \(seed), step \(step): \(before) became \(crate.items), \(model) expected, \(copy) told")
                return
            }
        }
    }

    @Test(
        "applied in their order, the changes of proxy edits give the array", arguments: seeds,
        ["items", "computed", "view", "plain"])
    func proxy(seed: UInt64, key: String) throws {
        var random = SplitMix64(seed: seed)
        let crate = Crate()
        let proxy = try crate.mutableArrayValue(forKey: key)
        var copy: [Int] = []
        try crate.observe(key, as: [Int].self, options: [.old, .new]) { self.apply($0, to: &copy) }
        for step in 0..<200 {
            let count = proxy.count
            let element = Int.random(in: 0..<10, using: &random)
            let low = Int.random(in: 0...count, using: &random)
            let range = low..<Int.random(in: low...count, using: &random)
            let several = (0..<Int.random(in: 0..<5, using: &random)).map { $0 * element }
            switch Int.random(in: 0..<9, using: &random) {
            case 0: try proxy.append(element)
            case 1: try proxy.insert(contentsOf: several, at: low)
            case 2 where low < count: try proxy.remove(at: low)
            case 3: try proxy.removeSubrange(range)
            case 4: try proxy.replaceSubrange(range, with: several)
            case 5: try proxy.sort { ($0 as! Int) < ($1 as! Int) }
            case 6 where low < count: try proxy.swapAt(low, element % count)
            case 7 where low < count: try proxy.replace(at: low, with: element)
            case 8: try proxy.removeAll { ($0 as! Int) == element }
            default: break
            }
            let now = try crate.value(forKey: key) as? [Int]
            guard now == copy else {
                Issue.record("seed \(seed), step \(step), \(key): \(String(describing: now)) expected, \(copy) told")
                return
            }
        }
    }

    @Test("applied in their order, the changes of set edits give the set", arguments: seeds) func set(seed: UInt64)
        throws
    {
        var random = SplitMix64(seed: seed)
        let crate = Crate()
        let proxy = try crate.mutableSetValue(forKey: "maybeTags")
        crate.maybeTags = []
        var copy: Set<Int> = []
        var calls = 0
        try crate.observe("maybeTags", as: Set<Int>.self, options: [.old, .new]) { change in
            calls += 1
            let (old, new) = (change.oldValue ?? [], change.newValue ?? [])
            #expect(old.isSubset(of: copy) && new.isDisjoint(with: copy) && !(old.isEmpty && new.isEmpty))
            copy.subtract(old)
            copy.formUnion(new)
        }
        for step in 0..<500 {
            let before = crate.maybeTags!
            calls = 0
            let element = Int.random(in: 0..<12, using: &random)
            let several = (0..<Int.random(in: 0..<6, using: &random)).map { _ in Int.random(in: 0..<12, using: &random)
            }
            switch Int.random(in: 0..<7, using: &random) {
            case 0: try proxy.insert(element)
            case 1: try proxy.remove(element)
            case 2: try proxy.formUnion(several)
            case 3: try proxy.subtract(several)
            case 4 where several.count > 4: try proxy.formIntersection(several)
            case 5: try proxy.formSymmetricDifference(several)
            case 6: try proxy.setElements(several)
            default: break
            }
            #expect(calls == (before == crate.maybeTags ? 0 : 1), "seed \(seed), step \(step)")
            guard copy == crate.maybeTags else {
                Issue.record("seed \(seed), step \(step): \(crate.maybeTags!) expected, \(copy) told")
                return
            }
        }
    }

    @Test("set edits through the handle and through a proxy come to the same", arguments: seeds) func sameSets(
        seed: UInt64
    ) throws {
        var random = SplitMix64(seed: seed)
        let (a, b) = (Crate(), Crate())
        let (first, second) = (Recorder<Any>(), Recorder<Any>())
        try a.observe("tags", options: [.old, .new], first.handler())
        try b.observe("tags", options: [.old, .new], second.handler())
        let (handle, proxy) = (a.$tags, try b.mutableSetValue(forKey: "tags"))
        for _ in 0..<300 {
            let several = Set((0..<3).map { _ in "\(Int.random(in: 0..<9, using: &random))" })
            switch Int.random(in: 0..<7, using: &random) {
            case 0:
                handle.insert(several.min()!)
                try proxy.insert(several.min()!)
            case 1:
                handle.remove(several.min()!)
                try proxy.remove(several.min()!)
            case 2:
                handle.formUnion(several)
                try proxy.formUnion(several)
            case 3:
                handle.subtract(several)
                try proxy.subtract(several)
            case 4:
                handle.formIntersection(several)
                try proxy.formIntersection(several)
            case 5:
                handle.formSymmetricDifference(several)
                try proxy.formSymmetricDifference(several)
            default:
                handle.value = several
                try proxy.setElements(several)
            }
        }
        expectEqual(a.tags, b.tags)
        #expect(first.lines == second.lines && first.count > 100)
    }
}
