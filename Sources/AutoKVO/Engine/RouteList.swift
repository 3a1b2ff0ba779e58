/// The routes of an observation, in the order of its targets and paths.
///
/// Removing one of *n* routes costs O(1) on average, so that many targets may die one after the other: a route stores its index,
/// removing it leaves an empty slot, and the array is made again when half of the slots are empty. The lock of the observation's
/// record guards the list and the routes' `index`.
struct RouteList {
    /// The first slot, which is the only one of most, and the others.
    private var first: Route?
    private var others: [Route?] = []
    private var count: Int
    /// The objects of all routes before this index are dead, and stay dead, so they are not checked again.
    private var firstAlive = 0

    init(_ first: Route? = nil) {
        self.first = first
        count = first == nil ? 0 : 1
        first?.index = 0
    }

    init(_ routes: [Route]) {
        self.init(routes.first)
        // Not converted as a whole, which would cast each of them.
        others = routes.dropFirst().map { $0 }
        count = routes.count
        for (index, route) in routes.enumerated() { route.index = index }
    }

    private subscript(slot: Int) -> Route? {
        get { slot == 0 ? first : others[slot - 1] }
        set { if slot == 0 { first = newValue } else { others[slot - 1] = newValue } }
    }

    @inline(__always)
    func forEach(_ body: (Route) -> Void) {
        if let first { body(first) }
        for route in others { if let route { body(route) } }
    }

    @inline(__always)
    func contains(where condition: (Route) -> Bool) -> Bool {
        if let first, condition(first) { return true }
        return others.contains { $0.map(condition) ?? false }
    }

    var all: [Route] { ([first] + others).compactMap { $0 } }

    /// Their paths.
    var paths: TinyArray<ParsedKeyPath> {
        var paths = TinyArray<ParsedKeyPath>()
        forEach { paths.append($0.path) }
        return paths
    }

    /// Takes a route out. No effect if it is not in the list. The caller has a reference to it, so none is freed here, under the
    /// lock.
    ///
    /// - Complexity: O(1) on average.
    mutating func remove(_ route: Route) {
        guard route.index <= others.count, self[route.index] === route else { return }
        self[route.index] = nil
        count -= 1
        if count < (others.count + 1) / 2 { self = RouteList(all) }
    }

    /// Whether the deinit of every target has begun.
    ///
    /// - Complexity: O(1) on average, over the life of the list.
    mutating func areAllDead() -> Bool {
        while firstAlive <= others.count, self[firstAlive]?.root.isDeinitializing ?? true { firstAlive += 1 }
        return firstAlive > others.count
    }
}
