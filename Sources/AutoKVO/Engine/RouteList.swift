/// The routes of an observation, in the order of its targets and paths.
///
/// Removing one of *n* routes costs O(1) on average, so that many targets may die one after the other: a route stores its index,
/// removing it leaves an empty slot, and the array is made again when half of the slots are empty. The lock of the observation's
/// record guards the list and the routes' `index`.
struct RouteList {
    private var slots: [Route?]
    private(set) var count: Int
    /// The objects of all routes before this index are dead, and stay dead, so they are not checked again.
    private var firstAlive = 0

    /// - Parameter routes: None is nil. They are optionals so that the array is kept as it is, and not copied.
    init(_ routes: [Route?] = []) {
        slots = routes
        count = routes.count
        for (index, route) in routes.enumerated() { route!.index = index }
    }

    var all: [Route] { slots.compactMap { $0 } }
    var paths: [ParsedKeyPath] { slots.compactMap { $0?.path } }

    /// Calls a function with each route, without an array of them.
    @inline(__always)
    func forEach(_ body: (Route) -> Void) { for route in slots { if let route { body(route) } } }

    @inline(__always)
    func contains(where condition: (Route) -> Bool) -> Bool { slots.contains { $0.map(condition) ?? false } }

    /// Whether a route is in the list. O(1).
    func contains(_ route: Route) -> Bool { route.index < slots.count && slots[route.index] === route }

    /// Takes a route out. No effect if it is not in the list. The caller has a reference to it, so none is freed here, under the
    /// lock.
    ///
    /// - Complexity: O(1) on average.
    mutating func remove(_ route: Route) {
        guard contains(route) else { return }
        slots[route.index] = nil
        while slots.last.map({ $0 == nil }) ?? false { slots.removeLast() }
        count -= 1
        if count < slots.count / 2 { self = RouteList(all) }
    }

    /// Whether there are others than those for which a condition is true.
    ///
    /// - Parameter alive: Whether only those count whose targets are alive.
    mutating func hasOthers(than isOne: (Route) -> Bool, alive: Bool) -> Bool {
        // From the end, where a slot is never empty.
        if !alive { return slots.reversed().contains { $0.map { !isOne($0) } ?? false } }
        if areAllDead() { return false }
        return slots[firstAlive...].contains { $0.map { !isOne($0) && !$0.root.isDeinitializing } ?? false }
    }

    /// Whether the deinit of every target has begun.
    ///
    /// - Complexity: O(1) on average, over the life of the list.
    mutating func areAllDead() -> Bool {
        while firstAlive < slots.count, slots[firstAlive]?.root.isDeinitializing ?? true { firstAlive += 1 }
        return firstAlive >= slots.count
    }
}
