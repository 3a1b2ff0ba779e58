import AutoKVO
import AutoKVOTestSupport
import Testing

/// While a task changes a property in place, over an `await`, others change what leads to it, and what is computed from it. Then the task goes on.
struct HeldPropertyTests {
    private final class Box: Model {
        @Observed var a = 0
        @Observed var b = 0
        @Observed var next: Box?
        @Observed var members: [Box] = []
        @Derived({ (box: Box) in box.a + box.b }) var sum: Int
        var twice: Int { 2 * sum + b }

        override class var schema: Schema {
            Schema(Box.self, extending: super.schema) { Key("twice", \.twice, affectedBy: "sum", "b") }
        }
    }

    private let box = Box()
    private let root = Box()
    private let stepper = Stepper()

    /// Begins a task, which sets a property in place and waits. When it goes on, it calls a function, and sets the property again.
    private func hold(
        _ box: Box, _ path: ReferenceWritableKeyPath<Box, Int>, _ first: Int, _ last: Int,
        _ then: @escaping () -> Void = {}
    ) {
        stepper.start {
            func change(_ value: inout Int) async {
                value = first
                await stepper.pause()
                then()
                value = last
            }
            if path == \Box.a { await change(&box.a) } else { await change(&box.b) }
        }
    }

    @Test(
        "observers of what is computed from it are notified in the end, also those who ask for no values",
        arguments: [[], .new] as [ObservingOptions])
    func withoutValues(options: ObservingOptions) throws {
        var shown = 0
        try box.observe("twice", options: options) { [unowned box] _ in shown = box.twice }
        hold(box, \.a, 4, 0)
        box.b = 0
        stepper.goOn()
        #expect(shown == 0 && box.twice == 0)
    }

    @Test("a change in place that ends in a handler of another change comes behind that") func order() {
        var told: [Int] = []
        box.$sum.observe(options: .new) { told.append($0.newValue!) }
        hold(box, \.b, 0, 10)
        box.$a.observe { [unowned box, stepper] _ in if box.a == 1 { stepper.goOn() } }
        box.a = 1
        expectEqual(told, [1, 11])
    }

    @Test(
        "an operator that has come to it, and leaves it in the same coalescingChanges, has the value that is there then"
    )
    func coalesced()
        throws
    {
        box.$a.observe(options: .prior) { _ in }
        var told: [Int] = []
        try root.observe("members.@sum.a", as: Int.self, options: [.new, .distinct]) { told.append($0.newValue!) }
        hold(box, \.a, 2, 0)
        root.members = [box]
        coalescingChanges {
            stepper.goOn()
            root.members = []
        }
        expectEqual(told, [2, 0])
    }

    @Test(
        "a path that comes to it has no old value, or what was told last",
        arguments: [[.old, .new], [.new, .distinct]] as [ObservingOptions])
    func moved(options: ObservingOptions) throws {
        box.$a.observe(options: [.old, .new]) { _ in }
        var told: [Int?] = []
        try root.observe("next.a", as: Int.self, options: options) { told += [$0.oldValue, $0.newValue] }
        hold(box, \.a, 1, 0)
        root.next = box
        told = []
        stepper.goOn()
        expectEqual(told, [nil, 0])
        root.next = nil
    }

    @Test("a path with old values that comes to it does not have the task read it") func notRead() throws {
        box.$a.observe(options: .prior) { _ in }
        box.$b.observe(options: .prior) { _ in }
        var told: [Int?] = []
        try root.observe("next.a", as: Int.self, options: [.old, .new]) { told += [$0.oldValue, $0.newValue] }
        hold(box, \.a, 1, 2) { [box] in box.b = 1 }
        root.next = box
        told = []
        stepper.goOn()
        expectEqual(told, [nil, 2])
        root.next = nil
    }

    @Test(
        "a path to what is computed from it, that comes meanwhile, has the last value in the end", arguments: 0..<4,
        [[.new], [.old, .new], [.new, .distinct], [.old, .new, .prior]] as [ObservingOptions])
    func derived(way: Int, options: ObservingOptions) throws {
        box.$a.observe(options: .prior) { _ in }
        var told: [String: Int] = [:]
        for key in ["next.sum", "next.twice", "members.@sum.twice"] {
            try root.observe(key, as: Int?.self, options: options) {
                if !$0.isPrior { told[key] = $0.newValue ?? nil }
            }
        }
        hold(box, \.a, 2, 1)
        if way & 1 != 0 { try box.observe("twice", options: [.old, .new]) { _ in } }
        func move() { (root.next, root.members) = (box, [box]) }
        if way & 2 != 0 { root.$b.withMutation(move) } else { move() }
        box.$b.withMutation { box.b = 4 }
        stepper.goOn()
        expectEqual(told, ["next.sum": 5, "next.twice": 14, "members.@sum.twice": 14])
        root.next = nil
    }
}
