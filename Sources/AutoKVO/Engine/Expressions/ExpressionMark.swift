import Synchronization

/// What has to be done before the kept value is used; how often that was said since it was clean; and how often it has become clean. Who
/// finds all sources unchanged clears the mark only if nobody has marked it meanwhile.
struct ExpressionMark: AtomicRepresentable, Equatable {
    typealias AtomicRepresentation = UInt64.AtomicRepresentation
    private var word: UInt64

    enum Kind: UInt64 { case clean, check, dirty }

    @inline(__always)
    init(_ kind: Kind, after other: ExpressionMark? = nil) {
        let former = other?.word ?? 0
        word = kind == .clean ? (former >> 33 &+ 1) << 33 : (former & ~3) &+ 4 | kind.rawValue
    }

    var kind: Kind { Kind(rawValue: word & 3)! }
    /// How often it has become clean, if it is marked now.
    var cleanings: UInt64? { kind == .clean ? nil : word >> 33 }

    static func encodeAtomicRepresentation(_ value: consuming ExpressionMark) -> AtomicRepresentation {
        UInt64.encodeAtomicRepresentation(value.word)
    }
    static func decodeAtomicRepresentation(_ value: consuming AtomicRepresentation) -> ExpressionMark {
        var mark = ExpressionMark(.clean)
        mark.word = UInt64.decodeAtomicRepresentation(value)
        return mark
    }
}
