/// The written form of key paths: keys separated by dots, among them operators, which begin with `@`.
enum KeyPathText {
    /// What is wrong with a name as a key, or nil.
    static func problem(inKey name: String) -> String? {
        if name.isEmpty { return "a key's name is empty" }
        if name.utf8.contains(UInt8(ascii: ".")) { return "a key's name has a dot in it" }
        if name.utf8.contains(UInt8(ascii: "|")) { return "a key's name has a | in it" }
        if name.utf8.first == UInt8(ascii: "@") { return "a key's name begins with @, which marks operators" }
        return nil
    }

    /// The parts between the dots, none of them empty.
    static func parts(of path: String) throws(KeyValueError) -> [String] {
        let parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if parts.contains(where: { $0.isEmpty || $0 == "@" }) { throw KeyValueError(.malformedPath, key: path) }
        return parts
    }
}

/// A function over the elements of a collection, written in a path as `@` and its name.
enum CollectionOperator: String, CaseIterable, Sendable {
    case count, sum, avg, min, max
    case unionOfObjects, distinctUnionOfObjects, unionOfArrays, distinctUnionOfArrays, distinctUnionOfSets

    /// What the values have to be.
    var operands: String {
        switch self {
        case .count, .unionOfObjects, .distinctUnionOfObjects: "values"
        case .sum, .avg: "numbers"
        case .min, .max: "values that can be compared"
        case .unionOfArrays, .distinctUnionOfArrays: "collections"
        case .distinctUnionOfSets: "collections of values that can be hashed"
        }
    }
}
