/// What an operator has made of the values so far. A nil value is zero to `@sum` and `@avg`; `@count` counts it, and the others ignore
/// it.
struct OperatorResult {
    let function: CollectionOperator
    private var count = 0
    /// The sum of whole numbers: of their lowest 64 bits, and of what is left, in units of 2^64. So it is exact, in whatever order they come.
    private var (low, high): (Int128, Int128) = (0, 0)
    /// The sum of all, once one of them is not whole.
    private var real: Double?
    private var areNumbers = true
    /// The value that comes before all others, the first one of several; and the same if it is a number.
    private var first: Any?
    private var firstNumber: Number?
    private var isComparable = true
    private var values: [Any] = []

    init(of function: CollectionOperator) { self.function = function }

    /// Whether it may be the sum of nothing, or of nils: of floating-point numbers it is not a whole one.
    var isNothing: Bool { function == .sum && areNumbers && real == nil && whole == 0 }

    /// The sum of whole numbers, if it has room.
    private var whole: Int128? {
        let high = high + low >> 64
        return high.magnitude >> 62 > 0 ? nil : high << 64 + Int128(UInt64(truncatingIfNeeded: low))
    }

    /// The sum, rounded.
    private var total: Double { real ?? whole.map { Double($0) } ?? Double(high + low >> 64) * 0x1p64 }

    /// Of a sum of whole numbers that no `Double` holds first the whole part.
    private var average: Double {
        guard real == nil, let whole, whole.magnitude >> 53 > 0 else { return total / Double(count) }
        let (quotient, rest) = whole.quotientAndRemainder(dividingBy: Int128(count))
        if quotient.magnitude >> 53 == 0 { return Double(quotient) + Double(rest) / Double(count) }
        // In halves, of which the last bit says that something is left: what is a tie without that is none.
        let (halves, left) = (2 * whole).quotientAndRemainder(dividingBy: Int128(count))
        return Double(left == 0 || halves & 1 != 0 ? halves : halves + left.signum()) / 2
    }

    /// The operator's value. Nil if the values are not of a kind that it works on.
    var value: Any? {
        switch function {
        case .count: return count
        case .sum, .avg:
            if !areNumbers { return nil }
            if function == .avg { return count == 0 ? 0.0 : average }
            if real == nil, let sum = whole.flatMap({ Int(exactly: $0) }) { return sum }
            return total
        case .min, .max: return isComparable ? first ?? Any?.none as Any : nil
        case .unionOfObjects: return values
        case .distinctUnionOfObjects: return distinct(values)
        case .unionOfArrays: return flattened(values)
        case .distinctUnionOfArrays: return flattened(values).map(distinct)
        case .distinctUnionOfSets: return (flattened(values) as? [AnyHashable]).map { Set($0) }
        }
    }

    mutating func add(_ value: Any) {
        count += 1
        guard let value = unwrapped(value) else { return }
        switch function {
        case .count: break
        case .sum, .avg: addToSum(ownNumber(of: value, for: Double.self))
        case .min, .max: compare(value)
        default: values.append(value)
        }
    }

    /// Takes the value out of a slot.
    mutating func take(_ slot: inout ValueSlot) {
        // An `Int` or a `Double` without a cast.
        let number = slot.take(as: Int.self).map(Number.whole) ?? slot.take(as: Double.self).map(Number.real)
        if let number { add(number) } else { add(slot.take()) }
    }

    /// Adds an `Int` or a `Double`.
    mutating func add(_ number: Number) {
        switch function {
        case .sum, .avg: addToSum(number)
        case .min: guard let firstNumber, !(number < firstNumber) else { return add(number.value) }
        case .max: guard let firstNumber, !(firstNumber < number) else { return add(number.value) }
        default: return add(number.value)
        }
        count += 1
    }

    /// Adds the numbers that a function passes on, which returns how many.
    mutating func addEach(_ pass: ((Int) -> Void) -> Int) -> Int {
        guard function == .sum || function == .avg, real == nil else { return pass { add(.whole($0)) } }
        var sum = low
        let added = pass { sum &+= Int128($0) }
        (low, count) = (sum, count + added)
        return added
    }

    private mutating func addToSum(_ number: Number) {
        if real == nil, case .whole(let whole) = number { low += Int128(whole) } else { real = total + number.double }
    }

