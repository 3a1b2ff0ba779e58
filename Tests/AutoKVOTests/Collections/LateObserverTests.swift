import AutoKVO
import AutoKVOTestSupport
import Foundation
import Testing

private final class Shelf: Model {
    @Observed var numbers: [Int] = []
    @Observed var tags: Set<String> = []
    @Observed var others: [Shelf] = []
    @Observed var next: Shelf?
    @Observed var length = 0
    var front: [Int] {
        get { next?.numbers ?? [] }
        set { next?.numbers = newValue }
    }

    override class var schema: Schema {
        Schema(Shelf.self, extending: super.schema) {
            Key("numbers", \.numbers)
            Key("tags", \.tags)
            Key("others", \.others)
            Key("next", \.next)
            Key("front", \.front, affectedBy: "next.numbers")
        }
    }
}

/// Observers that are added while a change of a collection is open, and see it as it was: the next edit brings them up to date.
struct LateObserverTests {
    enum Opening: CaseIterable { case mutation, announced, priorOfSet, priorOfEdit }

    /// Runs code while a change of `numbers` is open, behind which there are other numbers.
    private func change(_ shelf: Shelf, _ opening: Opening, _ body: @escaping () -> Void) {
        switch opening {
        case .mutation:
            shelf.$numbers.withMutation {
                shelf.$numbers.append(1)
                body()
                shelf.$numbers.append(2)
            }
        case .announced:
            shelf.willChangeValue(forKey: "numbers")
            body()
            shelf.numbers = [3, 4]
            shelf.didChangeValue(forKey: "numbers")
        case .priorOfSet, .priorOfEdit:
            shelf.$numbers.observe(options: [.prior, .once]) { if $0.isPrior { body() } }
            if opening == .priorOfSet { shelf.numbers = [5, 6] } else { shelf.$numbers.append(contentsOf: [5, 6]) }
        }
    }

    private final class Part: Model { @Observed var b = 0 }
    private final class Whole: Model {
        @Observed var a = 0
        @Observed var part: Part?
        @Derived({ (whole: Whole) in whole.a + (whole.part?.b ?? 0) }) var total: Int
        var twice: Int { a * 2 }
        override class var schema: Schema {
            Schema(Whole.self, extending: super.schema) { Key("twice", \.twice, affectedBy: "a", "part.b") }
        }
    }

    @Test(
        "they are called behind those that were there before, whichever change comes first",
        arguments: ["total", "twice"])
    func order(key: String) throws {
        let (whole, part) = (Whole(), Part())
        whole.part = part
        var calls: [String] = []
        try whole.observe(key) { _ in calls.append("early") }
        try coalescingChanges {
            part.b = 1
            try whole.observe(key) { _ in calls.append("late") }
            whole.a = 10
        }
        expectEqual(calls, ["early", "late"])
    }

    @Test("so are those that are added inside of an open change of something else, while another thread has one open")
    func openElsewhere() {
        for isCoalescing in [true, false] {
            let shelf = Shelf()
            shelf.$numbers.observe { _ in }
            nonisolated(unsafe) let shared = shelf
            let other = TakingTurns()
            other.perform { shared.willChangeValue(forKey: "numbers") }
            var copy: [Int] = []
            func observe() {
                shelf.$numbers.observe(options: [.initial, .old, .new]) { $0.apply(to: &copy) }
            }
            if isCoalescing { coalescingChanges { observe() } } else { shelf.$length.withMutation { observe() } }
            other.perform {
                shared.numbers = [1]
                shared.didChangeValue(forKey: "numbers")
            }
            shelf.$numbers.append(2)
            expectEqual(copy, [1, 2])
            other.finish()
        }
    }

    @Test("a copy kept by its changes is right from the next edit on", arguments: Opening.allCases, [0, 1, 2, 3])
    func copies(opening: Opening, form: Int) throws {
        let (root, shelf) = (Shelf(), Shelf())
        root.next = shelf
        var (copy, kinds) = ([Int](), [ChangeKind]())
        let handler = { (change: Change<[Int]>) in
            kinds.append(change.kind)
            change.apply(to: &copy)
        }
        change(shelf, opening) {
            let options: ObservingOptions = [.initial, .new]
            switch form {
            case 0: shelf.$numbers.observe(options: options, handler)
            case 1: try! root.observe("next.numbers", as: [Int].self, options: options, handler)
            case 2: root.$next.$numbers.observe(options: options, handler)
            default: try! shelf.observe(["numbers"], as: [Int].self, options: options, handler)
            }
        }
        #expect(kinds == [.setting] && copy != shelf.numbers)
        shelf.$numbers.append(7)
        expectEqual(copy, shelf.numbers)
        shelf.$numbers.remove(at: 0)
        expectEqual(copy, shelf.numbers)
        expectEqual(kinds, [.setting, .setting, .removal])
    }

