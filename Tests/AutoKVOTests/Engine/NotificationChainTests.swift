import Testing

@testable import AutoKVO

@Suite("The notifications of one change") struct NotificationChainTests {
    private let notifications = (0..<3).map { _ in PendingNotification() }

    private func chain(_ count: Int) -> NotificationChain {
        var chain = NotificationChain()
        for notification in notifications.prefix(count) { chain.append(.to(notification)) }
        return chain
    }

    private func isSame(_ chain: NotificationChain, _ expected: [PendingNotification]) -> Bool {
        var found: [PendingNotification] = []
        chain.forEach { found.append($0) }
        return found.elementsEqual(expected, by: ===)
    }

    @Test("notifications are in the order in which they were appended", arguments: 0...3) func order(count: Int) {
        let chain = chain(count)
        #expect(isSame(chain, Array(notifications.prefix(count))))
        #expect(chain.first == notifications.prefix(count).first.map { .to($0) })
        #expect(chain.last == notifications.prefix(count).last.map { .to($0) })
    }

    @Test("a chain of one is single, a longer one is not") func single() {
        #expect(chain(1).isSingle)
        #expect(!chain(2).isSingle)
        #expect(!chain(3).isSingle)
    }

    @Test("an appended notification forgets what followed it in another chain") func reuse() {
        _ = chain(3)
        var other = NotificationChain()
        other.append(.to(notifications[1]))
        #expect(isSame(other, [notifications[1]]))
        other.append(.to(notifications[0]))
        #expect(isSame(other, [notifications[1], notifications[0]]))
    }

    @Test("what a traversal appends is traversed too") func appendingDuringTraversal() {
        final class Box { var chain = NotificationChain() }
        let box = Box()
        box.chain.append(.to(notifications[0]))
        let start = box.chain
        var found: [PendingNotification] = []
        start.forEach { notification in
            found.append(notification)
            if found.count < 3 { box.chain.append(.to(notifications[found.count])) }
        }
        #expect(found.map(ObjectIdentifier.init) == notifications.map(ObjectIdentifier.init))
    }

    @Test("the first that meets a condition is found") func firstWhere() {
        let chain = chain(3)
        notifications[1].slot = 7
        notifications[2].slot = 7
        #expect(chain.first { $0.slot == 7 } == .to(notifications[1]))
        #expect(chain.first { $0.slot == 8 } == nil)
    }
}
