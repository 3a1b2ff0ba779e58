import AutoKVO
import AutoKVOTestSupport
import Testing

/// Arbitrary names, paths, values and indexes at every entry point that takes a name: nothing traps, and a call that
/// throws has registered nothing and changed nothing.
struct HostileInputTests {
    private struct Input {
        var random: SplitMix64

        mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

        private static let pieces = [
            "", ".", "..", "@", "|", "@count", "@sum", "@avg", "@unionOfObjects", "@unionOfArrays", "@nothing", "self",
            "age", "items",
            "tags", "inner", "number", "people", "maybe", "silent", "silentTags", "holes", "plain", "computed",
            "readOnly", "table",
            "dense", "view", "maybeTags", "firstName", "friends", "spouse", "\0", " ", "\n", "é", "e\u{301}", "\u{301}",
            "👩‍👩‍👧", "\u{202E}", "\u{FEFF}", "ß", "%@", "$items", "_items", "Items", "item", "\u{10FFFF}", "0", "-1",
        ]

        mutating func name() -> String {
            switch number(0..<12) {
            case 0..<7: return Self.pieces.randomElement(using: &random)!
            case 7..<10:
                return (0..<number(1..<6)).map { _ in Self.pieces.randomElement(using: &random)! }.joined(
                    separator: ".")
            case 10: return (0..<number(0..<8)).map { _ in Self.pieces.randomElement(using: &random)! }.joined()
            default:
                let scalars = (0..<number(0..<20)).compactMap { _ in Unicode.Scalar(UInt32(number(0..<0x11_0000))) }
                let text = scalars.reduce(into: "") { $0.unicodeScalars.append($1) }
                return number(0..<20) == 0 ? String(repeating: text + "a.", count: 2_000) : text
            }
        }

        mutating func value() -> Any? {
            switch number(0..<20) {
            case 0: return nil
            case 1: return Int?.none as Any
            case 2: return Int??.some(nil) as Any
            case 3: return number(.min ..< .max)
            case 4: return Double.nan
            case 5: return -Double.infinity
            case 6: return UInt64.max
            case 7: return name()
            case 8: return [1, 2]
            case 9: return [1, "x"] as [Any]
            case 10: return [Int?.none, 4]
            case 11: return Set<AnyHashable>([1, "x"])
            case 12: return Set(["a"])
            case 13: return Person()
            case 14: return [Person()]
            case 15: return ["a": 1]
            case 16: return (1, "tuple")
            case 17: return { (_: Int) in }
            case 18: return Int.self
            default: return Substring("x")
            }
        }

        mutating func index() -> Int { [Int.min, -1, 0, 0, 1, 2, 3, 100, Int.max].randomElement(using: &random)! }

        mutating func range() -> Range<Int> {
            let (a, b) = (index(), index())
            return Swift.min(a, b)..<Swift.max(a, b)
        }
    }

    /// What can be seen of an object, as text.
    private func state(_ crate: Crate) -> String {
        "\(crate.items) \(crate.tags.sorted()) \(crate.people.map { ObjectIdentifier($0) }) \(crate.maybe as Any) "
            + "\(crate.maybeTags?.sorted() as Any) \(crate.holes) \(crate.dense) \(crate.silent) \(crate.silentTags.sorted()) "
            + "\(crate.number) \(crate.inner.map { ObjectIdentifier($0) } as Any) \(crate.table) \(crate.plain) \(crate.hidden) "
            + "\(crate.hiddenTags.sorted()) \(crate.inner.map { state($0) } ?? "")"
    }

