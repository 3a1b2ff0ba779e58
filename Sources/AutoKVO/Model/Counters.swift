import Synchronization

/// How many of the library's own objects are alive: for tests, which end with all of them at zero.
///
/// Kept in debug builds only; a release build compiles the counting away.
package struct Counters {
    package static let records = Counters("records")
    package static let observations = Counters("observations")
    package static let links = Counters("links")
    package static let routes = Counters("routes")
    package static let contexts = Counters("contexts")

    package let name: String

    private init(_ name: String) { self.name = name }

    #if DEBUG
        private let cell = Cell()
        private final class Cell: Sendable { let count = Atomic<Int>(0) }

        package var count: Int { cell.count.load(ordering: .relaxed) }
        func add(_ one: Int) { cell.count.wrappingAdd(one, ordering: .relaxed) }
    #else
        package var count: Int { 0 }
        @inline(__always) func add(_ one: Int) {}
    #endif
}
