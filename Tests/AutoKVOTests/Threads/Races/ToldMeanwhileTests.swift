import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Node: Model, @unchecked Sendable {
    @Observed var x = 10
    @Observed var b = 0
    @Observed var flag = 0
    @Observed var next: Node?
    @ObservedWeak var other: Node?
    var meanwhile: (() -> Void)?
    /// Runs `meanwhile` once, on the way of a path that is being followed.
    var middle: Node? {
        let run = meanwhile
        meanwhile = nil
        run?()
        return self
    }
    /// The same on the way through the weak property.
    var byWay: Node? {
        _ = middle
        return other
    }
    var label: String {
        _ = middle
        return "\(flag)"
    }
    var caption: String {
        let caption = "\(otherTotal)"
        _ = middle
        return caption
    }
    @Derived({ (node: Node) in (node.next?.x ?? 0) + node.b }) var total: Int
    @Derived({ (node: Node) in (node.other?.x ?? 0) + node.b }) var otherTotal: Int

    override class var schema: Schema {
        Schema(Node.self, extending: super.schema) {
            Key("next", \.next)
            Key("other", \.other)
            Key("x", \.x)
            Key("middle", \.middle, affectedBy: "flag")
            Key("byWay", \.byWay, affectedBy: "other")
            Key("label", \.label, affectedBy: "flag")
            Key("caption", \.caption, affectedBy: "otherTotal")
        }
    }
}

/// What another thread tells while a change follows its paths, which is user code.
struct ToldMeanwhileTests {
    @Test("a step that another thread has told is not told again") func plainWrite() throws {
        let (node, next) = (Node(), Node())
        var told: [String] = []
        node.$total.observe(options: [.old, .new]) { told.append("\($0.oldValue!) \($0.newValue!)") }
        try node.observe("next.middle.x") { _ in }
        next.meanwhile = { onAnotherThread { node.b = 1 } }
        node.next = next
        expectEqual(told, ["0 11"])
        node.next = nil
        expectEqual(told, ["0 11", "11 1"])
    }

    @Test("nor at the death of an object that a weak property refers to") func death() throws {
        let node = Node()
        var other: Node? = Node()
        node.other = other
        var told: [String] = []
        node.$otherTotal.observe(options: [.old, .new]) { told.append("\($0.oldValue!) \($0.newValue!)") }
        try node.observe("byWay.x") { _ in }
        node.meanwhile = { onAnotherThread { node.b = 1 } }
        other = nil
        expectEqual(told, ["10 1"])
    }

    private final class Panel: Model, @unchecked Sendable {
        let node: Node
        init(_ node: Node) { self.node = node }
        @Derived({ (panel: Panel) in panel.node.flag + panel.node.b }) var total: Int
    }

    @Test("nor while the values are read of those that are told before") func newValues() throws {
        let node = Node()
        let panel = Panel(node)
        var told: [String] = []
        panel.$total.observe(options: [.old, .new]) { told.append("\($0.oldValue!) \($0.newValue!)") }
        try node.observe("label", options: .new) { _ in }
        node.meanwhile = { onAnotherThread { node.b = 1 } }
        node.flag = 1
        expectEqual(told, ["1 2"])
    }

    @Test("nor while old values are read at a death") func oldValues() throws {
        let node = Node()
        var other: Node? = Node()
        node.other = other
        var told: [String] = []
        try node.observe("caption", as: String.self, options: [.old, .new]) { told.append($0.newValue!) }
        node.meanwhile = { onAnotherThread { node.b = 1 } }
        other = nil
        expectEqual(told, ["1"])
    }

    private final class Adder: Model, @unchecked Sendable {
        @Observed var a = 0
        @Observed var b = 0
        /// Run one behind the other in the reads of `sum` by the thread that has set them.
        var meanwhile: [() -> Void] = []
        var sum: Int {
            let b = b
            if !meanwhile.isEmpty {
                let run = meanwhile.removeFirst()
                let others = meanwhile
                meanwhile = []
                run()
                meanwhile = others
            }
            return a + b
        }
        override class var schema: Schema {
            Schema(Adder.self, extending: super.schema) { Key("sum", \.sum, affectedBy: "a", "b") }
        }
    }

