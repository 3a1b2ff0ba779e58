import AutoKVO

/// All network interfaces.
final class Network: TrackedObject {
    @Observed var interfaces: [NetworkInterface] = []
    /// The interface, other than the loopback one, that has carried most; nil where there is none.
    @Observed var primary: NetworkInterface?
}
