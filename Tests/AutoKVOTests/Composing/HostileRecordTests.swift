import AutoKVO
import AutoKVOTestSupport
import Foundation
import Testing

/// Records that come from a file or another program.
struct HostileRecordTests {
    private func record<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> ChangeRecord<Value> {
        let all = #"{"isPrior":false,"isFirst":false,"# + text + "}"
        return try JSONDecoder().decode(ChangeRecord<Value>.self, from: Data(all.utf8))
    }

    private static let ofArrays = [
        #""keyPath":"items","kind":2,"indexes":[[7,9]],"newValue":[1,2]"#,
        #""keyPath":"items","kind":2,"indexes":[[9223372036854775806,9223372036854775807]],"newValue":[1]"#,
        #""keyPath":"items","kind":2,"indexes":[[0,1]]"#,
        #""keyPath":"items","kind":2,"newValue":[1]"#,
        #""keyPath":"items","kind":3,"indexes":[[1,9223372036854775807]]"#,
        #""keyPath":"items","kind":3,"indexes":[[3,4]],"oldValue":[3]"#,
        #""keyPath":"items","kind":3"#,
        #""keyPath":"items","kind":4,"indexes":[[0,2],[3,4]],"oldValue":[1,2,3],"newValue":[1,2,3]"#,
        #""keyPath":"items","kind":4,"indexes":[[0,1]]"#,
        #""keyPath":"items","kind":4,"oldValue":[1],"newValue":[1]"#,
        #""keyPath":"items","kind":1"#,
    ]
    private static let ofOthers = [
        #""keyPath":"number","kind":2,"indexes":[[0,1]],"newValue":[1]"#,
        #""keyPath":"tags","kind":2,"indexes":[[0,1]],"newValue":[1]"#,
        #""keyPath":"tags","kind":4,"newValue":[1]"#,
        #""keyPath":"items.@count","kind":1,"newValue":[1]"#,
        #""keyPath":"items.@count","kind":2,"indexes":[[0,1]],"newValue":[1]"#,
        #""keyPath":"items.count","kind":2,"indexes":[[0,1]],"newValue":[1]"#,
        #""keyPath":"items..x","kind":1,"newValue":[1]"#,
        #""keyPath":"","kind":1,"newValue":[1]"#,
        #""keyPath":"other.items","kind":2,"indexes":[[0,1]],"newValue":[1]"#,
        #""keyPath":"number","kind":1,"newValue":[1]"#,
        #""keyPath":"secret","kind":1,"newValue":[1]"#,
    ]

    @Test(
        "one that does not fit throws and changes nothing, on an object and on a copy", arguments: ofArrays + ofOthers)
    func throwing(text: String) throws {
        let record = try record([Int].self, text)
        let crate = Crate()
        (crate.items, crate.tags, crate.number) = ([1, 2, 3], ["a"], 5)
        var changes = 0
        try crate.observeAnyKey { _ in changes += 1 }
        #expect(throws: KeyValueError.self) { try record.apply(on: crate) }
        // What is missing for one direction need not be for the other.
        if text.contains("@") || text.contains("..") || text.contains(#""keyPath":"""#) || text.contains("92233") {
            #expect(throws: KeyValueError.self) { try record.revert(on: crate) }
        } else {
            _ = try? record.revert(on: Crate())
        }
        #expect(changes == 0 && crate.items == [1, 2, 3] && crate.tags == ["a"] && crate.number == 5)
        guard Self.ofArrays.contains(text) else { return }
        var rows = [1, 2, 3]
        let error = #expect(throws: KeyValueError.self) { try record.apply(validating: &rows) }
        guard case .invalidValue? = error?.reason else { throw error! }
        expectEqual(rows, [1, 2, 3])
    }

