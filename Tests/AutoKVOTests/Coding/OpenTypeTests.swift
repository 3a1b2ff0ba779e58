import AutoKVO
import AutoKVOTestSupport
import Testing

private struct Point {}
private enum Shade: String { case dark }

private final class Open: Model {
    @Observed var hashable: AnyHashable = "a"
    @Observed var codable: any Codable = 7
    @Observed var list: [AnyHashable] = []
    @Observed var table: [String: AnyHashable] = [:]
    @Observed var any: Any = Point()
    @Observed var text = ""
    @Observed var counts: [String: Int] = ["a": 1]
    @Observed var numbers: [Int] = []
    @Observed var dense: ContiguousArray<Int> = [1, 2]
    @Observed var slice: ArraySlice<Int> = [3]
    @Observed var rows: [ContiguousArray<Int>] = [[4]]
    @Observed var shifts: [[Int]?] = [[1, 2], nil, [3]]

    override class var schema: Schema {
        Schema(Open.self, extending: super.schema) {
            Key("hashable", \.hashable)
            Key("codable", \.codable)
            Key("list", \.list)
            Key("table", \.table)
            Key("any", \.any)
            Key("text", \.text)
            Key("numbers", \.numbers)
            Key("dense", \.dense)
        }
    }
}

/// Properties of types that leave open what their values are.
struct OpenTypeTests {
    private let open = Open()

    @Test("a value that does not fit is refused, alone and as an element, and nobody is called", arguments: 0..<4)
    func refused(number: Int) throws {
        let value = [Point(), { 1 }, (1, 2), [Point()]][number] as Any
        var calls = 0
        for key in ["hashable", "codable", "list", "table"] { try open.observe(key) { _ in calls += 1 } }
        for key in ["hashable", "codable"] {
            #expect(throws: KeyValueError.self) { try open.setValue(value, forKey: key) }
            #expect(throws: KeyValueError.self) { try open.setValues([key: value]) }
        }
        #expect(throws: KeyValueError.self) { try open.setValue([value], forKey: "list") }
        #expect(throws: KeyValueError.self) { try open.setValue(["a": value], forKey: "table") }
        #expect(throws: KeyValueError.self) { try open.mutableArrayValue(forKey: "list").append(value) }
        #expect(calls == 0 && open.hashable == AnyHashable("a") && open.codable as? Int == 7)
        #expect(open.list.isEmpty && open.table.isEmpty)
    }

    @Test("nor does a transform or an observer get one") func unfitting() throws {
        let (path, coded) = (
            try open.path("any", as: AnyHashable.self), try open.path("any", as: (any Encodable).self)
        )
        #expect(path.value == nil && coded.value == nil)
        open.any = 3
        #expect(path.value == AnyHashable(3) && coded.value as? Int == 3)
        open.any = Point()
        #expect(throws: KeyValueError.self) {
            try open.bind("text", to: "any", of: open) { (value: AnyHashable) in "\(value)" }
        }
        #expect(open.text.isEmpty)
    }

    @Test("a property of a known type can follow one of type Any, as long as the values fit") func following() throws {
        try Diagnostics.withHandler({ #expect($0.contains("numbers")) }) {
            open.any = [1, 2]
            try open.bind("numbers", to: "any", of: open)
            expectEqual(open.numbers, [1, 2])
            open.any = "none"
            open.any = [3]
            expectEqual(open.numbers, [3])
        }
    }

    @Test("values that fit are as they are") func fitting() throws {
        try open.setValue(2.5, forKey: "hashable")
        try open.setValue("b", forKey: "codable")
        try open.setValue([1, "a"] as [Any], forKey: "list")
        #expect(open.hashable == AnyHashable(2.5) && open.codable as? String == "b" && open.list == [1, "a"])
    }

    @Test("a dictionary can be observed with keys that its own can be, and with no others") func keys() throws {
        var told: [AnyHashable: Int] = [:]
        try open.observe("counts", as: [AnyHashable: Int].self, options: [.initial, .new]) { told = $0.newValue! }
        expectEqual(told, ["a": 1])
        #expect(throws: KeyValueError.self) { try open.observe("counts", as: [Int: Int].self) { _ in } }
        try open.observe("numbers", as: [AnyHashable].self) { _ in }
    }

    @Test("as raw values, all kinds of arrays go out as arrays, and come back") func arrays() throws {
        let names = ["dense", "slice", "rows"]
        let values = try open.dictionaryWithValues(forKeys: names, asRawValues: true)
        #expect(values["dense"] as? [Int] == [1, 2] && values["slice"] as? [Int] == [3])
        #expect(values["rows"] as? [[Int]] == [[4]])
        open.dense = []
        try open.setValues(["dense": values["dense"]!])
        expectEqual(open.dense, [1, 2])
    }

    @Test("behind an operator, an element that is nil is no empty collection") func nilElements() throws {
        #expect(try open.value(forKeyPath: "shifts.@min.@count") as? Int == 1)
        #expect(try open.value(forKeyPath: "shifts.@unionOfObjects.@count") as? [Int] == [2, 1])
        #expect(try open.value(forKeyPath: "shifts.@sum.@count") as? Int == 3)
        #expect(try open.value(forKeyPath: "shifts.@avg.@count") as? Double == 1)
        var told: [Int?] = []
        try open.observe("shifts.@min.@sum.self", as: Int.self, options: [.initial, .new]) { told.append($0.newValue) }
        open.shifts[2] = nil
        expectEqual(told, [3, 3])
    }
}
