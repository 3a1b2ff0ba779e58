import Synchronization

/// What has to be done before the kept value is used; how often that was said since it was clean; and how often it has become clean. Who
/// finds all sources unchanged clears the mark only if nobody has marked it meanwhile.
struct ExpressionMark: RawRepresentable, AtomicRepresentable, Equatable {
    let rawValue: UInt64

    @inline(__always)
    init(rawValue: UInt64) { self.rawValue = rawValue }

    enum Kind: UInt64 { case clean, check, dirty }

    @inline(__always)
    init(_ kind: Kind, after other: ExpressionMark? = nil) {
        let former = other?.rawValue ?? 0
        rawValue = kind == .clean ? (former >> 33 &+ 1) << 33 : (former & ~3) &+ 4 | kind.rawValue
    }

    var kind: Kind { Kind(rawValue: rawValue & 3)! }
    /// How often it has become clean.
    var cleanings: UInt32 { UInt32(rawValue >> 33) }
}

extension Atomic where Value == ExpressionMark {
    /// - Returns: The mark from before.
    @inline(__always)
    func add(isCertain: Bool) -> ExpressionMark {
        while true {
            let former = load(ordering: .acquiring)
            if replace(former, by: isCertain || former.kind == .dirty ? .dirty : .check) { return former }
        }
    }

    /// False if it is another one by now. Who takes another thread's mark away sees what that had stored before it.
    @inline(__always)
    func replace(_ former: ExpressionMark, by kind: ExpressionMark.Kind) -> Bool {
        let new = ExpressionMark(kind, after: former)
        return compareExchange(expected: former, desired: new, ordering: .acquiringAndReleasing).exchanged
    }
}