    @Test("a value that another thread outdates while it is read is read again", arguments: [0, 1], [1, 2, 4, 5])
    func outdated(a: Int, times: Int) throws {
        let adder = Adder()
        var told: [String] = []
        try adder.observe("sum", as: Int.self, options: [.old, .new, .distinct]) {
            told.append("\($0.oldValue!) \($0.newValue!)")
        }
        adder.$a.withMutation {
            adder.a = a
            adder.meanwhile = (1...times).map { b in { onAnotherThread { adder.b = b } } }
        }
        expectEqual(told, (1...times).map { "\(a + $0 - 1) \(a + $0)" })
    }

    private final class Late: Model, @unchecked Sendable {
        @Observed var a = 0
        @Observed var b = 0
        @Observed var c = 0
        var meanwhile: (() -> Void)?
        var whenSummed: ((Late) -> Void)?
        @Derived({ (late: Late) in
            late.whenSummed.take()?(late)
            return late.a + late.b
        }) var sum: Int
        var label: String {
            meanwhile.take()?()
            return "\(sum)"
        }
        var hidden: Int { 0 }
        var caption: Int {
            meanwhile.take()?()
            return 0
        }
        override class var schema: Schema {
            Schema(Late.self, extending: super.schema) {
                Key("label", \.label, affectedBy: "sum")
                Key("hidden", \.hidden, affectedBy: "a")
                Key("caption", \.caption, affectedBy: "hidden")
            }
        }
    }

    ///     begins a change of a
    ///                                       begins a change of b
    ///     finds that sum is 1
    ///     reads label, which comes after
    ///                                       b = 10, and tells that sum is 11
    ///     tells that sum is 1
    @Test("nor one that is told behind the read of its own new value, and before the calls", arguments: [false, true])
    func betweenReadingAndTelling(isDistinct: Bool) throws {
        let late = Late()
        let told = MessageLog()
        late.$sum.observe(options: isDistinct ? [.old, .new, .distinct] : [.old, .new]) {
            told.add("\($0.oldValue!) \($0.newValue!)")
        }
        try late.observe("label", options: .new) { _ in }
        let (isBegun, mayEnd, isOver) = (Door(), Door(), Door())
        let other = Thread {
            late.$b.withMutation {
                isBegun.open()
                mayEnd.wait()
                late.b = 10
            }
            isOver.open()
        }
        isBegun.wait()
        late.$a.withMutation {
            late.a = 1
            late.meanwhile = {
                mayEnd.open()
                isOver.wait()
            }
        }
        other.join()
        expectEqual(told.messages, ["0 11"])
        late.a = 2
        expectEqual(told.messages, ["0 11", "11 12"])
    }

    @Test("a value that nobody needs any more when it is to be read again is told to nobody") func endedMeanwhile()
        throws
    {
        let late = Late()
        let told = MessageLog()
        var observation: KeyValueObservation?
        observation = late.$sum.observe(options: [.old, .new]) {
            told.add("\($0.oldValue!) \($0.newValue!)")
            observation!.remove()
        }
        try late.observe("label") { _ in }
        late.removeAllObservers(forKeyPath: "label")
        try late.observe("caption", options: .new) { _ in }
        let (isBegun, mayEnd) = (Door(), Door())
        let other = Thread {
            late.$b.withMutation {
                isBegun.open()
                mayEnd.wait()
            }
        }
        isBegun.wait()
        late.$a.withMutation {
            late.a = 1
            late.meanwhile = { late.b = 1 }
        }
        mayEnd.open()
        other.join()
        expectEqual(told.messages, ["1 2"])
        observation = nil
    }

    private final class Way: Model, @unchecked Sendable {
        @Observed var w = 0
        @Observed var v = 0
        @Observed var next: Way?
        override class var schema: Schema {
            Schema(Way.self, extending: super.schema) {
                Key("w", \.w)
                Key("v", \.v)
                Key("next", \.next)
            }
        }
    }

    @Test("a value that nobody is called for is not told", arguments: [[], .distinct] as [ObservingOptions])
    func dropped(options: ObservingOptions) throws {
        let (way, next, told) = (Way(), Way(), MessageLog())
        way.next = next
        let (mayStart, isStored, mayEnd) = (Door(), Door(), Door())
        let other = Thread {
            mayStart.wait()
            coalescingChanges {
                next.v = 9
                isStored.open()
                mayEnd.wait()
            }
        }
        try coalescingChanges {
            try way.observe(["w", "next.v"], options: options.union([.initial, .old, .new])) { change in
                if change.keyPath == "w" {
                    next.v = 5
                } else {
                    told.add("\(change.oldValue ?? "-") \(change.newValue!)")
                }
            }
            mayStart.open()
            isStored.wait()
        }
        mayEnd.open()
        other.join()
        expectEqual(told.messages, ["- 5", "5 9"])
    }

