/// One step of a run: a kind and three numbers, which mean what the state at that time makes of them. Any step may be
/// left out and the rest still makes sense, so a failing run can be shortened; and any four bytes are a step.
public struct ModelStep: Sendable, CustomStringConvertible {
    public var kind, a, b, c: UInt8

    public init(_ kind: UInt8, _ a: UInt8, _ b: UInt8, _ c: UInt8) {
        (self.kind, self.a, self.b, self.c) = (kind, a, b, c)
    }

    public init(using random: inout some RandomNumberGenerator) {
        let bits = random.next()
        self.init(
            UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8),
            UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 24))
    }

    public var description: String { "ModelStep(\(kind), \(a), \(b), \(c))" }
}

/// What steps are done to: objects, and what is known of them.
public protocol SteppedWorld {
    /// What each step did, in words, if it is kept.
    var log: [String] { get }

    /// Does a step. Returns what is wrong after it, or nil.
    func perform(_ step: ModelStep) -> String?

    /// Lets go of everything. Returns what is left of it, or nil.
    func finish() -> String?
}
