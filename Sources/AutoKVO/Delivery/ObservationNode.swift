/// A place in the observer list of one property of one object. Not for use outside the library: the public class
/// `KeyValueObservation` is a node itself, so that an ordinary observation is one allocation.
///
/// Everything here is guarded by the lock of `record`.
public class ObservationNode {
    /// The object whose list this is; nil for an observation that only groups others.
    final let record: ObjectRecord?
    /// The property, as the index of its key in the schema of the object's class.
    final let slot: Int32
    /// Walks that have this node in their hands. While it is not zero the node stays linked, so that they find on.
    @exclusivity(unchecked) final var holds: Int32 = 0
    @exclusivity(unchecked) final var next: Unmanaged<ObservationNode>?
    @exclusivity(unchecked) final var previous: Unmanaged<ObservationNode>?
    /// Place in the order of registration. A walk does not go beyond what was the last when it began.
    @exclusivity(unchecked) final var sequence: UInt64 = 0
    @exclusivity(unchecked) final var membership = Membership.none
    /// It must not be linked (again).
    @exclusivity(unchecked) final var isCancelled = false
    final let kind: Kind

    enum Kind: UInt8 {
        /// A `KeyValueObservation` of this very property.
        case observation
        /// A `PathLink`: the property is one component of a path.
        case link
    }

    enum Membership: UInt8 {
        case none
        case linked
        /// Taken out, but still linked because a walk holds it.
        case leaving
        /// Taken out for good.
        case left
    }

    init(record: ObjectRecord?, slot: Int, kind: Kind) {
        self.record = record
        self.slot = Int32(slot)
        self.kind = kind
    }

    /// What this node makes a change of its property do. Constant while the node is in a list.
    var needs: ObserverList.Needs { preconditionFailure("A node is an observation or a link.") }

    /// The object whose list the node is in is being deinitialized. The node leaves the list.
    func targetDidDie() { preconditionFailure("A node is an observation or a link.") }
}
