import AutoKVO
import AutoKVOTestSupport
import Testing

/// Random dictionaries against a model of plain dictionaries: all entries are set or none, and each that is set is one change.
struct RandomBulkTests {
    /// What a name leads to: a value and whether it is accepted.
    private struct Entry {
        let value: Any?
        /// As text, as the model keeps it; nil if the value is refused.
        let result: String?
    }

    private static let paths = ["price", "name", "next.price", "next.name", "next.next.price", "next.next.name"]

    private func entry(for path: String, _ random: inout SplitMix64) -> Entry {
        let number = Int.random(in: 0..<1_000, using: &random)
        let isWrong = Int.random(in: 0..<12, using: &random) == 0
        if path.hasSuffix("price") {
            if isWrong { return Entry(value: [nil, "x", 3.5, [1]].randomElement(using: &random)!, result: nil) }
            return Entry(value: number % 2 == 0 ? number : Double(number), result: "\(number)")
        }
        return isWrong ? Entry(value: number, result: nil) : Entry(value: "n\(number)", result: "n\(number)")
    }

    /// The values that an object has by path; what is behind nil is left out.
    private func state(_ ticket: Ticket) throws -> [String: String] {
        var state: [String: String] = [:]
        for path in Self.paths { state[path] = try ticket.value(forKeyPath: path).map { "\($0)" } }
        return state
    }

    @Test("as the model says, for every seed", arguments: 1...24 as ClosedRange<UInt64>) func model(seed: UInt64) throws
    {
        var random = SplitMix64(seed: seed)
        let ticket = Ticket()
        ticket.next = Ticket()
        ticket.next?.next = Ticket()
        let recorder = Recorder<Any>()
        try ticket.observe(Self.paths, options: [.new], recorder.handler())
        var expected = try state(ticket)
        for step in 0..<200 {
            var values: [String: Any?] = [:]
            var (model, wrong, set) = (expected, [String](), [String]())
            // The head of the paths may be replaced, or set to nil, by the same call.
            var isHeadSet = false
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                let new = Ticket()
                if Bool.random(using: &random) { new.next = Ticket() }
                isHeadSet = true
                values["next"] = new
                for path in Self.paths where path.hasPrefix("next.") { model[path] = nil }
                (model["next.price"], model["next.name"]) = ("0", "")
                if new.next != nil { (model["next.next.price"], model["next.next.name"]) = ("0", "") }
            case 1 where Int.random(in: 0..<3, using: &random) == 0:
                isHeadSet = true
                values.updateValue(nil, forKey: "next")
                for path in Self.paths where path.hasPrefix("next.") { model[path] = nil }
            default: break
            }
            for path in Self.paths where Int.random(in: 0..<3, using: &random) == 0 {
                let entry = entry(for: path, &random)
                values.updateValue(entry.value, forKey: path)
                if let result = entry.result, model[path] != nil {
                    model[path] = result
                    set.append(path)
                } else {
                    wrong.append(path)
                }
            }
            if Int.random(in: 0..<20, using: &random) == 0 {
                values["pric"] = 1
                wrong.append("pric")
            }
            recorder.clear()
            var found: KeyValueError?
            do { try ticket.setValues(values) } catch { found = error }
            let comment = "seed \(seed), step \(step): \(values)" as Comment
            expectEqual(found?.errors.map(\.keyPath) ?? [], wrong.sorted(), comment)
            if found == nil {
                expected = model
                for path in Self.paths {
                    let (count, own) = (recorder.paths.count { $0 == path }, set.contains(path) ? 1 : 0)
                    // Replacing the head is a change of each path through it, too.
                    let isThroughHead = isHeadSet && path.hasPrefix("next.")
                    #expect(count == own || isThroughHead && count == own + 1, comment)
                }
            } else {
                expectEqual(recorder.count, 0, comment)
            }
            try expectEqual(state(ticket), expected, comment)
        }
    }
}
