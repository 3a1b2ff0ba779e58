/// The routes of an observation, in the order of its targets and paths.
///
/// Of many targets that die one after the other each costs the same: a route knows its place and leaves it empty, and
/// the places are closed up when half of them are. Guarded, with the routes' `place`, by the lock of the observation's unmanagedRecord.
struct RouteList {
    private var places: [Route?]
    private var count: Int
    /// The routes before it are of objects whose deinit has begun: they stay dead, so nobody need look at them again.
    private var firstAlive = 0

    init(_ routes: [Route]) {
        places = routes
        count = routes.count
        number()
    }

    private func number() {
        for (place, route) in places.enumerated() { route?.place = place }
    }

    var all: [Route] { count == places.count ? places.map { $0! } : places.compactMap { $0 } }

    /// Takes a route out, if it is in. The caller has a reference to it of its own, so none is freed here, under the lock.
    ///
    /// - Complexity: O(1) on average.
    mutating func remove(_ route: Route) {
        guard places.indices.contains(route.place), places[route.place] === route else { return }
        places[route.place] = nil
        count -= 1
        if count < places.count / 2 { self = RouteList(all) }
    }

    /// Whether the deinit of every target has begun.
    ///
    /// - Complexity: O(1) on average, over the life of the list.
    mutating func areAllDead() -> Bool {
        while firstAlive < places.count, places[firstAlive]?.root.isDeinitializing ?? true { firstAlive += 1 }
        return firstAlive == places.count
    }
}
