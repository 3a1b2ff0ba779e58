extension CollectionOperator {
    /// The operator's value for a collection that is nil.
    var valueOfNothing: Any {
        switch self {
        case .count, .sum: 0
        case .avg: 0.0
        case .min, .max: Any?.none as Any
        case .unionOfObjects, .distinctUnionOfObjects, .unionOfArrays, .distinctUnionOfArrays: [Any]()
        case .distinctUnionOfSets: Set<AnyHashable>()
        }
    }

    /// The operator over the values of the elements. Nil if they are not of a kind that it works on.
    ///
    /// A nil value is zero to `@sum` and `@avg` and is passed over by the others.
    func apply(to values: [Any]) -> Any? {
        switch self {
        case .count: return values.count
        case .sum: return Number.sum(values)?.value
        case .avg: return values.isEmpty ? 0.0 : Number.sum(values).map { $0.double / Double(values.count) }
        case .min: return extreme(of: values) { $0 < 0 }
        case .max: return extreme(of: values) { $0 > 0 }
        case .unionOfObjects: return values.compactMap(unwrapped)
        case .distinctUnionOfObjects: return distinct(values.compactMap(unwrapped))
        case .unionOfArrays: return flattened(values)
        case .distinctUnionOfArrays: return flattened(values).map(distinct)
        case .distinctUnionOfSets:
            guard let all = flattened(values) else { return nil }
            let hashable = all.compactMap { $0 as? AnyHashable }
            return hashable.count == all.count ? Set(hashable) : nil
        }
    }

    private func flattened(_ values: [Any]) -> [Any]? {
        var all: [Any] = []
        for value in values.compactMap(unwrapped) {
            guard let collection = value as? any KeyValueCollection else { return nil }
            all += collection.elements.compactMap(unwrapped)
        }
        return all
    }

    /// The first of each group of equal values, in order. Values that cannot be hashed are compared one by one.
    private func distinct(_ values: [Any]) -> [Any] {
        var hashed: Set<AnyHashable> = []
        var found: [Any] = []
        var unhashed: [Any] = []
        for value in values {
            if let value = value as? AnyHashable {
                if hashed.insert(value).inserted { found.append(value.base) }
            } else if !unhashed.contains(where: { areEqual($0, value) }) {
                unhashed.append(value)
                found.append(value)
            }
        }
        return found
    }

    private func extreme(of values: [Any], _ wins: (Int) -> Bool) -> Any? {
        var best: Any?
        for value in values.compactMap(unwrapped) {
            // The first value is compared with itself, which shows whether it can be compared at all.
            guard let order = compare(value, best ?? value) else { return nil }
            if best == nil || wins(order) { best = value }
        }
        return best ?? Any?.none as Any
    }
}

/// Negative, zero or positive as the first is less than, equal to or greater than the second; nil if they do not
/// compare.
private func compare(_ a: Any, _ b: Any) -> Int? {
    if let a = Number(a), let b = Number(b) { return a.compare(b) }
    func order<T: Comparable>(_ a: T) -> Int? {
        (b as? T).map { a < $0 ? -1 : $0 < a ? 1 : 0 }
    }
    return (a as? any Comparable).flatMap { order($0) }
}

/// A number of any of the standard types.
struct Number {
    /// Exact, if it is whole and fits.
    let integer: Int?
    let double: Double

    init?(_ value: Any) {
        if let value = value as? any BinaryInteger {
            integer = Int(exactly: value)
            double = Double(value)
        } else if let value = value as? any BinaryFloatingPoint {
            integer = nil
            double = Double(value)
        } else {
            return nil
        }
    }

    private init(integer: Int?, double: Double) {
        self.integer = integer
        self.double = double
    }

    var value: Any { integer ?? double }

    /// The sum, whole as long as all numbers are and it fits an `Int`. Nil if something is not a number.
    static func sum(_ values: [Any]) -> Number? {
        var total = Number(integer: 0, double: 0)
        for value in values.compactMap(unwrapped) {
            guard let number = Number(value) else { return nil }
            var whole: Int?
            if let a = total.integer, let b = number.integer {
                let (sum, overflow) = a.addingReportingOverflow(b)
                whole = overflow ? nil : sum
            }
            total = Number(integer: whole, double: total.double + number.double)
        }
        return total
    }

    func compare(_ other: Number) -> Int {
        if let a = integer, let b = other.integer { return a < b ? -1 : a > b ? 1 : 0 }
        return double < other.double ? -1 : double > other.double ? 1 : 0
    }
}