    @Test("so is that of a set, and that of a proxy's edit") func setsAndProxies() throws {
        let shelf = Shelf()
        var (tags, numbers) = (Set<String>(), [Int]())
        shelf.$tags.withMutation {
            shelf.$tags.observe(options: [.initial, .old, .new]) { $0.apply(to: &tags) }
            shelf.$tags.insert("a")
        }
        shelf.$tags.insert("b")
        expectEqual(tags, ["a", "b"])
        change(shelf, .mutation) { shelf.$numbers.observe(options: [.initial, .new]) { $0.apply(to: &numbers) } }
        try shelf.mutableArrayValue(forKey: "numbers").append(3)
        expectEqual(numbers, [1, 2, 3])
    }

    @Test("observeEach observes what came meanwhile, and what leaves no longer") func each() {
        let (shelf, a, b) = (Shelf(), Shelf(), Shelf())
        var told: [Shelf] = []
        shelf.$others.withMutation {
            shelf.$others.append(a)
            shelf.$others.observeEach(\.$length) { other, _ in told.append(other) }
            shelf.others = [b]
        }
        shelf.$others.append(Shelf())
        a.length = 1
        b.length = 1
        #expect(told.map(ObjectIdentifier.init) == [ObjectIdentifier(b)])
        told = []
    }

    private final class Front: Model {
        @Observed var numbers: [Int] = []
        var view: [Int] {
            get { numbers }
            set { numbers = newValue }
        }

        override class var schema: Schema {
            Schema(Front.self, extending: super.schema) { Key("view", \.view, affectedBy: "numbers") }
        }
    }

    @Test("so is one that is added while the property is open that leads to the collection", arguments: [false, true])
    func head(isPrior: Bool) throws {
        let (root, first, second) = (Shelf(), Shelf(), Shelf())
        (first.numbers, second.numbers, root.next) = ([1, 2], [9, 8, 7, 6], first)
        (first.others, second.others) = ([Shelf()], [Shelf()])
        let (left, there) = (first.others[0], second.others[0])
        var (copies, told) = ([[Int](), [Int]()], [ObjectIdentifier]())
        func observe() {
            try! root.observe("next.numbers", as: [Int].self, options: [.initial, .new]) { $0.apply(to: &copies[0]) }
            root.$next.$numbers.observe(options: [.initial, .new]) { $0.apply(to: &copies[1]) }
            root.$next.$others.observeEach(\.$length) { other, _ in told.append(ObjectIdentifier(other)) }
        }
        if isPrior {
            root.$next.observe(options: [.prior, .once]) { if $0.isPrior { observe() } }
            root.next = second
        } else {
            root.$next.withMutation {
                observe()
                root.next = second
            }
        }
        second.$numbers.insert(5, at: 0)
        second.$numbers.remove(at: 4)
        expectEqual(copies, [[5, 9, 8, 7], [5, 9, 8, 7]])
        second.$others.append(Shelf())
        left.length = 1
        there.length = 1
        expectEqual(told, [ObjectIdentifier(there)])
    }

    @Test("so is one of a computed key, added while what that depends on is open") func base() throws {
        let front = Front()
        var copy: [Int] = []
        front.$numbers.observe(options: [.prior, .once]) { [unowned front] change in
            guard change.isPrior else { return }
            try! front.observe("view", as: [Int].self, options: [.initial, .new]) { $0.apply(to: &copy) }
        }
        front.numbers = [5, 6]
        try front.mutableArrayValue(forKey: "view").append(7)
        expectEqual(copy, [5, 6, 7])
    }

    @Test(
        "so is one of a key that is affected by a path, added while the head is open; and strangers hear of edits as such"
    ) func affected() throws {
        let (root, first, second) = (Shelf(), Shelf(), Shelf())
        (second.numbers, root.next) = ([9, 8, 7], first)
        var (copy, kinds) = ([Int](), [ChangeKind]())
        root.$next.observe(options: [.prior, .once]) { [unowned root] change in
            guard change.isPrior else { return }
            try! root.observe("front", as: [Int].self, options: [.initial, .new]) { $0.apply(to: &copy) }
            root.$next.$numbers.observe { _ in }
        }
        root.next = second
        try root.mutableArrayValue(forKey: "front").append(5)
        expectEqual(copy, [9, 8, 7, 5])
        for _ in 0..<3 {
            let other = Shelf()
            root.next = other
            other.$numbers.observe { kinds.append($0.kind) }
            other.$numbers.append(1)
        }
        expectEqual(kinds, [.insertion, .insertion, .insertion])
    }

