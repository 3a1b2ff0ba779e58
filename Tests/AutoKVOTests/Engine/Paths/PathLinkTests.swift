import AutoKVOTestSupport
import Testing

@testable import AutoKVO

/// Links of paths.
struct PathLinkTests {
    private let node = EngineNode()

    private func links(_ node: EngineNode, _ key: String) -> [PathLink] {
        guard let record = node.record, let slot = record.schema?.slot(of: key) else { return [] }
        return record.lock.withLock {
            var links: [PathLink] = []
            record.list(slot)?.value.forEachLink { links.append($0) }
            return links
        }
    }

    @Test("a link knows whether it is the first, the end, or one with objects behind it") func kinds() throws {
        let observation = KeyValueObservation.unlinked([.old, .prior])
        let route = try node.route("next.next.value", .observation(observation))
        let links = (0..<3).map { PathLink(route, level: $0) }
        expectEqual(links.map(\.isFirst), [true, false, false])
        expectEqual(links.map(\.isFollowed), [true, true, false])
        expectEqual(links.map(\.isInner), [true, true, false])
        expectEqual(links.map(\.isLeaf), [false, false, true])
        #expect(links.allSatisfy { $0.route.needs == [.old, .prior] && !$0.isLinked && $0.route.derivedSlot == nil })
        #expect(observation.state == .active)
    }

    @Test("the end of a path that a key is derived from is inner: its change is a change of that key")
    func derivedKeys() throws {
        let leaf = PathLink(try node.route("next.value", .derivedKey(1)), level: 1)
        #expect(leaf.isInner && !leaf.isFollowed && leaf.route.needs == [])
        #expect(leaf.route.derivedSlot == 1 && leaf.route.root === node.record)
    }

    @Test("a path has one link in each object on its way, and none after its removal") func linkCounts() throws {
        let (a, b) = (EngineNode(), EngineNode())
        node.next = a
        let observation = try node.observe("next.value") { (_: Change<Any>) in }
        #expect(links(node, "next").count == 1 && links(a, "value").count == 1)
        node.next = b
        #expect(links(node, "next").count == 1 && links(a, "value").isEmpty && links(b, "value").count == 1)
        node.next = nil
        #expect(links(node, "next").count == 1 && links(b, "value").isEmpty)
        observation.remove()
        #expect(links(node, "next").isEmpty)
    }

    @Test("a cancelled link leaves its list and does not get in again") func cancelling() throws {
        let route = try node.route("next.value")
        let link = PathLink(route, level: 0, isMoved: false, record: route.root, slot: 1)
        _ = route.root.link(link)
        #expect(link.isLinked)
        #expect(links(node, "next").count == 1 && link.isLinked)
        _ = route.root.link(link)
        #expect(link.isLinked)
        expectEqual(links(node, "next").count, 1)
        link.cancel()
        #expect(links(node, "next").isEmpty && !link.isLinked)
        _ = route.root.link(link)
        #expect(!link.isLinked)
        #expect(links(node, "next").isEmpty)
    }

    @Test("moved links are counted") func moves() throws {
        let route = try node.route("next.value")
        let before = PathLink.moves
        PathLink(route, level: 0, isMoved: true).noteMove()
        #expect(PathLink.moves > before)
    }

    @Test("routes are numbered in the order in which they were made; a copy has the path, and a number of its own")
    func routes() throws {
        let first = try node.route("next.value")
        let second = Route(first.path, root: first.root, sink: .nobody, isOneOfSeveral: true)
        let copy = second.copy(for: .derivedKey(0))
        #expect(first.sequence < second.sequence && second.sequence < copy.sequence)
        #expect(copy.path === second.path && copy.root === second.root && copy.isOneOfSeveral)
        #expect(second.isDeactivated && !copy.isDeactivated)
    }

    @Test("the route of one key has no links, and a part of its observation") func parts() throws {
        let observation = KeyValueObservation.unlinked()
        let route = try node.route("value", .observation(observation))
        #expect(route.slot == 0 && route.isHeard)
        route.start()
        route.start()
        let list = try #require(route.keyList)
        #expect(list.value.count == 1 && list.value.hasParts)
        let first = list.value.firstLinked()
        let part = try #require(first)
        #expect(part.flags.contains(.part) && part.details?.partRoute === route)
        route.end()
        #expect(!route.isHeard && list.value.count == 0 && part.state == .ended)
        route.start()
        #expect(list.value.count == 0 && !list.value.hasParts)
    }
}
