extension CollectionOperator {
    /// The operator's value for a collection that is nil: the value for an empty one.
    var valueOfNothing: Any { apply(to: [])! }

    /// The operator over the values of the elements. Nil if they are not of a kind that it works on.
    ///
    /// A nil value is zero to `@sum` and `@avg`; `@count` counts it, and the others ignore it.
    func apply(to values: [Any]) -> Any? {
        let present = values.compactMap(unwrapped)
        switch self {
        case .count: return values.count
        case .sum: return Number(sumOf: present)?.value
        case .avg: return values.isEmpty ? 0.0 : Number(sumOf: present).map { $0.double / Double(values.count) }
        case .min: return first(of: present, by: isLess)
        case .max: return first(of: present) { isLess($1, $0) }
        case .unionOfObjects: return present
        case .distinctUnionOfObjects: return distinct(present)
        case .unionOfArrays: return flattened(present)
        case .distinctUnionOfArrays: return flattened(present).map(distinct)
        case .distinctUnionOfSets:
            guard let all = flattened(present) else { return nil }
            let hashable = all.compactMap { $0 as? AnyHashable }
            return hashable.count == all.count ? Set(hashable) : nil
        }
    }

    private func flattened(_ values: [Any]) -> [Any]? {
        let collections = values.compactMap { $0 as? any KeyValueCollection }
        return collections.count == values.count ? collections.flatMap(\.elements).compactMap(unwrapped) : nil
    }

    /// The first of each group of equal values, in order. Values that cannot be hashed are compared one by one.
    private func distinct(_ values: [Any]) -> [Any] {
        var hashed: Set<AnyHashable> = []
        var unhashed: [Any] = []
        return values.compactMap { value -> Any? in
            if let value = value as? AnyHashable { return hashed.insert(value).inserted ? value.base : nil }
            if unhashed.contains(where: { areEqual($0, value) }) { return nil }
            unhashed.append(value)
            return value
        }
    }

    /// The value that comes before all others, the first one of several; the empty optional if there is none. Nil if the values
    /// cannot be compared.
    private func first(of values: [Any], by comesBefore: (Any, Any) -> Bool?) -> Any? {
        guard var first = values.first else { return Any?.none as Any }
        // The first value is compared with itself, which shows whether it can be compared at all.
        for value in values {
            guard let isBetter = comesBefore(value, first) else { return nil }
            if isBetter { first = value }
        }
        return first
    }
}

/// Whether a value is less than another one; nil if they cannot be compared.
private func isLess(_ a: Any, _ b: Any) -> Bool? {
    if let a = Number(a), let b = Number(b) { return a < b }
    func isLess<Value: Comparable>(_ a: Value) -> Bool? { (b as? Value).map { a < $0 } }
    return (a as? any Comparable).flatMap { isLess($0) }
}

/// A number of any of the standard types.
struct Number {
    /// Exact, if it is whole and fits.
    private(set) var integer: Int?
    private(set) var double: Double
    var value: Any { integer ?? double }

    init?(_ value: Any) {
        // The usual types first: a cast to a protocol takes ten times as long.
        if type(of: value) == Int.self, let value = value as? Int {
            (integer, double) = (value, Double(value))
        } else if type(of: value) == Double.self, let value = value as? Double {
            double = value
        } else if let value = value as? any BinaryInteger {
            (integer, double) = (Int(exactly: value), Double(value))
        } else if let value = value as? any BinaryFloatingPoint {
            double = Double(value)
        } else {
            return nil
        }
    }

    /// The sum, whole as long as all numbers are and it fits an `Int`. Nil if something is not a number.
    init?(sumOf values: [Any]) {
        (integer, double) = (0, 0)
        for value in values {
            guard let number = Number(value) else { return nil }
            let sum = integer.flatMap { number.integer.map($0.addingReportingOverflow) }
            integer = sum.flatMap { $0.overflow ? nil : $0.partialValue }
            double += number.double
        }
    }

    static func < (a: Number, b: Number) -> Bool {
        if let a = a.integer, let b = b.integer { return a < b }
        return a.double < b.double
    }
}
