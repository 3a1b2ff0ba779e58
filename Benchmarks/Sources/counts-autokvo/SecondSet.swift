import AutoKVO
import FirstUse

/// The operations of the second set that take the same number of instructions each time.
func secondSet() -> [Operation] { hops() + coding() + forms() + elsewhere() + firstUses() }

/// A hundred bindings one after the other.
private func chain(_ bind: @escaping (_ follower: Node, _ source: Node) -> Void) -> (Int) -> () -> Void {
    { count in
        let nodes = (0...100).map { _ in Node() }
        kept += nodes as [AnyObject]
        for (source, follower) in zip(nodes, nodes.dropFirst()) { bind(follower, source) }
        return { for value in 1...count { set(nodes[0], value) } }
    }
}

private func hops() -> [Operation] {
    [
        Operation(name: "bind-hop", per: 100, prepare: chain { try! $0.bind("a", to: "a", of: $1) }),
        Operation(name: "bind-hop-handle", per: 100, prepare: chain { $0.$a.bind(to: $1.$a) }),
        Operation(name: "coalesced-set", per: 100) { count in
            let nodes = (0..<10).map { _ in Node() }
            let panel = Panel()
            kept.append(panel)
            for node in nodes { try! node.addObserver(panel, forKeyPath: "a", options: [.old, .new]) { _, _ in } }
            return {
                for _ in 0..<count {
                    coalescingChanges {
                        for value in 0..<10 { for node in nodes { set(node, value) } }
                    }
                }
            }
        },
        Operation(name: "sum-element", per: 1000) { count in
            let table = Node()
            let panel = Panel()
            kept += [table, panel]
            table.rows = (0..<1000).map { _ in Node() }
            let element = table.rows[500]
            try! table.addObserver(panel, forKeyPath: "rows.@sum.a", options: [.new]) { _, _ in }
            return { for value in 0..<count { set(element, value) } }
        },
    ]
}

private func coding() -> [Operation] {
    [
        Operation(name: "value-key") { count in
            let object = Keyed.with(20)
            return { for _ in 0..<count { _ = try! object.value(forKey: "value") } }
        },
        Operation(name: "set-key") { count in
            let object = Keyed.with(20)
            return { for value in 0..<count { try! object.setValue(value, forKey: "value") } }
        },
        Operation(name: "value-path") { count in
            let nodes = Node.chain(3)
            return { for _ in 0..<count { _ = try! nodes[0].value(forKeyPath: "next.next.a") } }
        },
        Operation(name: "path-observe-remove") { count in
            let nodes = Node.chain(3)
            let panel = Panel()
            return {
                for _ in 0..<count {
                    try! nodes[0].addObserver(panel, forKeyPath: "next.next.a", options: [.old, .new]) { _, _ in }
                        .remove()
                }
            }
        },
    ]
}

/// One observation added and removed in each form.
private func forms() -> [Operation] {
    func form(_ name: String, _ add: @escaping (Node) -> KeyValueObservation) -> Operation {
        Operation(name: name) { count in
            let node = Node()
            return { for _ in 0..<count { add(node).remove() } }
        }
    }
    return [
        form("observe-string") { try! $0.observe("a") { _ in } },
        form("observe-handle") { $0.$a.observe { _ in } },
        form("observe-handle-path") { $0.observe(\.$a) { _, _ in } },
        form("observe-key-path") { $0.observe(\.a) { _, _ in } },
    ]
}

/// Runs an operation at once, so that all is done on one thread.
private struct AtOnce: ChangeScheduler {
    func schedule(_ operation: @escaping @Sendable () -> Void) { operation() }
}

private func elsewhere() -> [Operation] {
    [
        Operation(name: "set-scheduled") { count in
            let node = Node()
            try! node.observe("a", as: Int.self, on: AtOnce()) { _ in }
            return { for value in 0..<count { set(node, value) } }
        },
        Operation(name: "set-stream") { count in
            let node = Node()
            let values = try! node.values(of: "a", as: Int.self, bufferingPolicy: .bufferingNewest(1))
            return { withExtendedLifetime(values) { for value in 0..<count { set(node, value) } } }
        },
    ]
}

/// The classes are taken one after the other: each is used for the first time only once.
nonisolated(unsafe) private var used: [Bool: Int] = [:]

private func firstUses() -> [Operation] {
    [("first-use", true), ("first-use-implicit", false)].map { name, isDeclared in
        Operation(name: name, most: 16) { count in
            let classes = unusedClasses(keys: 20, isDeclared: isDeclared)
            let first = used[isDeclared] ?? 0
            used[isDeclared] = first + count
            return {
                for make in classes[first..<first + count] {
                    let object = make()
                    kept.append(object)
                    try! object.observe("p1") { _ in }
                }
            }
        }
    }
}
