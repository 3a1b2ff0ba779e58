import AutoKVO
import AutoKVOTestSupport
import Testing

/// A task changes a property in place over an `await`, and paths come to the property, or leave it, meanwhile.
struct HeldOrderTests {
    private final class Box: Model {
        @Observed var a = 0
        @Observed var b = 0
        @Observed var next: Box?
        @Derived({ (box: Box) in box.b + (box.next?.a ?? -7) }) var far: Int
    }

    @Test(
        "a path that has come to the property has its former value as the old one, also if it leads to a derived value",
        arguments: [[.new], [.old, .new], [.new, .distinct], [.old, .new, .prior]] as [ObservingOptions])
    func following(options: ObservingOptions) throws {
        let (root, box, stepper) = (Box(), Box(), Stepper())
        var told: [Int?] = []
        try box.observe("next.far", as: Int.self, options: .new) { _ in }
        try root.observe("next.far", as: Int.self, options: options) { if !$0.isPrior { told.append($0.newValue) } }
        stepper.start { await stepper.edit(&box.next, box) }
        root.next = box
        expectEqual(told, [-7])
        stepper.goOn()
        expectEqual(told, [-7, 0])
        (root.next, box.next) = (nil, nil)
    }

    @Test(
        "a path that has left the property hears of that first if the change ends before",
        arguments: [[.old, .new], [.old, .new, .distinct]] as [ObservingOptions])
    func left(options: ObservingOptions) throws {
        let (root, stepper) = (Box(), Stepper())
        var box: Box? = Box()
        box!.$a.observe(options: .prior) { _ in }
        var told: [[Int?]] = []
        root.$next.observe { [unowned root] _ in if root.next == nil { stepper.goOn() } }
        try root.observe("next.a", as: Int.self, options: options) { told.append([$0.oldValue, $0.newValue]) }
        root.next = box
        told = []
        nonisolated(unsafe) let held = box!
        stepper.start { await stepper.edit(&held.a, 5) }
        box = nil
        root.next = nil
        expectEqual(told.first, [0, nil])
        #expect(told.dropFirst().allSatisfy { $0 == [nil, nil] })
    }

    @Test(
        "a change that ends in a handler of an older change of the same path is told after that, also in coalescingChanges",
        arguments: [[.old, .new], [.old, .new, .distinct]] as [ObservingOptions], [false, true])
    func endsInCoalescing(options: ObservingOptions, isTask: Bool) throws {
        let (root, box, stepper) = (Box(), Box(), Stepper())
        if isTask { box.$a.observe(options: .prior) { _ in } }
        root.$next.observe { [unowned root, box] _ in
            if root.next == nil { return }
            coalescingChanges {
                if isTask { return stepper.goOn() }
                box.a = 5
                box.didChangeValue(forKey: "a")
            }
        }
        var told: [[Int?]] = []
        try root.observe("next.a", as: Int.self, options: options) { told.append([$0.oldValue, $0.newValue]) }
        if isTask { stepper.start { await stepper.edit(&box.a, 5) } } else { box.willChangeValue(forKey: "a") }
        root.next = box
        expectEqual(told, [[nil, 0], [isTask ? nil : 0, 5]])
    }
}