    @Test(
        "late observers get the old value that was there when they came, also where another thread has the key open",
        arguments: [false, true])
    func late(isWritten: Bool) {
        let (late, first, second) = (Late(), MessageLog(), MessageLog())
        let (isBegun, mayEnd) = (Door(), Door())
        let other = Thread {
            late.$c.withMutation {
                isBegun.open()
                mayEnd.wait()
            }
        }
        late.$c.observe(options: [.old, .new, .distinct]) { first.add("\($0.oldValue!) \($0.newValue!)") }
        late.$sum.observe { _ in }
        isBegun.wait()
        coalescingChanges {
            late.c = 1
            late.$c.observe(options: [.old, .new, .distinct]) { second.add("\($0.oldValue!) \($0.newValue!)") }
            late.c = 2
            if isWritten { late.whenSummed = { $0.c = 10 } }
            late.a = 1
        }
        mayEnd.open()
        other.join()
        expectEqual(first.messages, isWritten ? ["0 2", "2 10"] : ["0 2"])
        expectEqual(second.messages, isWritten ? ["1 2", "2 10"] : ["1 2"])
    }

    @Test(
        "what an initial call has told is newer than what another thread has told before it",
        arguments: [[], .distinct] as [ObservingOptions])
    func initialNews(options: ObservingOptions) throws {
        let (way, next, told) = (Way(), Way(), MessageLog())
        way.next = next
        let (mayStart, isStored) = (Door(), Door())
        let other = Thread {
            mayStart.wait()
            next.v = 7
            isStored.open()
        }
        try coalescingChanges {
            try way.observe(["w", "next.v"], options: options.union([.initial, .old, .new])) { change in
                if change.keyPath != "w" { return told.add("\(change.oldValue ?? "-") \(change.newValue!)") }
                next.v = 5
                mayStart.open()
                isStored.wait()
                next.v = 8
            }
            next.v = 7
        }
        other.join()
        expectEqual(told.messages, ["- 8", "8 7"])
    }

    private class Base: Model {
        @Observed var items: [Int] = []
        override class var schema: Schema { Schema(Base.self, extending: super.schema) { Key("items", \.items) } }
    }
    private final class Overriding: Base, @unchecked Sendable {
        var meanwhile: (() -> Void)?
        override var items: [Int] {
            get {
                let (items, run) = (super.items, meanwhile)
                meanwhile = nil
                run?()
                return items
            }
            set { super.items = newValue }
        }
    }

    @Test("so is a collection of which several edits have made a setting") func severalEdits() {
        let list = Overriding()
        var told: [String] = []
        list.$items.observe(options: [.old, .new]) { told.append("\($0.oldValue!) \($0.newValue!)") }
        coalescingChanges {
            list.$items.append(1)
            list.$items.append(2)
            list.meanwhile = { onAnotherThread { list.items = [3] } }
        }
        expectEqual(told, ["[1, 2] [3]", "[3] [3]"])
    }

    private final class Box: Model, @unchecked Sendable {
        var storage: [Int] = []
        var meanwhile: (() -> Void)?
        var rows: [Int] {
            meanwhile.take()?()
            return storage
        }
        override class var schema: Schema {
            Schema(Box.self, extending: super.schema) { Key("rows", \.rows, notifiesAutomatically: false) }
        }
        func insert(_ number: Int) {
            willChange(.insertion, valuesAt: 0..<1, forKey: "rows")
            storage.insert(number, at: 0)
            didChange(.insertion, valuesAt: 0..<1, forKey: "rows")
        }
    }

    @Test("an edit that another thread makes while the elements of one are read is not told in its place")
    func editWhileReading() throws {
        let box = Box()
        var copy: [Int] = []
        try box.observe("rows", as: [Int].self, options: .new) { $0.apply(to: &copy) }
        box.meanwhile = { onAnotherThread { box.insert(2) } }
        box.insert(1)
        expectEqual(copy, [2, 1])
        box.insert(3)
        expectEqual(copy, [3, 2, 1])
    }
}
