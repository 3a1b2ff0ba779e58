// What AutoKVO costs at a size that no test has, each figure beside the same at a tenth of the size: what grows linearly costs the same for
// one.
//
//     swift run -c release simulate              everything, in a few minutes; needs about 8 GiB
//     swift run -c release simulate --only sum   one part: objects, derived, sum, threads
//     swift run -c release simulate --tenth      at a tenth of the sizes, and a hundredth beside it

import ArgumentParser
import AutoKVO
import BenchKit
import CBenchSupport
import Foundation

final class Item: TrackedObject {
    @Observed var value = 0
}

/// A value computed from a source of its own and from the one before.
final class Step: TrackedObject {
    @Observed var source = 0
    let before: Step?
    @Derived({ (step: Step) in step.source &+ (step.before?.value ?? 0) }) var value: Int

    init(after before: Step?) { self.before = before }
}

final class Table: TrackedObject {
    @Observed var items: [Item] = []
}

struct Figure {
    var name: String
    var unit: String
    var value: Double
}

func nanoseconds(_ count: Int, _ body: () -> Void) -> Double { Double(timed(body)) / Double(count) }

/// Of so many objects one in a hundred is observed.
func objects(_ count: Int) -> [Figure] {
    bench_tidy_heap()
    let empty = bench_heap_bytes()
    var all: [Item] = []
    let built = nanoseconds(count) { all = (0..<count).map { _ in Item() } }
    let plain = Double(bench_heap_bytes() - empty) / Double(count)
    let observed = stride(from: 0, to: count, by: 100).map { all[$0] }
    var calls = 0
    let registered = nanoseconds(observed.count) {
        for item in observed { item.$value.observe { _ in calls += 1 } }
    }
    let bytes = (Double(bench_heap_bytes() - empty) - plain * Double(count)) / Double(observed.count)
    let setAll = nanoseconds(count) { for (index, item) in all.enumerated() { item.value = index + 1 } }
    check("calls", calls, equals: observed.count)
    let dropped = nanoseconds(count) { all = [] }
    withExtendedLifetime(observed) {}
    return [
        Figure(name: "make an object", unit: "ns", value: built),
        Figure(name: "an object and its place in an array", unit: "bytes", value: plain),
        Figure(name: "observe one", unit: "ns", value: registered),
        Figure(name: "what that takes", unit: "bytes", value: bytes),
        Figure(name: "set one, observed or not", unit: "ns", value: setAll),
        Figure(name: "drop one", unit: "ns", value: dropped),
    ]
}

/// Chains of ten derived values, each of which has a source of its own; the last one of each is observed.
func derived(_ count: Int) -> [Figure] {
    bench_tidy_heap()
    let empty = bench_heap_bytes()
    var chains: [[Step]] = []
    var calls = 0
    let built = nanoseconds(count) {
        for _ in 0..<count / 10 {
            var chain: [Step] = []
            for _ in 0..<10 { chain.append(Step(after: chain.last)) }
            chain[9].$value.observe(options: .new) { _ in calls += 1 }
            chains.append(chain)
        }
    }
    let bytes = Double(bench_heap_bytes() - empty) / Double(count)
    let first = nanoseconds(count) { for chain in chains { chain[0].source = 1 } }
    let last = nanoseconds(count / 10) { for chain in chains { chain[9].source = 1 } }
    check("calls", calls, equals: 2 * (count / 10))
    check("value", chains[0][9].value, equals: 2)
    let dropped = nanoseconds(count) { chains = [] }
    return [
        Figure(name: "make a derived value and its source", unit: "ns", value: built),
        Figure(name: "what they take", unit: "bytes", value: bytes),
        Figure(name: "compute one of ten that a change concerns", unit: "ns", value: first),
        Figure(name: "change what one value reads", unit: "ns", value: last),
        Figure(name: "drop one", unit: "ns", value: dropped),
    ]
}

/// A list whose sum is observed.
func sum(_ count: Int) -> [Figure] {
    let table = Table()
    var total = 0
    table.items.reserveCapacity(count + 2000)
    for _ in 0..<count { table.items.append(Item()) }
    var observation: KeyValueObservation?
    let registered = nanoseconds(count) {
        observation = try! table.observe("items.@sum.value", as: Int.self, options: .new) { total = $0.newValue ?? -1 }
    }
    let sets = 20
    let set = nanoseconds(sets) { for index in 1...sets { table.items[index * 7919 % count].value = index } }
    check("sum", total, equals: sets * (sets + 1) / 2)
    observation?.remove()
    observation = try! table.observe("items.@sum.value") { _ in }
    let appended = nanoseconds(1000) { for _ in 0..<1000 { table.$items.append(Item()) } }
    return [
        Figure(name: "observe the sum, for an element", unit: "ns", value: registered),
        Figure(name: "set an element and add all up, for an element", unit: "ns", value: set / Double(count)),
        Figure(name: "append one, the sum not asked for", unit: "ns", value: appended),
    ]
}

/// Eight threads, each with its own objects, and one thread that does the same.
func threads(_ count: Int) -> [Figure] {
    @Sendable func work() {
        let items = (0..<100).map { _ in Item() }
        var calls = 0
        for item in items { item.$value.observe(options: [.old, .new]) { _ in calls += 1 } }
        for turn in 1...count / 100 { for item in items { item.value = turn } }
        check("calls", calls, equals: count / 100 * 100)
    }
    let one = nanoseconds(count, work)
    let eight = nanoseconds(8 * count) { DispatchQueue.concurrentPerform(iterations: 8) { _ in work() } }
    return [
        Figure(name: "set and call one observer, one thread", unit: "ns", value: one),
        Figure(name: "the same on eight threads of as many cores as there are, on the clock", unit: "ns", value: eight),
    ]
}

struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "What AutoKVO costs at sizes that no test has.")

    @Option(help: "One part: objects, derived, sum or threads.") var only: String?
    @Flag(help: "At a tenth of the sizes.") var tenth = false

    func run() {
        bench_start()
        let parts: [(name: String, size: Int, run: (Int) -> [Figure])] = [
            ("objects", 10_000_000, objects), ("derived", 1_000_000, derived), ("sum", 1_000_000, sum),
            ("threads", 10_000_000, threads),
        ]
        print("| part | what | at N | for one | at N / 10 |\n| --- | --- | --- | --- | --- |")
        for part in parts where only == nil || only == part.name {
            let size = tenth ? part.size / 10 : part.size
            let small = part.run(size / 10)
            for (large, small) in zip(part.run(size), small) {
                let (value, other) = (String(format: "%.4g", large.value), String(format: "%.4g", small.value))
                print("| \(part.name) | \(large.name) | \(size) | \(value) \(large.unit) | \(other) |")
            }
        }
    }
}

Simulate.main()
