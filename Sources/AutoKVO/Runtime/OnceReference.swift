import Synchronization

/// A reference that is set once, by whichever thread comes first, and then read by all without counting it. It retains what it refers to
/// until what it is part of is freed.
struct OnceReference<Object: AnyObject>: ~Copyable {
    private let address = Atomic<UInt>(0)

    deinit { load()?.release() }

    @inline(__always)
    borrowing func load() -> Borrowed<Object>? { Borrowed(bitPattern: address.load(ordering: .acquiring)) }

    /// Sets it, unless it is set.
    ///
    /// - Returns: What it refers to from now on.
    borrowing func setIfNil(_ object: Object) -> Borrowed<Object> {
        let mine = Borrowed.retaining(object)
        let (isSet, before) = address.compareExchange(
            expected: 0, desired: UInt(bitPattern: mine.address), ordering: .acquiringAndReleasing)
        if isSet { return mine }
        mine.release()
        return .at(UnsafeRawPointer(bitPattern: before)!)
    }
}
