import AutoKVO
import AutoKVOTestSupport
import Testing

/// `coalescingChanges` with many changes of what derived values read: a change does not go again where one before it went, unless
/// something has happened there since.
struct ManyCoalescedTests {
    private final class Cell: TrackedObject {
        @Observed var value = 0
        @Observed var isOn = true
        @Observed var parts: [Cell] = []
        @Observed var target: Cell?
        var doubled: Int { sum * 2 }
        var total: Int { parts.reduce(0) { $0 + $1.sum } }
        @Derived({ (cell: Cell) in cell.value + (cell.isOn ? cell.parts.reduce(0) { $0 + $1.sum } : 0) }) var sum: Int

        /// What `sum` has to be, recorded by nobody.
        var recomputed: Int { value + (isOn ? parts.reduce(0) { $0 + $1.recomputed } : 0) }

        override class var schema: Schema {
            Schema(Cell.self, extending: super.schema) {
                Key("doubled", \.doubled, affectedBy: "sum")
                Key("total", \.total, affectedBy: "parts.@sum.sum")
            }
        }
    }

    /// What an observer knows: the value from its registration, or the one that it was told last.
    private final class Mirror {
        let cell: Cell
        let keyPath: String
        var known: Int?
        var problem: String?
        var observation: KeyValueObservation?

        init(of cell: Cell, _ keyPath: String) throws {
            (self.cell, self.keyPath) = (cell, keyPath)
            known = try cell.value(forKeyPath: keyPath) as? Int
            observation = try cell.observe(keyPath, as: Int.self, options: [.old, .new]) { [unowned self] change in
                if change.oldValue != known {
                    problem = "\(keyPath): old \(change.oldValue ?? -1) after \(known ?? -1)"
                }
                known = change.newValue
            }
        }

        var expected: Int? {
            switch keyPath {
            case "doubled": cell.recomputed * 2
            case "total": cell.parts.reduce(0) { $0 + $1.recomputed }
            case "target.sum": cell.target?.recomputed
            case "target.doubled": cell.target.map { $0.recomputed * 2 }
            default: cell.recomputed
            }
        }
    }

    @Test("all observers end on what is there, whatever happens between the changes", arguments: 0..<24)
    func world(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        func number(_ below: Int) -> Int { Int(random.next() % UInt64(below)) }
        let cells = (0..<40).map { _ in Cell() }
        // Parts have higher numbers, so nothing is in a circle.
        func parts(of index: Int) -> [Cell] {
            index < 39 ? (0..<number(4)).map { _ in cells[index + 1 + number(39 - index)] } : []
        }
        for index in 0..<40 { cells[index].parts = parts(of: index) }
        var mirrors: [Mirror] = []
        func add() throws {
            let keyPath = ["sum", "doubled", "total", "target.sum", "target.doubled"][number(5)]
            mirrors.append(try Mirror(of: cells[number(40)], keyPath))
        }
        for _ in 0..<90 { try add() }
        /// Whether a change is announced: who registers meanwhile is told of the next one only.
        var isOpen = false
        func step() throws {
            let index = number(40)
            switch number(20) {
            case 0..<11: cells[index].value += 1 + number(3)
            case 11: cells[index].isOn.toggle()
            case 12: cells[index].parts = parts(of: index)
            case 13: cells[index].target = number(3) == 0 ? nil : cells[number(40)]
            case 14 where !isOpen: try add()
            case 15 where !mirrors.isEmpty: mirrors.remove(at: number(mirrors.count)).observation?.remove()
            case 16: expectEqual(cells[index].sum, cells[index].recomputed)
            case 17:
                let wasOpen = isOpen
                isOpen = true
                defer { isOpen = wasOpen }
                try cells[index].withMutation(of: "value") {
                    cells[index].value += 1
                    if number(2) == 0 { try step() }
                }
            default: cells[index].$value.value += 1
            }
        }
        for round in 0..<20 {
            let isAnnounced = number(4) == 0
            let announced = cells[number(40)]
            if isAnnounced {
                isOpen = true
                announced.willChangeValue(forKey: "value")
                announced.value += 1
            }
            try coalescingChanges {
                let end = number(30)
                for number in 0..<30 {
                    try step()
                    if number == end, isAnnounced {
                        announced.didChangeValue(forKey: "value")
                        isOpen = false
                    }
                }
            }
            for mirror in mirrors {
                #expect(mirror.problem == nil, "seed \(seed), round \(round)")
                expectEqual(mirror.known, mirror.expected)
            }
            for cell in cells { expectEqual(cell.sum, cell.recomputed) }
        }
        for cell in cells { (cell.parts, cell.target) = ([], nil) }
    }

