import Synchronization

/// A reference that is set once, by whichever thread comes first, and then read by all without counting it. What it refers to is
/// never freed.
struct OnceReference<Object: AnyObject>: ~Copyable {
    private let reference = Atomic<Unmanaged<Object>?>(nil)

    @inline(__always)
    borrowing func load() -> Borrowed<Object>? { reference.load(ordering: .acquiring).map { Borrowed($0) } }

    /// Sets it, unless it is set.
    ///
    /// - Returns: What it refers to from now on.
    borrowing func setIfNil(_ object: Object) -> Borrowed<Object> {
        let mine = Borrowed.retaining(object)
        let (_, before) = reference.compareExchange(
            expected: nil, desired: mine.unmanaged, ordering: .acquiringAndReleasing)
        guard let before else { return mine }
        mine.release()
        return Borrowed(before)
    }
}
