import Testing

@testable import AutoKVO

/// The routes of an observation.
struct RouteListTests {
    private func routes(_ nodes: [EngineNode]) throws -> [Route] { try nodes.map { try $0.route("value") } }

    private func isSame(_ list: RouteList, _ routes: [Route]) -> Bool {
        list.all.elementsEqual(routes, by: ===)
    }

    private func expectAllDead(
        _ list: inout RouteList, _ expected: Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let areAllDead = list.areAllDead()
        expectEqual(areAllDead, expected, sourceLocation: sourceLocation)
    }

    @Test("one that has ended, of what a function reads, is not started any more") func startedLate() {
        let node = EngineNode()
        let observation = node.observe(reading: { $0.value }) { _, _ in }
        let route = observation.routes![0]
        observation.remove()
        route.start()
        #expect(node.record!.guarded.details?.functionRoutes.isEmpty ?? true)
        #expect(!route.expression!.readsNothing() && route.expression!.sources.isEmpty)
    }

    @Test("each route knows its index") func indexes() throws {
        let routes = try routes((0..<4).map { _ in EngineNode() })
        let list = RouteList(routes)
        expectEqual(routes.map(\.index), [0, 1, 2, 3])
        #expect(isSame(list, routes))
    }

    @Test("removal leaves the others in order, and has no effect the second time", arguments: 0..<4)
    func removal(index: Int) throws {
        var routes = try routes((0..<4).map { _ in EngineNode() })
        var list = RouteList(routes)
        let removed = routes.remove(at: index)
        list.remove(removed)
        #expect(isSame(list, routes))
        list.remove(removed)
        #expect(isSame(list, routes))
        list.remove(try EngineNode().route("value"))
        #expect(isSame(list, routes))
    }

    @Test("the slots are closed up when fewer than half of the routes are left") func closingUp() throws {
        var routes = try routes((0..<8).map { _ in EngineNode() })
        var list = RouteList(routes)
        for _ in 0..<4 { list.remove(routes.removeFirst()) }
        expectEqual(routes.map(\.index), [4, 5, 6, 7])
        list.remove(routes.removeFirst())
        expectEqual(routes.map(\.index), [0, 1, 2])
        #expect(isSame(list, routes))
        while !routes.isEmpty {
            list.remove(routes.removeLast())
            #expect(isSame(list, routes))
        }
    }

    @Test("all targets are dead when each is, in any order, and those whose routes were removed do not count")
    func deadTargets() throws {
        var nodes: [EngineNode?] = (0..<4).map { _ in EngineNode() }
        let routes = try routes(nodes.map { $0! })
        var list = RouteList(routes)
        for index in [2, 0] {
            nodes[index] = nil
            expectAllDead(&list, false)
        }
        list.remove(routes[1])
        expectAllDead(&list, false)
        nodes[3] = nil
        expectAllDead(&list, true)
        expectEqual(Array(list.all).count, 3)
    }

    @Test("an empty list has no target alive") func empty() {
        var list = RouteList([])
        expectAllDead(&list, true)
    }
}