    @Test("a prior call's record, and one of a set with indexes") func others() throws {
        let crate = Crate()
        let text = #"{"keyPath":"items","kind":1,"newValue":[1],"isPrior":true,"isFirst":false}"#
        let prior = try JSONDecoder().decode(ChangeRecord<[Int]>.self, from: Data(text.utf8))
        #expect(throws: KeyValueError.self) { try prior.apply(on: crate) }
        #expect(throws: KeyValueError.self) { try prior.revert(on: crate) }
        var rows = [1]
        #expect(throws: KeyValueError.self) { try prior.apply(validating: &rows) }
        let claiming = text.replacing("}", with: #","isNil":true,"wasNil":true}"#)
        let nothing = try JSONDecoder().decode(ChangeRecord<[Int]>.self, from: Data(claiming.utf8))
        #expect(throws: KeyValueError.self) { try nothing.apply(validating: &rows) }
        let removal = text.replacing(#""kind":1,"newValue":[1]"#, with: #""kind":3,"oldValue":[1],"indexes":[[0,1]]"#)
        let early = try JSONDecoder().decode(ChangeRecord<[Int]>.self, from: Data(removal.utf8))
        #expect(early.kind == .removal && early.indexes != nil)
        #expect(throws: KeyValueError.self) { try early.apply(validating: &rows) }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(
                ChangeRecord<[Int]>.self, from: Data(text.replacing("}", with: #","isGone":true}"#).utf8))
        }
        let set = try record(Set<String>.self, #""keyPath":"tags","kind":2,"indexes":[[0,1]],"newValue":["a"]"#)
        var tags: Set = ["b"]
        #expect(throws: KeyValueError.self) { try set.apply(validating: &tags) }
        let half = try record(Set<String>.self, #""keyPath":"tags","kind":4,"oldValue":["b"]"#)
        #expect(throws: KeyValueError.self) { try half.apply(validating: &tags) }
        #expect(rows == [1] && tags == ["b"])
    }

    @Test(
        "what no change can be is refused when it is decoded",
        arguments: [
            #""keyPath":"items","kind":1,"indexes":[[0,1]],"newValue":[1]"#,
            #""keyPath":"items","kind":2,"indexes":[[0,3]],"newValue":[1,2]"#,
            #""keyPath":"items","kind":3,"indexes":[[0,3]],"oldValue":[1]"#,
            #""keyPath":"items","kind":4,"indexes":[[0,9223372036854775807]],"oldValue":[1],"newValue":[1]"#,
            #""keyPath":"items","kind":4,"indexes":[[0,1]],"oldValue":[1],"newValue":[]"#,
            #""keyPath":"items","kind":2,"indexes":[[3,1]],"newValue":[1]"#, #""keyPath":"items","kind":5"#,
        ])
    func decoding(text: String) {
        #expect(throws: DecodingError.self) { try record([Int].self, text) }
        #expect(throws: DecodingError.self) { try record([Int]?.self, text) }
    }

    @Test("random records never stop the program") func random() throws {
        var random = SplitMix64(seed: 7)
        func number(_ below: UInt64) -> Int { Int(random.next() % below) }
        for _ in 0..<4000 {
            let start = number(6)
            let indexes = number(3) == 0 ? "" : #","indexes":[[\#(start),\#(start + number(4))]]"#
            func value(_ name: String) -> String {
                number(4) == 0 ? "" : #","\#(name)":\#((0..<number(4)).map { _ in number(9) })"#
            }
            let text =
                #""keyPath":"\#(["items", "number", "tags", "x"][number(4)])","kind":\#(1 + number(4))"# + indexes
                + value("oldValue") + value("newValue")
            guard let record = try? record([Int].self, text) else { continue }
            let crate = Crate()
            crate.items = [1, 2, 3]
            var rows = crate.items
            func succeeds(_ body: () throws -> Void) -> Bool { (try? body()) != nil }
            let isApplied = succeeds { try record.apply(on: crate) }
            let isMade = succeeds { try record.apply(validating: &rows) }
            if record.keyPath == "items" { #expect(isApplied == isMade && rows == crate.items, "\(text)") }
            if isApplied, record.kind != .setting, succeeds({ try record.revert(on: crate) }) {
                expectEqual(crate.items.count, 3, "\(text)")
            }
        }
    }
}
