import AutoKVO
import AutoKVOTestSupport
import Testing

/// Another thread changes the source while a binding reads, transforms, compares or sets its value:
///
///     thread 1                                      thread 2
///     source.n = 1, reads 1 for the bound property
///                                                   source.n = 2, sets the bound property to 2
///     must not set the bound property to 1
struct BindingElsewhereTests {
    private final class Source: Model {
        @Observed var n = 0
        @Observed var other: Source?
        var meanwhile: (() -> Void)?
        var slow: Int {
            let value = n
            act()
            return value
        }

        /// The first time, another thread acts.
        func act() { if let meanwhile = meanwhile.take() { onAnotherThread(meanwhile) } }

        override class var schema: Schema {
            Schema(Source.self, extending: super.schema) { Key("slow", \.slow, affectedBy: "n") }
        }
    }

    private final class Label: Model {
        @Observed var number = 0
        @Observed var next: Label?

        override class var schema: Schema {
            Schema(Label.self, extending: super.schema) { Key("number", \.number) }
        }
    }

    enum Kind: CaseIterable { case name, nameWithTransform, handle, closure, path, bothWays, copyOfGetter }

    @Test("the bound property ends on the last value, and no older one is written back", arguments: Kind.allCases)
    func inWhatReads(kind: Kind) throws {
        let (source, label, shown) = (Source(), Label(), Recorder<Int>())
        label.next = label
        defer { label.next = nil }
        func slowly(_ value: Int) -> Int {
            source.act()
            return value
        }
        switch kind {
        case .name: try label.bind("number", to: "slow", of: source)
        case .nameWithTransform: try label.bind("number", to: "n", of: source) { (n: Int) in slowly(n) }
        case .handle: label.$number.bind(to: source.$n, transform: slowly)
        case .closure: label.$number.bind { source.slow }
        case .path: label.$next.$number.bind(to: source.$n, transform: slowly)
        case .bothWays: label.$number.bindBothWays(to: source.$n, transform: slowly, inverse: { $0 })
        case .copyOfGetter: label.$number.bind(to: try source.path("slow", as: Int.self), transform: { $0! })
        }
        label.$number.observe(options: [.old, .new], shown.handler())
        for first in [1, 5] {
            source.meanwhile = { [unowned source] in source.n = first + 1 }
            source.n = first
            expectEqual(source.n, first + 1)
            expectEqual(label.number, first + 1)
        }
        // The older values were not shown.
        expectEqual(shown.entries.map { [$0.old, $0.new] }, [[0, 2], [2, 6]])
        source.n = 7
        expectEqual(label.number, 7)
        label.number = 8
        expectEqual(source.n, kind == .bothWays ? 8 : 7)
    }

    @Test("the last value stays, also where it comes before or behind the set", arguments: [true, false])
    func inHandlers(isPrior: Bool) throws {
        let (source, label) = (Source(), Label())
        label.$number.bind(to: source.$n)
        label.$number.observe(options: .prior) { [unowned source] in if $0.isPrior == isPrior { source.act() } }
        source.meanwhile = { [unowned source] in source.n = 2 }
        source.n = 1
        #expect(source.n == 2 && label.number == 2)
        source.n = 3
        expectEqual(label.number, 3)
    }

    @Test("a binding that was left by both threads still notices changes in what it calls") func nested() {
        let (source, label) = (Source(), Label())
        label.$number.bind(to: source.$n)
        label.$number.observe { [unowned source] _ in if source.n == 2 { source.n = 4 } }
        source.meanwhile = { [unowned source] in source.n = 1 }
        label.$number.observe { [unowned source] _ in source.act() }
        source.n = 7
        source.n = 2
        #expect(source.n == 4 && label.number == 4)
    }
}
