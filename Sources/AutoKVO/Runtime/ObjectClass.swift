/// The class of an object whose memory is pinned, which may be dead.
///
/// **Assumption** (Swift 6.3.1): the first word of an object is its class, and stays so after its deinit. The probe compares
/// it with the class of a live object, the first time that it is asked.
enum ObjectClass {
    static func ofObject(at address: UnsafeRawPointer) -> AnyClass {
        _ = probe
        return read(address)
    }

    private final class Probe {}

    private static let probe: Void = {
        let object = Probe()
        requireUsage(
            address(of: read(Borrowed.to(object).address)) == address(of: Probe.self),
            "AutoKVO needs the first word of an object to be its class, as in Swift 6.3.1.")
    }()

    // As an address, since what is no class could not even be compared.
    private static func address(of type: AnyClass) -> UInt { unsafeBitCast(type, to: UInt.self) }

    private static func read(_ address: UnsafeRawPointer) -> AnyClass {
        unsafeBitCast(address.load(as: UInt.self), to: AnyClass.self)
    }
}
