/// The routes of an observation, in the order of its targets and paths.
///
/// Removing one of *n* routes costs O(1) on average, so that many targets may die one after the other: a route stores its index,
/// removing it leaves an empty slot, and the array is made again when half of the slots are empty. The lock of the observation's
/// record guards the list and the routes' `index`.
struct RouteList {
    private var slots: [Route?]
    private var count: Int
    /// The objects of all routes before this index are dead, and stay dead, so they are not checked again.
    private var firstAlive = 0

    init(_ routes: [Route] = []) {
        // Not converted as a whole, which would cast each of them.
        slots = routes.map { $0 }
        count = routes.count
        for (index, route) in routes.enumerated() { route.index = index }
    }

    var all: [Route] { slots.compactMap { $0 } }

    /// Takes a route out. No effect if it is not in the list. The caller has a reference to it, so none is freed here, under the
    /// lock.
    ///
    /// - Complexity: O(1) on average.
    mutating func remove(_ route: Route) {
        guard route.index < slots.count, slots[route.index] === route else { return }
        slots[route.index] = nil
        count -= 1
        if count < slots.count / 2 { self = RouteList(all) }
    }

    /// Whether the deinit of every target has begun.
    ///
    /// - Complexity: O(1) on average, over the life of the list.
    mutating func areAllDead() -> Bool {
        while firstAlive < slots.count, slots[firstAlive]?.root.isDeinitializing ?? true { firstAlive += 1 }
        return firstAlive == slots.count
    }
}
