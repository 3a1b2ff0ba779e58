import AutoKVO
import AutoKVOTestSupport
import Testing

/// Collections set by name.
struct CollectionConversionTests {
    private let palette = Palette()
    private let recorder = Recorder<Any>()

    @Test("an array converts to a set, in which equal elements are one, and a set to an array") func arraysAndSets()
        throws
    {
        try palette.observe(["numbers", "numberSet"], options: [.new], recorder.handler())
        try palette.setValue([3, 1, 3], forKey: "numberSet")
        try palette.setValue(Set([5]), forKey: "numbers")
        #expect(palette.numberSet == [1, 3] && palette.numbers == [5] && recorder.count == 2)
        expectEqual(recorder.entries.first?.new as? Set<Int>, [1, 3])
        try palette.setValue(["dark", "dark"], forKey: "shadeSet")
        expectEqual(palette.shadeSet, [.dark])
    }

    @Test("array slices and contiguous arrays convert from and to each other") func otherArrays() throws {
        try palette.setValue([1, 2], forKey: "slice")
        try palette.setValue([1, 2, 3].dropFirst(), forKey: "dense")
        try palette.setValue(ContiguousArray([4]), forKey: "numbers")
        #expect(palette.slice == [1, 2] && palette.dense == [2, 3] && palette.numbers == [4])
        try palette.setValue([7, 8].dropLast(), forKey: "numberSet")
        expectEqual(palette.numberSet, [7])
    }

    @Test("elements convert like single values: raw values, numbers that fit, nil, and a type's own conversion")
    func elements() throws {
        try palette.setValue(["dark", Palette.Shade.pale] as [Any], forKey: "shades")
        expectEqual(palette.shades, [.dark, .pale])
        try palette.setValue([nil, "light"] as [String?], forKey: "maybeShades")
        expectEqual(palette.maybeShades, [nil, .light])
        try palette.setValue([["dark"], [], ["pale"]], forKey: "rows")
        expectEqual(palette.rows, [[.dark], [], [.pale]])
        try palette.setValue([1.0, UInt8(2), AnyHashable(3)] as [Any], forKey: "numbers")
        expectEqual(palette.numbers, [1, 2, 3])
        try palette.setValue(Set<AnyHashable>([2.0]), forKey: "numberSet")
        expectEqual(palette.numberSet, [2])
        try palette.setValue([1, 2], forKey: "grades")
        expectEqual(palette.grades, [.low, .high])
        try palette.setValue([0.5, 0.25], forKey: "percents")
        expectEqual(palette.percents.map(\.points), [50, 25])
        let person = Person()
        try palette.setValue([person] as ContiguousArray<Any>, forKey: "people")
        #expect(palette.people.first === person)
    }

    @Test("the keys and values of a dictionary convert the same way") func dictionaries() throws {
        try palette.setValue(["a": "dark"], forKey: "table")
        try palette.setValue(["pale": 2.0, "dark": 1] as [String: Any], forKey: "byShade")
        #expect(palette.table == ["a": .dark] && palette.byShade == [.pale: 2, .dark: 1])
        #expect(reason { try palette.setValue([1: "dark"], forKey: "table") } != nil)
        // Two keys that become one would lose a value.
        let twice: [AnyHashable: Any] = ["dark": 1, AnyHashable(Palette.Shade.dark): 2]
        #expect(reason { try palette.setValue(twice, forKey: "byShade") } != nil)
        expectEqual(palette.byShade.count, 2)
    }

    @Test("a collection with one element that does not convert is refused, as is a dictionary for an array")
    func refused() throws {
        try palette.observe(["shades", "numbers", "numberSet", "table"], recorder.handler())
        #expect(reason { try palette.setValue(["dark", "neon"], forKey: "shades") } != nil)
        #expect(reason { try palette.setValue([1, 2.5], forKey: "numbers") } != nil)
        #expect(reason { try palette.setValue([nil, 1], forKey: "numberSet") } != nil)
        #expect(reason { try palette.setValue(["a": 1], forKey: "numbers") } != nil)
        #expect(reason { try palette.setValue(["dark"], forKey: "table") } != nil)
        #expect(reason { try palette.setValue("dark", forKey: "shades") } != nil)
        expectEqual(recorder.count, 0)
    }

    @Test("the error for a refused collection names its first wrong element and what an element may be") func words() {
        func words(_ value: Any?, _ key: String) -> String? {
            do {
                try palette.setValue(value, forKey: key)
                return nil
            } catch { return error.description.split(separator: "Palette.\(key) holds ").last.map(String.init) }
        }
        expectEqual(
            words(["dark", "neon"], "shades"),
            "elements of type Shade, given by a raw value (String): \"dark\", \"light\", \"pale\"; not \"neon\"")
        expectEqual(words([1, 2.5], "numbers"), "elements of type Int, not 2.5")
        expectEqual(words([1, "x"] as [Any], "numberSet"), "elements of type Int, not String")
        expectEqual(words([1, nil] as [Int?], "dense"), "elements of type Int, not nil")
        expectEqual(words(5, "shades"), "Array<Shade>, not Int")
        expectEqual(words(nil, "shade")?.hasSuffix("\"pale\"; not nil"), true)
    }

    @Test("very many elements make no long message") func longCollections() {
        let error = #expect(throws: KeyValueError.self) {
            try palette.setValue(
                Array(repeating: String(repeating: "x", count: 10_000), count: 1_000), forKey: "shades")
        }
        #expect((error?.description.utf8.count ?? 0) < 1_000)
    }

    @Test("a binding converts collections, and one whose elements can never be converted is refused") func bindings()
        throws
    {
        let source = Palette()
        source.numbers = [4, 4]
        try palette.bind("numberSet", to: "numbers", of: source)
        expectEqual(palette.numberSet, [4])
        source.numbers.append(5)
        expectEqual(palette.numberSet, [4, 5])
        #expect(reason { try palette.bind("numbers", to: "people", of: source) } != nil)
        #expect(reason { try palette.bind("table", to: "shades", of: source) } != nil)
        try palette.checkType([Double].self, forKeyPath: "numberSet")
        try palette.checkType([String].self, forKeyPath: "shadeSet")
        #expect(reason { try palette.checkType([String].self, forKeyPath: "numberSet") } != nil)
    }

    @Test("a registration for another kind of collection is refused as before: deliveries do not convert collections")
    func deliveries() {
        #expect(reason { try palette.observe("numbers", as: Set<Int>.self) { _ in }.remove() } != nil)
    }

    @Test("a registration of a union of sets is refused if the elements can never be hashed") func unhashable() throws {
        let team = Team()
        team.teams = [Team()]
        team.teams[0].members = [Person()]
        expectEqual(
            reason { _ = try team.value(forKeyPath: "teams.@distinctUnionOfSets.members") }, .unsupportedOperator)
        expectEqual(reason { try team.observe("teams.@distinctUnionOfSets.members") { _ in } }, .unsupportedOperator)
        expectEqual(reason { try team.observe("words.@sum") { _ in } }, .unsupportedOperator)
        #expect(team.observations().isEmpty)
        team.teams = []
    }
}
