// The classes of the second set. counts-autokvo has this file by a link, as it has Models.swift.

import AutoKVO

/// A node of a chain, for paths and bindings, and of a table, for operators.
final class Node: TrackedObject {
    @Observed var a = 0
    @Observed var next: Node?
    @Observed var rows: [Node] = []

    override class var schema: Schema {
        Schema(Node.self, extending: super.schema) {
            Key("a", \.a)
            Key("next", \.next)
            Key("rows", \.rows)
        }
    }

    static func chain(_ count: Int) -> [Node] {
        let nodes = (0..<count).map { _ in Node() }
        for (node, next) in zip(nodes, nodes.dropFirst()) { node.next = next }
        return nodes
    }

    /// A path of that many keys: `a`, `next.a`, `next.next.a`.
    static func path(_ count: Int) -> String { String(repeating: "next.", count: count - 1) + "a" }
}

@inline(never) func set(_ node: Node, _ value: Int) { node.a = value }

/// A class of one key, and below it classes of more, which differ in how many keys stand beside `value`.
class Keyed: TrackedObject {
    @Observed var value = 0
    var other: Int {
        get { 0 }
        set {}
    }

    override class var schema: Schema {
        Schema(Keyed.self, extending: super.schema) { Key("value", \.value) }
    }

    static func with(_ keys: Int) -> Keyed {
        switch keys {
        case 1: Keyed()
        case 20: KeyedTwenty()
        case 100: KeyedHundred()
        default: KeyedTenThousand()
        }
    }
}

final class KeyedTwenty: Keyed {
    override class var schema: Schema {
        Schema(KeyedTwenty.self, extending: super.schema) {
            for index in 1..<20 { Key("key\(index)", \.other, notifiesAutomatically: false) }
        }
    }
}

final class KeyedHundred: Keyed {
    override class var schema: Schema {
        Schema(KeyedHundred.self, extending: super.schema) {
            for index in 1..<100 { Key("key\(index)", \.other, notifiesAutomatically: false) }
        }
    }
}

final class KeyedTenThousand: Keyed {
    override class var schema: Schema {
        Schema(KeyedTenThousand.self, extending: super.schema) {
            for index in 1..<10_000 { Key("key\(index)", \.other, notifiesAutomatically: false) }
        }
    }
}
