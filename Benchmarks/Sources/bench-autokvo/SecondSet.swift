// The second set: bindings(), access by name, paths, coalescing and operators. What is delivered elsewhere, and the first use of
// a class, have files of their own.

import AutoKVO
import BenchKit

/// One cell at each of the sizes.
func sized(
    _ workload: String, _ sizes: [Int], _ system: String = ByObserver.system, _ run: @escaping (Int, Int) -> [Line]
)
    -> [Cell]
{
    sizes.map { n in Cell(system: system, workload: workload, n: n) { samples in run(n, samples) } }
}

/// `n` bindings one after the other; the first object is set.
private func hops(_ n: Int, _ samples: Int, _ bind: (Node, Node) -> Void) -> [Line] {
    let nodes = (0...n).map { _ in Node() }
    for (source, follower) in zip(nodes, nodes.dropFirst()) { bind(follower, source) }
    var value = 0
    let result = sampled(samples, per: n) { count in
        for _ in 0..<count {
            value &+= 1
            set(nodes[0], value)
            check("bind-hop value of the last", nodes[n].a, equals: value)
        }
    }
    for node in nodes { check("bind-hop value", node.a, equals: value) }
    return [Line("bind-hop", "ns/hop", result)]
}

private func bindings() -> [Cell] {
    sized("bind-hop", Sizes.usual) { n, samples in
        hops(n, samples) { follower, source in try! follower.bind("a", to: "a", of: source) }
    }
        + sized("bind-hop", Sizes.usual, Typed.system) { n, samples in
            hops(n, samples) { follower, source in follower.$a.bind(to: source.$a) }
        }
}

private func coding() -> [Cell] {
    sized("value-key", Sizes.keys) { n, samples in
        let object = Keyed.with(n)
        object.value = 7
        let result = sampled(samples) { count in
            for _ in 0..<count { consume(try! object.value(forKey: "value")) }
        }
        check("value-key value", try! object.value(forKey: "value") as! Int, equals: 7)
        return [Line("value-key", "ns/read", result)]
    }
        + sized("set-key", Sizes.keys) { n, samples in
            let object = Keyed.with(n)
            var value = 0
            let result = sampled(samples) { count in
                for _ in 0..<count {
                    value &+= 1
                    try! object.setValue(value, forKey: "value")
                }
            }
            check("set-key value", object.value, equals: value)
            return [Line("set-key", "ns/write", result)]
        }
        + sized("value-path", Sizes.path) { n, samples in
            let nodes = Node.chain(n)
            nodes[n - 1].a = 7
            let path = Node.path(n)
            let result = sampled(samples) { count in
                for _ in 0..<count { consume(try! nodes[0].value(forKeyPath: path)) }
            }
            check("value-path value", try! nodes[0].value(forKeyPath: path) as! Int, equals: 7)
            return [Line("value-path", "ns/read", result)]
        }
}

private func pathObserving() -> [Cell] {
    sized("path-observe", Sizes.path) { n, samples in
        let nodes = Node.chain(n)
        let panel = Panel()
        let path = Node.path(n)
        func add() -> KeyValueObservation {
            try! nodes[0].addObserver(panel, forKeyPath: path, options: [.old, .new]) { panel, _ in panel.calls &+= 1 }
        }
        let result = sampled(samples) { count in
            for _ in 0..<count { add().remove() }
        }
        set(nodes[n - 1], 1)
        check("path-observe calls once removed", panel.calls, equals: 0)
        let observation = add()
        set(nodes[n - 1], 2)
        check("path-observe calls", panel.calls, equals: 1)
        observation.remove()
        consume(nodes)
        return [Line("path-observe", "ns/add and remove", result)]
    }
}

/// One observation is added and removed, `n - 1` others being there: by string, and in the forms that the compiler checks.
private func observing(_ workload: String, _ add: @escaping (Node, Tally) -> KeyValueObservation) -> [Cell] {
    sized(workload, Sizes.usual) { n, samples in
        let node = Node()
        let tally = Tally()
        let others = Tally()
        for _ in 1..<n { node.$a.observe { _ in others.calls &+= 1 } }
        let result = sampled(samples) { count in
            for _ in 0..<count { add(node, tally).remove() }
        }
        set(node, 1)
        check("\(workload) calls once removed", tally.calls, equals: 0)
        check("\(workload) calls of the others", others.calls, equals: n - 1)
        let observation = add(node, tally)
        set(node, 2)
        check("\(workload) calls", tally.calls, equals: 1)
        observation.remove()
        return [Line(workload, "ns/add and remove", result)]
    }
}

private func forms() -> [Cell] {
    observing("observe-string") { node, tally in try! node.observe("a") { _ in tally.calls &+= 1 } }
        + observing("observe-handle") { node, tally in node.$a.observe { _ in tally.calls &+= 1 } }
        + observing("observe-handle-path") { node, tally in node.observe(\.$a) { _, _ in tally.calls &+= 1 } }
        + observing("observe-key-path") { node, tally in node.observe(\.a) { _, _ in tally.calls &+= 1 } }
}

private func coalescing() -> [Cell] {
    sized("coalesce", Sizes.objects) { n, samples in
        let nodes = (0..<n).map { _ in Node() }
        let panel = Panel()
        for node in nodes {
            try! node.addObserver(panel, forKeyPath: "a", options: [.old, .new]) { panel, _ in panel.calls &+= 1 }
        }
        var value = 0
        var turns = 0
        let result = sampled(samples, per: 10 * n) { count in
            for _ in 0..<count {
                turns &+= 1
                coalescingChanges {
                    for _ in 0..<10 {
                        value &+= 1
                        for node in nodes { set(node, value) }
                    }
                }
            }
        }
        check("coalesce calls", panel.calls, equals: turns * n)
        return [Line("coalesce", "ns/set", result)]
    }
}

private func sums() -> [Cell] {
    sized("sum", Sizes.elements) { n, samples in
        let table = Node()
        table.rows = (0..<n).map { _ in Node() }
        let element = table.rows[n / 2]
        let panel = Panel()
        var last: Any?
        try! table.addObserver(panel, forKeyPath: "rows.@sum.a", options: [.new]) { panel, change in
            panel.calls &+= 1
            last = change.newValue
        }
        var value = 0
        let result = sampled(samples) { count in
            for _ in 0..<count {
                value &+= 1
                set(element, value)
            }
        }
        check("sum calls", panel.calls, equals: value)
        check("sum value", last as? Int ?? -1, equals: value)
        consume(table)
        return [Line("sum", "ns/set", result)]
    }
}

func secondSet() -> [Cell] {
    bindings() + coding() + pathObserving() + forms() + coalescing() + sums()
}
