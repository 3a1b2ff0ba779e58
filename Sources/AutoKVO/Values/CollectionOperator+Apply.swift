extension CollectionOperator {
    /// The operator's value for a collection that is nil: the value for an empty one.
    var valueOfNothing: Any { OperatorResult(of: self).value! }
}

/// What an operator has made of the values so far. A nil value is zero to `@sum` and `@avg`; `@count` counts it, and the others ignore
/// it.
struct OperatorResult {
    let function: CollectionOperator
    private var count = 0
    /// Nil if something is not a number.
    private var sum: Number? = .whole(0)
    /// The value that comes before all others, the first one of several; and the same if it is a number.
    private var first: Any?
    private var firstNumber: Number?
    private var isComparable = true
    private var values: [Any] = []

    init(of function: CollectionOperator) { self.function = function }

    /// The operator's value. Nil if the values are not of a kind that it works on.
    var value: Any? {
        switch function {
        case .count: return count
        case .sum: return sum?.value
        case .avg: return count == 0 ? 0.0 : sum.map { $0.double / Double(count) }
        case .min, .max: return isComparable ? first ?? Any?.none as Any : nil
        case .unionOfObjects: return values
        case .distinctUnionOfObjects: return distinct(values)
        case .unionOfArrays: return flattened(values)
        case .distinctUnionOfArrays: return flattened(values).map(distinct)
        case .distinctUnionOfSets:
            guard let all = flattened(values) else { return nil }
            let hashable = all.compactMap { $0 as? AnyHashable }
            return hashable.count == all.count ? Set(hashable) : nil
        }
    }

    mutating func add(_ value: Any) {
        count += 1
        guard let value = unwrapped(value) else { return }
        switch function {
        case .count: break
        case .sum, .avg: sum = Number(value).flatMap { number in sum.map { $0 + number } }
        case .min, .max: compare(value)
        default: values.append(value)
        }
    }

    /// Takes the value out of a slot.
    mutating func take(_ slot: inout ValueSlot) {
        if let number = slot.takeNumber() { add(number) } else { add(slot.take()) }
    }

    /// Adds an `Int` or a `Double`.
    mutating func add(_ number: Number) {
        switch function {
        case .sum, .avg: sum = sum.map { $0 + number }
        case .min: guard let firstNumber, !(number < firstNumber) else { return add(number.value) }
        case .max: guard let firstNumber, !(firstNumber < number) else { return add(number.value) }
        default: return add(number.value)
        }
        count += 1
    }

    /// Adds the numbers that a function passes on, which returns how many, and which may be called twice.
    @inline(__always)
    mutating func addEach(_ pass: ((Int) -> Void) -> Int) -> Int {
        if function == .sum || function == .avg, case .whole(var sum) = sum {
            var isTooLarge = false
            let added = pass {
                let result = sum.addingReportingOverflow($0)
                sum = result.partialValue
                isTooLarge = isTooLarge || result.overflow
            }
            if !isTooLarge {
                (self.sum, count) = (.whole(sum), count + added)
                return added
            }
        }
        return pass { add(.whole($0)) }
    }

    private mutating func compare(_ value: Any) {
        // The first value is compared with itself, which shows whether it can be compared at all.
        let other = first ?? value
        guard let isFirst = function == .min ? isLess(value, other) : isLess(other, value) else {
            isComparable = false
            return
        }
        if isFirst || first == nil { (first, firstNumber) = (value, Number(value)) }
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

/// Whether a value is less than another one; nil if they cannot be compared.
private func isLess(_ a: Any, _ b: Any) -> Bool? {
    if let a = Number(a), let b = Number(b) { return a < b }
    func isLess<Value: Comparable>(_ a: Value) -> Bool? { (b as? Value).map { a < $0 } }
    return (a as? any Comparable).flatMap { isLess($0) }
}

/// A number of any of the standard types.
enum Number {
    /// Exact.
    case whole(Int)
    case real(Double)

    @inline(__always)
    var double: Double {
        switch self {
        case .whole(let value): Double(value)
        case .real(let value): value
        }
    }

    var value: Any {
        switch self {
        case .whole(let value): value
        case .real(let value): value
        }
    }

    init?(_ value: Any) {
        // The usual types first: a cast to a protocol takes ten times as long.
        if type(of: value) == Int.self, let value = value as? Int {
            self = .whole(value)
        } else if type(of: value) == Double.self, let value = value as? Double {
            self = .real(value)
        } else if let value = value as? any BinaryInteger {
            self = Int(exactly: value).map(Number.whole) ?? .real(Double(value))
        } else if let value = value as? any BinaryFloatingPoint {
            self = .real(Double(value))
        } else {
            return nil
        }
    }

    /// The sum, whole if both numbers are and it fits an `Int`.
    @inline(__always)
    static func + (a: Number, b: Number) -> Number {
        if case .whole(let a) = a, case .whole(let b) = b {
            let (sum, overflow) = a.addingReportingOverflow(b)
            if !overflow { return .whole(sum) }
        }
        return .real(a.double + b.double)
    }

    @inline(__always)
    static func < (a: Number, b: Number) -> Bool {
        if case .whole(let a) = a, case .whole(let b) = b { return a < b }
        return a.double < b.double
    }
}

extension ValueSlot {
    /// Takes the value if it is an `Int` or a `Double`, without a cast.
    @inline(__always)
    fileprivate mutating func takeNumber() -> Number? {
        take(as: Int.self).map(Number.whole) ?? take(as: Double.self).map(Number.real)
    }
}
