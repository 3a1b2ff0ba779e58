import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Classic: Model {
    var log: [String] = []
    override func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [KeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        let change = change ?? [:]
        log.append(
            "\(keyPath!) \(object is Person) kind \(change[.kindKey]!) "
                + "old \(change[.oldKey] ?? "-") new \(change[.newKey] ?? "-") "
                + "prior \(change[.notificationIsPriorKey] ?? "-") "
                + "context \(context.map { $0.load(as: UInt8.self) } ?? 0)"
        )
    }
}

private final class Deaf: Model {}

/// Foundation's wording.
struct ClassicTests {
    private let classic = Classic()
    let person = Person()

    @Test("path, object, change and context are the registered ones") func contents() throws {
        let context = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
        context.storeBytes(of: 7, as: UInt8.self)
        defer { context.deallocate() }
        try person.addObserver(classic, forKeyPath: "age", options: [.old, .new, .prior], context: context)
        try person.addObserver(classic, forKeyPath: "firstName", context: nil)
        person.age = 3
        person.firstName = "x"
        expectEqual(
            classic.log,
            [
                "age true kind 1 old 0 new - prior true context 7", "age true kind 1 old 0 new 3 prior - context 7",
                "firstName true kind 1 old - new - prior - context 0",
            ])
    }

    @Test("the one that was registered last is removed, however many the observer has", arguments: [0, 30])
    func last(others: Int) throws {
        let rows = (0..<others).map { _ in Person() }
        for row in rows { try row.addObserver(classic, forKeyPath: "age", context: nil) }
        let context = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
        defer { context.deallocate() }
        let first = try person.addObserver(classic, forKeyPath: "age", context: context)
        let last = try person.addObserver(classic, forKeyPath: "firstName|age", options: .new, context: context)
        person.removeObserver(classic, forKeyPath: "age", context: context)
        #expect(last.keyPaths == ["firstName"] && first.isValid)
        person.removeObserver(classic, forKeyPath: "age", context: context)
        #expect(last.isValid && !first.isValid)
        classic.stopObserving()
    }

    @Test("an observer that does not override the callback is a diagnostic that names it") func notOverridden() throws {
        let deaf = Deaf()
        try person.addObserver(deaf, forKeyPath: "age", context: nil)
        let lines = messages { person.age = 1 }
        expectEqual(lines.count, 1)
        expectEqual(lines.first?.contains("Deaf"), true)
        expectEqual(lines.first?.contains("age"), true)
    }

    @Test("a classic observation ends with either side, and can be removed without a context") func ends() throws {
        try person.addObserver(classic, forKeyPath: "age", context: nil)
        expectEqual(person.removeObserver(classic, forKeyPath: "age"), 1)
        do {
            let other = Classic()
            try person.addObserver(other, forKeyPath: "age", context: nil)
        }
        #expect(person.observations().isEmpty)
        person.age = 1
        #expect(classic.log.isEmpty)
    }
}