    /// Makes one call with arbitrary arguments. If it throws, nothing may have changed.
    private func call(_ crate: Crate, _ input: inout Input) {
        let before = state(crate)
        let observations = crate.observations().count
        let panel = PlainPanel()
        let (name, value) = (input.name(), input.value())
        var calls = 0
        do {
            switch input.number(0..<30) {
            case 0: _ = try crate.value(forKey: name)
            case 1: _ = try crate.value(forKeyPath: name)
            case 2, 3: try crate.setValue(value, forKey: name)
            case 4: try crate.setValue(value, forKeyPath: name)
            case 5: try [crate, crate.inner ?? crate].setValue(value, forKeyPath: name)
            case 6:
                _ = try crate.dictionaryWithValues(forKeys: [name, input.name()], asRawValues: true)
                _ = try [crate, Crate()].value(forKeyPath: name)
            case 7:
                var values: [String: Any?] = ["items": [5]]
                values.updateValue(value, forKey: name)
                values.updateValue(input.value(), forKey: input.name())
                try crate.setValues(values, validating: input.number(0..<2) == 0)
            case 8:
                var value = value
                try crate.validateValue(&value, forKey: name)
                try crate.validateValue(&value, forKeyPath: input.name())
            case 9: try crate.observe(name, options: [.old, .new, .initial, .prior]) { _ in calls += 1 }.remove()
            case 10: try crate.observe([name, input.name()], options: [.initial, .new]) { _ in calls += 1 }.remove()
            case 11: try crate.observe(name, as: Int.self, options: [.initial, .new]) { _ in calls += 1 }.remove()
            case 12: try crate.addObserver(panel, forKeyPath: name) { _, _ in }.remove()
            case 13: try crate.addObserver(panel, forKeyPath: name, handler: input.name(), userInfo: value).remove()
            case 14: try panel.observe("items", of: crate, handler: name).remove()
            case 15: try crate.onChange(name) { _ in }.remove()
            case 16: try [crate, Crate()].observe(name, options: [.initial]) { _ in calls += 1 }.remove()
            case 17: try crate.addObserver(crate, forKeyPath: name, context: nil).remove()
            case 18:
                crate.removeObserver(panel, forKeyPath: name)
                crate.removeObserver(crate, forKeyPath: name, handler: input.name())
                crate.removeObserver(crate, forKeyPath: name, context: nil)
                panel.stopObserving(name, of: crate)
                try KeyValueObservation.removeAll(observer: panel, target: nil, keyPath: name, handler: input.name())
            case 19:
                crate.willChangeValue(forKey: name)
                crate.didChangeValue(forKey: name)
                crate.didChangeValue(forKey: input.name())
            case 20:
                let kind: ChangeKind = [.setting, .insertion, .removal, .replacement].randomElement(
                    using: &input.random)!
                let indexes = RangeSet([input.range(), input.range()])
                crate.willChange(kind, valuesAt: indexes, forKey: name)
                crate.didChange(kind, valuesAt: indexes, forKey: name)
            case 21:
                let kind: SetMutationKind = [.union, .minus, .intersect, .set].randomElement(using: &input.random)!
                let elements: Set<AnyHashable> = ["a", 4, Double.nan, name]
                crate.willChangeValue(forKey: name, withSetMutation: kind, using: elements)
                crate.didChangeValue(forKey: name, withSetMutation: kind, using: elements)
            case 22: crate.withMutation(of: name) {}
            case 23...26: try editArray(try crate.mutableArrayValue(forKeyPath: name), value, &input)
            case 27...28: try editSet(try crate.mutableSetValue(forKeyPath: name), value, &input)
            default:
                _ = try crate.mutableArrayValue(forKey: name)
                _ = try crate.mutableSetValue(forKey: name)
            }
        } catch {
            let now = state(crate)
            if now != before { Issue.record("\(error) was thrown, and \(before) became \(now)") }
            if calls != 0 { Issue.record("\(error) was thrown after an initial call") }
        }
        expectEqual(crate.observations().count, observations)
    }

    private func editArray(_ proxy: MutableArrayProxy, _ value: Any?, _ input: inout Input) throws {
        _ = proxy[input.index()]
        switch input.number(0..<11) {
        case 0: try proxy.append(value)
        case 1: try proxy.insert(value, at: input.index())
        case 2: try proxy.insert(contentsOf: value as? [Any] ?? [], at: input.index())
        case 3: try proxy.remove(at: input.index())
        case 4: try proxy.removeSubrange(input.range())
        case 5: try proxy.removeSubranges(RangeSet([input.range(), input.range()]))
        case 6: try proxy.replace(at: input.index(), with: value)
        case 7: try proxy.swapAt(input.index(), input.index())
        case 8: try proxy.removeLast()
        case 9: _ = try proxy.element(at: input.index())
        default: try proxy.removeFirst()
        }
    }

    private func editSet(_ proxy: MutableSetProxy, _ value: Any?, _ input: inout Input) throws {
        switch input.number(0..<6) {
        case 0: try proxy.insert(value as Any)
        case 1: try proxy.remove(value as Any)
        case 2: try proxy.formUnion(value as? [Any] ?? [])
        case 3: try proxy.formSymmetricDifference([value as Any])
        case 4: try proxy.setElements([value as Any])
        default: _ = proxy.contains(value as Any)
        }
    }

    @Test("nothing traps, and a call that throws leaves nothing behind", arguments: 1...16 as ClosedRange<UInt64>)
    func anything(seed: UInt64) throws {
        var input = Input(random: SplitMix64(seed: seed))
        try Diagnostics.withHandler({ _ in }) {
            let crate = Crate()
            crate.inner = Crate()
            var delivered = 0
            if seed % 2 == 0 {
                try crate.observe(
                    ["items", "tags", "people.@sum.age", "inner.items", "maybe", "view", "readOnly", "silent"],
                    options: [.old, .new, .prior]
                ) { change in
                    delivered += 1
                    _ = (change.oldValue, change.newValue, change.indexes)
                }
            }
            for _ in 0..<600 { call(crate, &input) }
            if seed % 2 == 0 { #expect(delivered > 0) }
            crate.inner?.inner = nil
            crate.inner = nil
        }
    }
}
