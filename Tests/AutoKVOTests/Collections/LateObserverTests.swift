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

    override class var schema: Schema {
        Schema(Shelf.self, extending: super.schema) {
            Key("numbers", \.numbers)
            Key("tags", \.tags)
            Key("others", \.others)
            Key("next", \.next)
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
