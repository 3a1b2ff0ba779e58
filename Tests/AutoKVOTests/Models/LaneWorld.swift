import AutoKVO
import AutoKVOTestSupport

/// Changes that are open on one thread while another one makes changes of what the same values depend on. The threads take turns.
///
/// When nothing is open, whatever was told last is what there is.
final class LaneWorld: RandomWorld {
    private final class Cell: Model {
        @Observed var a = 0
        @Observed var b = 0
        @Observed(.distinct) var level = 0
        @Observed var isSum = true
        @Observed var next: Cell?
        @Observed var list: [Int] = []
        @Derived({ (cell: Cell) in cell.isSum ? cell.a + cell.b : cell.level }) var total: Int
        @Derived({ (cell: Cell) in cell.total / 2 + (cell.next?.total ?? 0) }) var further: Int
        var double: Int { 2 * total }

        override class var schema: Schema {
            Schema(Cell.self, extending: super.schema) { Key("double", \.double, affectedBy: "total", "level") }
        }
    }

    private let (first, second, bound) = (Cell(), Cell(), Cell())
    /// What was told last, by the name of the observer, and what it should be.
    private var told: [String: Int] = [:]
    private var checks: [(name: String, value: () -> Int)] = []

    private func expect(_ name: String, _ value: @escaping () -> Int) {
        checks.append((name, value))
        told[name] = value()
    }

    private func start() {
        second.next = pick(2) == 0 ? nil : first
        first.next = nil
        let name = ["next.total", "next.double", "next.a", "next.list.@sum"]
        for path in name {
            try! second.observe(path, as: Int?.self, options: [.old, .new]) { [unowned self] in
                told[path] = ($0.newValue ?? nil) ?? -1
            }
            expect(path) { [unowned self] in
                guard let next = second.next else { return path == name[3] ? 0 : -1 }
                return path == name[0]
                    ? next.total : path == name[1] ? next.double : path == name[2] ? next.a : next.list.reduce(0, +)
            }
        }
        for (number, cell) in [first, second].enumerated() {
            let keys: [(String, (Cell) -> Int)] = [
                ("total", { $0.total }), ("further", { $0.further }), ("double", { $0.double }),
                ("level", { $0.level }), ("a", { $0.a }),
            ]
            for (key, value) in keys {
                for options: ObservingOptions in [[.old, .new], [.new, .distinct], [.old, .new, .prior]]
                where pick(3) > 0 {
                    let name = "\(number) \(key) \(options)"
                    try! cell.observe(key, as: Int.self, options: options) { [unowned self] change in
                        if !change.isPrior { told[name] = change.newValue! }
                    }
                    expect(name) { value(cell) }
                }
            }
        }
        first.$further.onValue { [unowned self] in told["value"] = $0 }
        expect("value") { [unowned self] in first.further }
        second.observe(reading: { $0.total + ($0.next?.level ?? 0) }, options: .new) { [unowned self] in
            told["read"] = $1.newValue!
        }
        expect("read") { [unowned self] in second.total + (second.next?.level ?? 0) }
        bound.$a.bind(to: second.$total)
        checks.append(("bound a", { [unowned self] in second.total }))
        bound.$b.bind { [unowned self] in first.total + second.further }
        checks.append(("bound b", { [unowned self] in first.total + second.further }))
    }

    private func change() {
        let (cell, value) = (pick(2) == 0 ? first : second, pick(4) - 1)
        switch pick(9) {
        case 0, 1:
            note("\(cell === first ? "0" : "1").a = \(value)")
            cell.a = value
        case 2:
            note("b = \(value)")
            cell.b = value
        case 3:
            note("\(cell === first ? "0" : "1").level = \(value)")
            cell.level = value
        case 4:
            note("\(cell === first ? "0" : "1").isSum")
            cell.isSum.toggle()
        case 5:
            note("next")
            second.next = second.next == nil ? first : nil
        case 6:
            note("append \(value)")
            first.$list.append(value)
        default:
            hold(cell)
        }
    }

    private func hold(_ cell: Cell) {
        if held > 3 { return }
        func several() { holding { for _ in 0...pick(3) { change() } } }
        switch pick(5) {
        case 0:
            note("coalescing")
            coalescingChanges(several)
        case 1:
            note("mutation of \(cell === first ? "0" : "1").a")
            cell.$a.withMutation(several)
        case 2:
            note("will and did of level")
            cell.willChangeValue(forKey: "level")
            several()
            cell.didChangeValue(forKey: "level")
        default:
            note("another thread")
            onAnotherThread(several)
        }
    }

    func run(_ steps: Int) {
        start()
        for _ in 0..<steps where fault == nil {
            begin([])
            change()
            (told["bound a"], told["bound b"]) = (bound.a, bound.b)
            for check in checks where told[check.name] != check.value() {
                fail("\(check.name) is \(check.value()), and was told to be \(told[check.name] ?? -2)")
            }
        }
    }
}
