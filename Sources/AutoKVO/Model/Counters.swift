import Synchronization

/// How many of the library's own objects are alive: for tests, which end with all of them at zero.
///
/// Kept in debug builds only; a release build compiles the counting away.
package enum Counters: Int {
    case records, observations, links, routes

    private static let counts = InlineArray<4, Atomic<Int>> { _ in Atomic(0) }

    package var count: Int { Self.counts[rawValue].load(ordering: .relaxed) }

    func add(_ difference: Int) {
        #if DEBUG
            Self.counts[rawValue].wrappingAdd(difference, ordering: .relaxed)
        #endif
    }
}
