internal import CSwiftRuntime

/// The reference counts of an object at a moment when there is one reference to it, to see later whether there are others.
///
/// **Assumption** `referenceCountWord`: the word changes with each reference that comes, and is the same again when all of them
/// are gone. Nothing else is read from it.
struct ReferenceCount {
    private let word: UInt64
    /// All ones where the word says nothing: what is kept is then equal to no word, and the runtime is asked each time. Set
    /// before the first record is made.
    nonisolated(unsafe) static var mask: UInt64 = 0

    @inline(__always)
    init(ofSole object: Borrowed<some AnyObject>) { word = csr_count_word(object.address) ^ Self.mask }

    /// Whether there may be other references to the object now. If so, `isShared` says whether there are.
    @inline(__always)
    func mayBeExceeded(by object: Borrowed<some AnyObject>) -> Bool { csr_count_word(object.address) != word }

    /// Whether there are other references to an object than this one, which is counted.
    static func isShared(_ object: Borrowed<some AnyObject>) -> Bool {
        if mask == 0 { return true }
        var object = object.take()
        defer { _ = Borrowed.retaining(object) }
        return !isKnownUniquelyReferenced(&object)
    }

    // Not optimized: nothing else than the count needs the second reference.
    @_optimize(none)
    static func probe() -> Bool {
        let object = Borrowed<AnyObject>.retaining(RuntimeProbe.make())
        defer { object.release() }
        let before = csr_count_word(object.address)
        let shared = withExtendedLifetime([object.object]) { csr_count_word(object.address) }
        return shared != before && csr_count_word(object.address) == before
    }
}