    @Test(
        "an observer that is added between two changes is told of the second", arguments: ["sum", "doubled", "total"])
    func added(key: String) throws {
        let cells = (0..<40).map { _ in Cell() }
        for (cell, next) in zip(cells, cells.dropFirst()) { cell.parts = [next] }
        for cell in cells { try cell.observe(key) { _ in } }
        var told: [Int] = []
        try coalescingChanges {
            for value in 1...40 { cells[39].value = value }
            try cells[0].observe(key, as: Int.self, options: .new) { told.append($0.newValue!) }
            cells[39].value = 9
        }
        expectEqual(told, [key == "doubled" ? 18 : 9])
        for cell in cells { cell.parts = [] }
    }

    @Test("a change that follows rearm() in the same block calls the observation", arguments: [2, 40])
    func armed(count: Int) throws {
        let (cells, scheduler) = ((0..<count).map { _ in Cell() }, ManualScheduler())
        for (cell, next) in zip(cells, cells.dropFirst()) { cell.parts = [next] }
        for cell in cells { cell.$sum.observe { _ in } }
        let calls = Counter()
        let observation = try cells[0].observe("doubled", as: Int.self, options: .once, on: scheduler) { _ in
            calls.add()
        }
        cells[count - 1].value = 1
        try coalescingChanges {
            for value in 2...40 { cells[count - 1].value = value }
            try observation.rearm()
            cells[count - 1].value = 50
        }
        scheduler.runAll()
        expectEqual(calls.count, 2)
        for cell in cells { cell.parts = [] }
    }

    @Test("a change that is announced inside and ends behind it is told at its end") func announcedInside() throws {
        let cells = (0..<40).map { _ in Cell() }
        for (cell, next) in zip(cells, cells.dropFirst()) { cell.parts = [next] }
        var told: [Int] = []
        for cell in cells.dropFirst() { cell.$sum.observe { _ in } }
        cells[0].$sum.observe(options: .new) { told.append($0.newValue!) }
        coalescingChanges {
            for value in 1...40 { cells[39].value = value }
            cells[38].willChangeValue(forKey: "value")
        }
        cells[38].value = 10
        cells[38].didChangeValue(forKey: "value")
        expectEqual(told, [50])
        for cell in cells { cell.parts = [] }
    }

    @Test(
        "a long chain of which every value is to be computed again takes no stack, and computes each once",
        arguments: [false, true])
    func deep(isRead: Bool) {
        let count = size(40_000)
        let cells = (0..<count).map { _ in Cell() }
        for (cell, next) in zip(cells, cells.dropFirst()) { cell.parts = [next] }
        // From the end: the first evaluation of a value waits for what it reads.
        var calls = 0
        for cell in cells.reversed() { cell.$sum.observe { _ in calls += 1 } }
        nonisolated(unsafe) let box = (cells, 0)
        onAnotherThread(stackSize: 512 << 10) {
            coalescingChanges {
                for cell in box.0 { cell.value = 1 }
                if isRead { expectEqual(box.0[0].sum, count) }
            }
        }
        #expect(cells[0].sum == count && calls == count)
        for cell in cells { cell.parts = [] }
    }

    private final class Mixed: TrackedObject {
        @Observed var a = 0
        @Observed var b = 0
        @Derived({ (mixed: Mixed) in mixed.b * 2 }) var double: Int
        /// Reads what `double` reads, and not `double`.
        var key: Int { a + b * 20 }

        override class var schema: Schema {
            Schema(Mixed.self, extending: super.schema) { Key("key", \.key, affectedBy: "a", "double") }
        }
    }

    @Test(
        "in coalescingChanges, a key affected by two bases is told of the one set after an announced change of the other has ended",
        arguments: [2, 40])
    func endedInside(others: Int) throws {
        let (cells, mixed) = ((0..<others).map { _ in Cell() }, Mixed())
        for cell in cells { cell.$value.observe { _ in } }
        var told: [String] = []
        try mixed.observe("key", options: [.old, .new]) { told.append("\($0.oldValue!) \($0.newValue!)") }
        mixed.willChangeValue(forKey: "a")
        coalescingChanges {
            for cell in cells { cell.value = 1 }
            mixed.b = 1
            mixed.didChangeValue(forKey: "a")
            mixed.b = 2
        }
        expectEqual(told, ["0 20", "20 40"])
    }

    // In a process of its own: what other threads register may have a change look everywhere.
    @Test("changes of all that one chain of derived values reads take a time like their number") func growth() async {
        await #expect(processExitsWith: .success) {
            let ratio = timeRatio(to: size(16_000)) { count in
                let cells = (0..<count).map { _ in Cell() }
                for (cell, next) in zip(cells, cells.dropFirst()) { cell.parts = [next] }
                for cell in cells.reversed() { cell.$sum.observe { _ in } }
                return processorTime { coalescingChanges { for cell in cells { cell.value = 1 } } }
            }
            #expect(ratio < 9)
        }
    }
}
