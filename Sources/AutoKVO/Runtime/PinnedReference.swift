/// A pinned object that is unpinned when the last reference to this is gone.
package final class PinnedReference<Object: AnyObject>: Sendable {
    private let pin: PinnedObject

    package init(_ object: Object) { pin = PinnedObject(object) }

    deinit { pin.unpin() }

    /// The object, or nil if its deinit has begun.
    package var object: Object? { pin.object(as: Object.self) }

    /// The object's address, which no other object has meanwhile.
    var address: UnsafeRawPointer { pin.address }

    /// Whether the object's deinit has begun.
    package var isDeinitializing: Bool { pin.isDeinitializing }

    /// Whether this is the reference to an object. True of no other object, as long as the reference exists.
    package func isReference(to other: AnyObject) -> Bool { pin.address == Borrowed.to(other).rawAddress }
}
