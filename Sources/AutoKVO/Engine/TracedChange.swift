/// One change of an object that is traced, and who was called for it. See `Diagnostics.trace(_:file:line:_:)`.
public struct TracedChange {
    /// A call of a handler.
    public struct Call: Sendable, Hashable {
        /// The path as it was registered; of what a closure, or a key path that is no key, reads: the one key that it read, or empty.
        public let keyPath: String
        /// File and line of the registration.
        public let registeredAt: String
        /// How long the handler took, with all that it did: the changes that it made, and the handlers that were called for those.
        public let duration: Duration
        /// The record of the object at which the path begins.
        let target: ObjectIdentifier

        func isOf(_ change: TracedCalls.Change) -> Bool {
            target == change.target && (keyPath == change.key || keyPath.hasPrefix(change.key + "."))
        }
    }

    /// The key.
    public let key: String
    /// Whether the whole value was set, or a collection edited.
    public let kind: ChangeKind
    /// The value from before; of an edit the elements that left. Nil if there is none: an insertion, or a change that has no old value.
    public let oldValue: Any?
    /// The value from after; of an edit the elements that came. Nil for a removal.
    public let newValue: Any?
    /// The calls, in the order in which they ended: of observers of the key, of paths that begin with it, and, for the key that was
    /// written, of what is computed from it elsewhere. Not those made before the change (`.prior`), or at a registration. What `on:`
    /// sends elsewhere took as long as sending it.
    public let calls: [Call]
}
