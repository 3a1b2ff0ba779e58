import AutoKVO
import AutoKVOTestSupport
import Testing

/// Derived values that read keys by name which are `affectedBy` paths with derived values on the way. Such a value may be computed while a change
/// is open, and then what it depends on changes.
struct AffectedByHeadTests {
    private final class Node: TrackedObject {
        @Observed var y = 0
        @Observed var next: Node?
        @Derived({ (node: Node) -> Node? in node.next }) var derived: Node?
        @Derived({ (node: Node) -> [Node] in node.next.map { [$0] } ?? [] }) var list: [Node]
        var computed: Node? { next }
        private(set) var makings = 0
        var made: Node {
            makings += 1
            return Node()
        }
        var ofMade: Int { makings }
        var ofNext: Int { next?.y ?? -1 }
        var ofDerived: Int { derived?.y ?? -1 }
        var ofComputed: Int { computed?.y ?? -1 }
        var ofList: Int { list.reduce(0) { $0 + $1.y } }
        var ofOfDerived: Int { ofDerived * 10 }
        @Derived({ (node: Node) in node.named("ofNext") }) var readsNext: Int
        @Derived({ (node: Node) in node.named("ofDerived") }) var readsDerived: Int
        @Derived({ (node: Node) in node.named("ofComputed") }) var readsComputed: Int
        @Derived({ (node: Node) in node.named("ofList") }) var readsList: Int
        @Derived({ (node: Node) in node.named("ofOfDerived") }) var readsOfDerived: Int

        func named(_ key: String) -> Int { (try! value(forKey: key)) as! Int }

        override class var schema: Schema {
            Schema(Node.self, extending: super.schema) {
                Key("computed", \.computed)
                Key("ofNext", \.ofNext, affectedBy: "next.y")
                Key("ofDerived", \.ofDerived, affectedBy: "derived.y")
                Key("ofComputed", \.ofComputed, affectedBy: "computed.y")
                Key("ofList", \.ofList, affectedBy: "list.@sum.y")
                Key("ofOfDerived", \.ofOfDerived, affectedBy: "ofDerived")
                Key("made", \.made, affectedBy: "next.next")
                Key("ofMade", \.ofMade, affectedBy: "made.y")
            }
        }
    }

    enum Frame: CaseIterable { case coalescing, mutation, handler, two, prior }

    @Test("a getter on the way that returns a new object at each call does not repeat the call of the observer")
    func anotherObjectEachTime() throws {
        let (node, calls) = (Node(), Counter())
        node.next = Node()
        try node.observe("ofMade") { _ in calls.add() }
        let known = node.makings
        node.next!.next = Node()
        expectEqual(calls.count, 1)
        #expect(node.makings - known < 20, "made \(node.makings - known) objects")
    }

    @Test(
        "are never outdated, and told as they are", arguments: ["Next", "Derived", "Computed", "List", "OfDerived"],
        Frame.allCases)
    func current(key: String, frame: Frame) throws {
        for isKeyObserved in [false, true] {
            let (node, next) = (Node(), Node())
            let readsKey = "reads\(key)"
            func expectCurrent(_ sourceLocation: SourceLocation = #_sourceLocation) {
                expectEqual(node.named(readsKey), node.named("of\(key)"), sourceLocation: sourceLocation)
            }
            if isKeyObserved { try node.observe("of\(key)") { _ in } }
            try node.observe(readsKey, options: [.old, .new]) { [unowned node] change in
                expectEqual(change.newValue as? Int, node.named("of\(key)"))
            }
            func change() {
                node.next = next
                expectCurrent()
                next.y += 1
                expectCurrent()
                next.y += 1
                expectCurrent()
            }
            switch frame {
            case .coalescing: coalescingChanges { change() }
            case .mutation: node.withMutation(of: "next") { change() }
            case .handler:
                let observation = node.$y.observe { _ in change() }
                node.y = 1
                observation.remove()
            case .two:
                node.willChangeValue(forKey: "next")
                next.willChangeValue(forKey: "y")
                change()
                node.didChangeValue(forKey: "next")
                expectCurrent()
                next.didChangeValue(forKey: "y")
            case .prior:
                let observation = node.$next.observe(options: .prior) { _ in next.y += 1 }
                node.next = next
                observation.remove()
            }
            expectCurrent()
            next.y += 1
            expectCurrent()
        }
    }

    private final class Twice: Model {
        @Observed var y = 0
        @Observed var next: Twice?
        @Observed var middle: Twice?
        @Derived({ (node: Twice) -> Twice? in node.middle }) var head: Twice?
        @Derived({ (node: Twice) -> [Twice] in node.next.map { [$0] } ?? [] }) var list: [Twice]
        var sum: Int { head?.list.reduce(0) { $0 + $1.y } ?? -1 }
        @Derived({ (node: Twice) in (try! node.value(forKey: "sum")) as! Int }) var readsSum: Int
        override class var schema: Schema {
            Schema(Twice.self, extending: super.schema) { Key("sum", \.sum, affectedBy: "head.list.@sum.y") }
        }
    }

    @Test("the elements behind two derived values are followed, too") func twoDerivedValues() throws {
        let (root, middle, last) = (Twice(), Twice(), Twice())
        root.middle = middle
        root.$readsSum.observe(options: [.old, .new]) { _ in }
        var found: [Int] = []
        coalescingChanges {
            middle.next = last
            found.append(root.readsSum)
            last.y += 1
            found.append(root.readsSum)
        }
        expectEqual(found, [0, 1])
    }
}
