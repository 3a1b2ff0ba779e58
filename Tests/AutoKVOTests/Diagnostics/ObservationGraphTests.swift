import AutoKVOTestSupport
import Synchronization
import Testing

@testable import AutoKVO

private final class GraphNode: TrackedObject {
    @Observed var next: GraphNode?
    @Observed var name = ""

    override class var schema: Schema {
        Schema(GraphNode.self, extending: super.schema) {
            Key("next", \.next)
            Key("name", \.name)
        }
    }
}

private final class GraphReader {}

/// Other tests run at the same time and are in the graph, too: each test looks for its own objects.
struct ObservationGraphTests {
    private func address(_ object: AnyObject) -> UInt { UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()) }

    @Test("it has each live observation with both sides, the paths, the options and the place") func edges() throws {
        let node = GraphNode()
        let reader = GraphReader()
        try node.addObserver(reader, forKeyPath: ["name", "next.name"], options: [.old]) { _, _ in }
        try node.observe("name") { _ in }
        let graph = Diagnostics.graph()
        let mine = graph.observations.filter { $0.targets.contains(address(node)) }
        expectEqual(mine.count, 2)
        let withReader = try #require(mine.first { $0.observer == address(reader) })
        expectEqual(withReader.keyPaths, ["name", "next.name"])
        expectEqual(withReader.options, [.old])
        #expect(withReader.registeredAt.contains("ObservationGraphTests.swift:"))
        #expect(mine.contains { $0.observer == nil && $0.keyPaths == ["name"] })
        #expect(graph.objects.contains { $0.address == address(node) && $0.className == "GraphNode" && $0.isAlive })
        #expect(graph.objects.contains { $0.address == address(reader) && $0.className == "GraphReader" })
    }

    @Test("what has ended is not in it, and what observes nothing is not either") func ended() throws {
        let node = GraphNode()
        let observation = try node.observe("name") { _ in }
        observation.remove()
        let graph = Diagnostics.graph()
        #expect(!graph.objects.contains { $0.address == address(node) })
        #expect(!graph.observations.contains { $0.targets.contains(address(node)) })
    }

    @Test("many objects are all in it") func many() throws {
        let nodes = (0..<2_000).map { _ in GraphNode() }
        for node in nodes { try node.observe("name") { _ in } }
        let addresses = Set(Diagnostics.graph().objects.map(\.address))
        #expect(nodes.allSatisfy { addresses.contains(address($0)) })
    }

    @Test(
        "a manual observation that outlives its target is in it, with its paths",
        arguments: [["name"], ["name", "next.name"]])
    func survivor(paths: [String]) throws {
        let reader = GraphReader()
        var node: GraphNode? = GraphNode()
        let observation = try node!.addObserver(reader, forKeyPath: paths, options: .unregisterManually) { _, _ in }
        node = nil
        let edge = try #require(Diagnostics.graph().observations.first { $0.observer == address(reader) })
        expectEqual(edge.keyPaths, paths)
        expectEqual(edge.targets, [])
        observation.remove()
        #expect(!Diagnostics.graph().observations.contains { $0.observer == address(reader) })
    }

    /// The thread that takes the picture     The thread that owns the objects
    /// has an object in its hand
    ///                                       drops it: the object must die here and now
    /// lets go of it: not here and later
    @Test("objects die where they are dropped, also while it is taken") func keepsNothingAlive() throws {
        let isOver = Atomic(false)
        let pictures = Counter()
        let watcher = Thread {
            while !isOver.load(ordering: .relaxed) {
                _ = Diagnostics.graph()
                pictures.add()
            }
        }
        defer {
            isOver.store(true, ordering: .relaxed)
            watcher.join()
        }
        let tracker = LifetimeTracker()
        var rounds = 0
        while rounds < size(8_000) || pictures.count < 10 {
            rounds += 1
            do {
                let target = tracker.track(Person())
                let reader = PlainObserver(tracker)
                try target.addObserver(reader, forKeyPath: "age|spouse.age") { [token = tracker.token()] _, _ in
                    token.touch()
                }
                try target.observe("firstName", userInfo: tracker.token()) { _ in }
                let once = try target.observe("age", options: .once) { [token = tracker.token()] _ in token.touch() }
                target.age = rounds
                #expect(!once.isValid)
            }
            try #require(tracker.liveCount == 0, "in round \(rounds)")
        }
    }

    /// Observations that other tests register meanwhile are counted, too, which changes nothing for them.
    @Test("it says how often each handler was called, of what was registered while calls are counted") func calls()
        throws
    {
        #expect(!Diagnostics.countsCalls)
        let node = GraphNode()
        try node.observe("name") { _ in }
        Diagnostics.countsCalls = true
        defer { Diagnostics.countsCalls = false }
        let reader = GraphReader()
        let initial = try node.addObserver(reader, forKeyPath: "name", options: .initial) { _, _ in }
        let path = try node.observe("next.name|name", options: [.prior]) { _ in }
        let once = try node.observe("name", options: .once) { _ in }
        let distinct = node.observe(\.$name, options: .distinct) { _, _ in }
        let dependent = GraphNode()
        let depending = try dependent.depend(on: [Dependency(node, "name")]) { _ in }
        node.name = "Ann"
        node.name = "Ann"
        coalescingChanges {
            node.name = "Bea"
            node.name = "Eve"
        }
        node.next = GraphNode()
        func calls(_ observation: KeyValueObservation) -> Int? {
            Diagnostics.graph().observations.first { $0.registeredAt == observation.registrationSite }?.calls
        }
        #expect(Diagnostics.graph().observations.contains { $0.targets == [address(node)] && $0.calls == nil })
        expectEqual(calls(initial), 4)
        // Without the first call.
        expectEqual(calls(depending), 3)
        withExtendedLifetime(dependent) {}
        // Before and after two changes of the name and one of `next`, and once for what was coalesced.
        expectEqual(calls(path), 7)
        expectEqual(calls(distinct), 2)
        #expect(!once.isValid)
        try once.rearm()
        expectEqual(calls(once), 1)
        node.name = "Ida"
        try once.rearm()
        expectEqual(calls(once), 2)
        Diagnostics.countsCalls = false
        node.name = "Zoe"
        expectEqual(calls(initial), 6)
    }

    @Test("it says what each derived value that somebody needs has read") func derived() {
        final class Total: TrackedObject {
            @Observed var nodes: [GraphNode] = []
            @Derived({ (total: Total) in total.nodes.reduce("") { $0 + $1.name } }) var text: String
            @Derived({ (total: Total) in total.text.count + total.text.count }) var twice: Int
        }
        let (total, nodes) = (Total(), [GraphNode(), GraphNode()])
        total.nodes = nodes
        func values() -> [String: [String]] {
            let reads = Diagnostics.graph().reads.filter { $0.object == address(total) }
            return Dictionary(grouping: reads, by: \.key).mapValues { reads in
                reads.map { read in
                    let node = nodes.firstIndex { address($0) == read.sourceObject }
                    return node.map { "\(read.sourceKey) of \($0)" } ?? read.sourceKey
                }
            }
        }
        _ = total.twice
        #expect(values().isEmpty)
        let observation = total.$twice.observe { _ in }
        _ = total.twice
        expectEqual(values(), ["text": ["nodes", "name of 0", "name of 1"], "twice": ["text"]])
        total.nodes = [nodes[1]]
        _ = total.twice
        expectEqual(values()["text"], ["nodes", "name of 1"])
        observation.remove()
        #expect(values().isEmpty)
    }

    @Test("it has what closures observe, and what they have read") func closures() throws {
        final class Reader: KeyValueObserver {}
        let (node, other, reader) = (GraphNode(), GraphNode(), Reader())
        let readers: [AnyObject] = [node, reader]
        let observations = [
            node.observe(reading: { $0.name + other.name }) { _, _ in },
            reader.observe(reading: { _ in other.name }) { _, _ in },
        ]
        func edges(of object: AnyObject) -> [ObservationGraph.Edge] {
            Diagnostics.graph().observations.filter { $0.observer == address(object) }
        }
        func reads(_ object: AnyObject) -> [String] {
            let reads = Diagnostics.graph().reads.filter { $0.object == address(object) }
            return reads.map { "\($0.key)|\($0.sourceObject == address(other) ? "other" : "node").\($0.sourceKey)" }
        }
        expectEqual(readers.map { edges(of: $0).map(\.keyPaths) }, [[[]], [[]]])
        expectEqual(readers.map { edges(of: $0).map(\.targets) }, [[[]], [[]]])
        expectEqual(readers.map(reads), [["|node.name", "|other.name"], ["|other.name"]])
        #expect(Diagnostics.graph().mermaid.contains("a closure reads name"))
        expectEqual(
            observations.map { $0.debugDescription.contains("of what a closure reads on no target by ") }, [true, true])
        for observation in observations { observation.remove() }
        #expect(readers.allSatisfy { edges(of: $0).isEmpty && reads($0).isEmpty })
        let count = node.observe(\.name.count) { _, _ in }
        let edge = try #require(Diagnostics.graph().observations.first { $0.targets == [address(node)] })
        expectEqual(edge.keyPaths, [])
        expectEqual(reads(node), ["|node.name"])
        count.remove()
    }

    @Test("it says itself in Mermaid, Graphviz and JSON, whatever is in the names") func formats() throws {
        let graph = ObservationGraph(
            objects: [
                .init(address: 16, className: "Per\"son<#>", isAlive: true),
                .init(address: 32, className: "Panel\\", isAlive: false),
            ],
            observations: [
                .init(
                    targets: [16], observer: 32, keyPaths: ["a\"b", "c"], options: [.new], registeredAt: "x.swift:1",
                    calls: nil),
                .init(
                    targets: [16], observer: nil, keyPaths: ["d\n"], options: [], registeredAt: "y.swift:2", calls: 3),
            ],
            reads: [
                .init(object: 32, key: "sum", sourceObject: 16, sourceKey: "a\"b"),
                .init(object: 32, key: "sum", sourceObject: 32, sourceKey: "x"),
            ])
        expectEqual(
            graph.mermaid,
            """
            flowchart LR
                object_10["Per#quot;son#lt;#35;> 0x10"]
                object_20["Panel\\ 0x20 (dead)"]
                object_20 -->|"a#quot;b, c"| object_10
                closure1(("y.swift:2"))
                closure1 -->|"d "| object_10
                object_20 -.->|"sum reads a#quot;b"| object_10
                object_20 -.->|"sum reads x"| object_20

            """)
        expectEqual(
            graph.graphviz,
            #"""
            digraph observations {
                rankdir=LR;
                node [shape=box];
                object_10 [label="Per\"son<#> 0x10"];
                object_20 [label="Panel\\ 0x20 (dead)", style=dashed];
                object_20 -> object_10 [label="a\"b, c"];
                closure1 [shape=ellipse, label="y.swift:2"];
                closure1 -> object_10 [label="d "];
                object_20 -> object_10 [label="sum reads a\"b", style=dotted];
                object_20 -> object_20 [label="sum reads x", style=dotted];
            }

            """#)
        expectEqual(
            graph.json,
            #"""
            {
              "objects": [
                {"address": "0x10", "class": "Per\"son<#>", "alive": true},
                {"address": "0x20", "class": "Panel\\", "alive": false}
              ],
              "observations": [
                {"targets": ["0x10"], "observer": "0x20", "keyPaths": ["a\"b", "c"], "options": "[.new]", "registeredAt": "x.swift:1"},
                {"targets": ["0x10"], "observer": null, "keyPaths": ["d\u000a"], "options": "[]", "registeredAt": "y.swift:2", "calls": 3}
              ],
              "reads": [
                {"object": "0x20", "key": "sum", "sourceObject": "0x10", "sourceKey": "a\"b"},
                {"object": "0x20", "key": "sum", "sourceObject": "0x20", "sourceKey": "x"}
              ]
            }

            """#)
    }
}
