internal import CSwiftRuntime

/// A reference that keeps the memory of an object but not the object, and may be asked for it from any thread.
///
/// See `ObjectRecord` for why it is not `weak`.
package final class PinnedReference<Object: AnyObject>: @unchecked Sendable {
    // The address is constant, and the runtime's attempt to retain what is behind it is safe from any thread.

    private let address: UnsafeRawPointer

    package init(_ object: Object) {
        address = UnsafeRawPointer(Borrowed.to(object).address)
        csr_pin(address)
    }

    deinit {
        csr_unpin(address)
    }

    /// The object, or nil if its deinit has begun.
    package var object: Object? {
        csr_try_retain(address) ? Borrowed<Object>.at(address).take() : nil
    }

    /// Whether this is the reference to an object. True of no other object, as long as the reference exists.
    package func isReference(to other: AnyObject) -> Bool {
        address == UnsafeRawPointer(Borrowed.to(other).address)
    }
}