    private final class Window: Model {
        @Observed var next: Shelf?
        @Observed var child: Shelf?
        @Derived({ (front: Window) in front.next }) var current: Shelf?
        var view: [Int] {
            get { next?.numbers ?? [] }
            set { next?.numbers = newValue }
        }
        var shown: [Int] {
            get { child?.front ?? [] }
            set { child?.front = newValue }
        }

        override class var schema: Schema {
            Schema(Window.self, extending: super.schema) {
                Key("view", \.view)
                Key("child", \.child)
                Key("shown", \.shown, affectedBy: "child.front")
            }
        }
    }

    @Test(
        "so is one behind a derived value, of a computed key, and one of two, whatever was observed before",
        arguments: ["current.numbers", "view", "shown", "child.front"], [false, true])
    func derived(path: String, isSecond: Bool) throws {
        let (front, child, first, second) = (Window(), Shelf(), Shelf(), Shelf())
        (first.numbers, second.numbers) = ([1, 2], [9, 8, 7, 6])
        (front.next, front.child, child.next) = (first, child, first)
        let isOfChild = path == "shown" || path == "child.front"
        if isSecond { try front.observe(path) { _ in } }
        var (copy, kinds) = ([Int](), [ChangeKind]())
        let handler: (Change<Any>) -> Void = { [unowned front] change in
            guard change.isPrior else { return }
            try! front.observe(path, as: [Int].self, options: [.initial, .new]) { $0.apply(to: &copy) }
        }
        if isOfChild {
            try child.observe("next", options: [.prior, .once], handler)
            child.next = second
        } else {
            try front.observe("next", options: [.prior, .once], handler)
            front.next = second
        }
        if path == "current.numbers" {
            second.$numbers.append(5)
        } else {
            let (owner, key) = path == "child.front" ? (child, "front") : (front, path)
            try owner.mutableArrayValue(forKey: key).append(5)
        }
        expectEqual(copy, [9, 8, 7, 6, 5])
        try front.observe(path) { kinds.append($0.kind) }
        if path == "current.numbers" {
            second.$numbers.append(5)
            expectEqual(kinds, [.insertion])
        } else {
            let (owner, key) = path == "child.front" ? (child, "front") : (front, path)
            try owner.mutableArrayValue(forKey: key).append(5)
            expectEqual(kinds, [.insertion])
        }
        expectEqual(copy, [9, 8, 7, 6, 5, 5])
    }

    @Test("one that is added by a handler behind the change hears of the next edit as such") func behind() {
        let shelf = Shelf()
        var kinds: [ChangeKind] = []
        shelf.$numbers.observe(options: .once) { [unowned shelf] _ in
            shelf.$numbers.observe { kinds.append($0.kind) }
        }
        shelf.$numbers.append(1)
        shelf.$numbers.append(2)
        expectEqual(kinds, [.insertion])
    }

    private final class Total: Model {
        @Observed var p = 0
        @Observed var q = 0
        @Derived({ (total: Total) in total.p + total.q }) var sum: Int
    }

    @Test("a registration in the middle of many coalesced changes takes no change from another observer") func many() {
        let (total, root) = (Total(), Shelf())
        root.next = Shelf()
        let others = (0..<40).map { _ in Shelf() }
        for other in others { other.$length.observe { _ in } }
        var told: [Int] = []
        total.willChangeValue(forKey: "p")
        total.$sum.observe { [unowned total] _ in told.append(total.sum) }
        coalescingChanges {
            for other in others { other.length = 1 }
            root.$next.$length.observe { _ in }
            total.p = 1
            total.q = 5
        }
        total.didChangeValue(forKey: "p")
        expectEqual(told.last, 6)
    }
}

/// A thread that does what it is given, while the caller waits.
private final class TakingTurns: @unchecked Sendable {
    private let (isGiven, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    private var action: (() -> Void)?

    init() {
        Foundation.Thread.detachNewThread { [self] in
            while true {
                isGiven.wait()
                guard let action else { break }
                action()
                isDone.signal()
            }
            isDone.signal()
        }
    }

    func perform(_ action: @escaping () -> Void) {
        self.action = action
        isGiven.signal()
        isDone.wait()
    }

    func finish() {
        action = nil
        isGiven.signal()
        isDone.wait()
    }
}
