/// The routes of an observation, in the order of its targets and paths.
///
/// Of many targets that die one after the other each costs the same: a route knows its index and leaves its slot empty, and
/// the slots are closed up when half of them are. Guarded, with the routes' `index`, by the lock of the observation's unmanagedRecord.
struct RouteList {
    private var slots: [Route?]
    private var count: Int
    /// The routes before it are of objects whose deinit has begun: they stay dead, so nobody need look at them again.
    private var firstAlive = 0

    init(_ routes: [Route]) {
        slots = routes
        count = routes.count
        number()
    }

    private func number() {
        for (index, route) in slots.enumerated() { route?.index = index }
    }

    var all: [Route] { count == slots.count ? slots.map { $0! } : slots.compactMap { $0 } }

    /// Takes a route out, if it is in. The caller has a reference to it of its own, so none is freed here, under the lock.
    ///
    /// - Complexity: O(1) on average.
    mutating func remove(_ route: Route) {
        guard slots.indices.contains(route.index), slots[route.index] === route else { return }
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
