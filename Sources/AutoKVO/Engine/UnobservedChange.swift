internal import CSwiftRuntime

/// A change that was announced by hand while the object had no observer. Observers that are added before it ends are not
/// notified of it.
final class UnobservedChange {
    private let address: UnsafeRawPointer
    private let slot: Int

    /// Pins the object, so that no other object gets its address if it dies before its change ends.
    init(of address: UnsafeRawPointer, _ slot: Int) {
        self.address = address
        self.slot = slot
        csr_pin(address)
    }

    deinit {
        csr_unpin(address)
    }

    func isOf(_ address: UnsafeRawPointer, _ slot: Int) -> Bool {
        self.address == address && self.slot == slot
    }
}

extension ThreadContext {
    mutating func beginUnobserved(_ address: UnsafeRawPointer, _ slot: Int) {
        unobservedChanges.append(UnobservedChange(of: address, slot))
    }

    /// False if no such change had begun.
    mutating func endUnobserved(_ address: UnsafeRawPointer, _ slot: Int) -> Bool {
        guard let index = unobservedChanges.lastIndex(where: { $0.isOf(address, slot) }) else { return false }
        unobservedChanges.remove(at: index)
        return true
    }

    func isInUnobserved(_ address: UnsafeRawPointer, _ slot: Int) -> Bool {
        unobservedChanges.contains { $0.isOf(address, slot) }
    }
}
