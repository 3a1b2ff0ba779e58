import Synchronization

/// A declared key or handler with its class erased. Immutable once its class's schema is made, and immortal from then on.
@usableFromInline class Declaration: @unchecked Sendable {
    final let name: String
    /// The class whose schema declares it.
    final let owner: AnyClass
    /// Whether its closure may be called on the main actor only.
    final let isOnMainActor = Atomic(false)

    init(name: String, owner: AnyClass) { (self.name, self.owner) = (name, owner) }

    /// Whether its closure may be called here.
    final var isCallable: Bool { !isOnMainActor.load(ordering: .relaxed) || MainActor.shared.isCurrent }
}
