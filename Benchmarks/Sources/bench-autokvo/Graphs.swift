// The third set: graphs of derived values, by the three ways to have them.

import AutoKVO
import BenchKit
import CBenchSupport

final class GraphSource: TrackedObject {
    @Observed var value = 0
}

/// A value that is kept, and computed when what its function read has changed.
final class DerivedNode: TrackedObject {
    let function: () -> Int
    @Derived({ (node: DerivedNode) in
        bench_computed()
        return node.function()
    }) var value: Int

    init(_ function: @escaping () -> Int) { self.function = function }
}

/// The same as a computed property with a key, which is computed at each read that asks for it by itself.
final class KeyNode: TrackedObject {
    let function: () -> Int
    var value: Int {
        bench_computed()
        return function()
    }

    init(_ function: @escaping () -> Int) { self.function = function }

    override class var schema: Schema { Schema(KeyNode.self, extending: super.schema) { Key("value", \.value) } }
}

/// A plain getter.
final class PlainNode {
    let function: () -> Int
    var value: Int {
        bench_computed()
        return function()
    }

    init(_ function: @escaping () -> Int) { self.function = function }
}

protocol AutoKVOGraphs: Graphs where Source == GraphSource {}

extension AutoKVOGraphs {
    static func source(_ value: Int) -> GraphSource {
        let source = GraphSource()
        source.value = value
        return source
    }
    @inline(__always) static func read(_ source: GraphSource) -> Int { source.value }
    static func set(_ source: GraphSource, _ value: Int) { source.value = value }
    static func change(_ body: () -> Void) { body() }
    static func changeTogether(_ body: () -> Void) { coalescingChanges(body) }
}

enum DerivedGraphs: AutoKVOGraphs {
    static let system = "AutoKVO"
    static func node(_ function: @escaping () -> Int) -> DerivedNode { DerivedNode(function) }
    @inline(__always) static func read(_ node: DerivedNode) -> Int { node.value }
    static func sink(_ node: DerivedNode, _ told: @escaping (Int) -> Void) {
        node.$value.observe(options: .new) { change in
            bench_called()
            told(change.newValue!)
        }
    }
}

enum KeyGraphs: AutoKVOGraphs {
    static let system = "AutoKVO, Key"
    static func node(_ function: @escaping () -> Int) -> KeyNode { KeyNode(function) }
    @inline(__always) static func read(_ node: KeyNode) -> Int { node.value }
    static func sink(_ node: KeyNode, _ told: @escaping (Int) -> Void) {
        node.observe(\.value, options: .new) { _, change in
            bench_called()
            told(change.newValue!)
        }
    }
    static func has(_ graph: Graph, _ n: Int) -> Bool { endsWithGetters(graph, n) }
}

/// Plain getters, of which an observer reads what it wants. It is the observer that ends the observation, so each sink has one.
enum ReadingGraphs: AutoKVOGraphs {
    static let system = "AutoKVO, reading"
    /// Used by one thread.
    nonisolated(unsafe) private static var panels: [Panel] = []

    static func node(_ function: @escaping () -> Int) -> PlainNode { PlainNode(function) }
    @inline(__always) static func read(_ node: PlainNode) -> Int { node.value }
    static func sink(_ node: PlainNode, _ told: @escaping (Int) -> Void) {
        let panel = Panel()
        panel.observe(reading: { _ in node.value }, options: .new) { _, change in
            bench_called()
            told(change.newValue!)
        }
        panels.append(panel)
    }
    static func forget() { panels = [] }
    static func has(_ graph: Graph, _ n: Int) -> Bool { endsWithGetters(graph, n) || graph == .pairs }
}

/// A getter is called for each read of it, and so a sheet of 100 by 100 has no end.
private func endsWithGetters(_ graph: Graph, _ n: Int) -> Bool {
    ![.cellx, .sheet, .mux].contains(graph) && n <= 10_000
}