    private mutating func addToSum(_ value: Any) {
        if let number = Number.of(value) { return addToSum(number) }
        if let integer = value as? any BinaryInteger { return addLarge(integer) }
        if let real = value as? any BinaryFloatingPoint { return addToSum(.real(Double(real))) }
        areNumbers = false
    }

    private mutating func addLarge<Integer: BinaryInteger>(_ integer: Integer) {
        // Of integers of more than 128 bits the sum might have no room.
        guard real == nil, let high = Int128(exactly: integer >> 64), high.magnitude >> 64 == 0 else {
            return addToSum(.real(Double(integer)))
        }
        low += Int128(UInt64(truncatingIfNeeded: integer))
        self.high += high
    }

    private mutating func compare(_ value: Any) {
        // The first value is compared with itself, which shows whether it can be compared at all.
        let other = first ?? value
        let isFirst = function == .min ? isLess(value, other) : isLess(other, value)
        if isFirst == nil { isComparable = false }
        if let isFirst, isFirst || first == nil { (first, firstNumber) = (value, Number.of(value)) }
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
        // A number that is none equals no other one: there may be many of one hash.
        if let value = value as? AnyHashable {
            return value != value || hashed.insert(value).inserted ? value.base : nil
        }
        if unhashed.contains(where: { areEqual($0, value) }) { return nil }
        unhashed.append(value)
        return value
    }
}

/// Whether a value is less than another one; nil if they cannot be compared.
private func isLess(_ a: Any, _ b: Any) -> Bool? {
    func own(_ value: Any) -> Any { ownNumber(of: content(of: value) ?? value, for: Double.self) }
    let (a, b) = (own(a), own(b))
    if let a = Number.of(a), let b = Number.of(b) { return a < b }
    // Of one type, large integers among them, or of one class.
    func isLess<Value: Comparable>(_: Value.Type) -> Bool? {
        (a as? Value).flatMap { a in (b as? Value).map { a < $0 } }
    }
    let type = commonClass(a, b) ?? type(of: a)
    if let isLess = (type as? any Comparable.Type).flatMap({ isLess($0) }) { return isLess }
    func areInOrder(_ a: some BinaryInteger, _ b: some BinaryInteger) -> Bool { a < b }
    switch (a, b) {
    case (let a as any BinaryInteger, let b as any BinaryInteger): return areInOrder(a, b)
    case (let a as any BinaryInteger, let b as any BinaryFloatingPoint): return Number.isLess(a, than: b)
    case (let a as any BinaryFloatingPoint, let b as any BinaryInteger): return Number.isLess(a, than: b)
    case (let a as any BinaryFloatingPoint, let b as any BinaryFloatingPoint): return Double(a) < Double(b)
    default: return nil
    }
}

/// A number that one of the usual types holds exactly.
enum Number {
    case whole(Int)
    case real(Double)

    var double: Double {
        switch self {
        case .whole(let value): Double(value)
        case .real(let value): value
        }
    }

    var value: Any { if case .whole(let whole) = self { whole } else { double } }

    /// Nil if the value is no number, or not one of these.
    static func of(_ value: Any) -> Number? {
        // The usual types first: a cast to a protocol takes ten times as long.
        if type(of: value) == Int.self, let value = value as? Int { return .whole(value) }
        if type(of: value) == Double.self, let value = value as? Double { return .real(value) }
        if let value = (value as? any BinaryInteger).flatMap({ Int(exactly: $0) }) { return .whole(value) }
        return (value as? any BinaryFloatingPoint).flatMap { Double(exactly: $0) }.map(Number.real)
    }

    static func < (a: Number, b: Number) -> Bool {
        switch (a, b) {
        case (.whole(let a), .whole(let b)): a < b
        case (.real(let a), .real(let b)): a < b
        case (.whole(let a), .real(let b)): isLess(a, than: b)
        case (.real(let a), .whole(let b)): isLess(a, than: b)
        }
    }

    static func isLess<A: BinaryInteger, B: BinaryFloatingPoint>(_ a: A, than b: B) -> Bool {
        A(exactly: b.rounded(.up)).map { a < $0 } ?? (b > 0)
    }

    static func isLess<A: BinaryFloatingPoint, B: BinaryInteger>(_ a: A, than b: B) -> Bool {
        B(exactly: a.rounded(.down)).map { $0 < b } ?? (a < 0)
    }
}
