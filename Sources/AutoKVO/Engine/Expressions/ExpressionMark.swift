import Synchronization

/// What has to be done before the kept value is used, and how often that was said: who finds all sources unchanged clears the mark
/// only if nobody has marked it meanwhile.
struct ExpressionMark: AtomicRepresentable, Equatable {
    typealias AtomicRepresentation = UInt.AtomicRepresentation
    private var word: UInt

    enum Kind: UInt { case clean, check, dirty }

    init(_ kind: Kind, after other: ExpressionMark? = nil) {
        word = (other.map { ($0.word >> 2) &+ 1 } ?? 0) << 2 | kind.rawValue
    }

    var kind: Kind { Kind(rawValue: word & 3)! }

    static func encodeAtomicRepresentation(_ value: consuming ExpressionMark) -> AtomicRepresentation {
        UInt.encodeAtomicRepresentation(value.word)
    }
    static func decodeAtomicRepresentation(_ value: consuming AtomicRepresentation) -> ExpressionMark {
        var mark = ExpressionMark(.clean)
        mark.word = UInt.decodeAtomicRepresentation(value)
        return mark
    }
}
