import AutoKVO
import AutoKVOTestSupport

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What hangs in a tree that nobody changes once it is made. Thread *n* alone writes the *n*th property.
final class Knot: Model {
    @Observed var a = 0
    @Observed var b = 0
    @Observed var c = 0
    @Observed var d = 0
    @Observed var left: Knot?
    @Observed var right: Knot?

    var any: Int { 0 }

    nonisolated(unsafe) static let properties: [ReferenceWritableKeyPath<Knot, Int>] = [\.a, \.b, \.c, \.d]

    override class var schema: Schema {
        Schema(Knot.self, extending: super.schema) {
            Key("a", \.a)
            Key("b", \.b)
            Key("c", \.c)
            Key("d", \.d)
            Key("left", \.left)
            Key("right", \.right)
            Key("any", \.any, affectedBy: "a", "b", "c", "d")
            Handler("note") { _, _, _ in }
        }
    }

    static func make(_ tracker: LifetimeTracker, depth: Int = 2) -> Knot {
        let knot = tracker.track(Knot())
        if depth > 0 {
            knot.left = make(tracker, depth: depth - 1)
            knot.right = make(tracker, depth: depth - 1)
        }
        return knot
    }
}

final class PlainNote: SchemaProviding {
    let lifetime: LifetimeToken
    init(_ tracker: LifetimeTracker) { lifetime = tracker.token() }
    static var schema: Schema { Schema(PlainNote.self) { Handler("note") { _, _ in } } }
}

/// Things that any thread takes, replaces and drops. What is replaced is released by whoever has it last.
struct Pool<Element> {
    private let places: [Guarded<Element?>]

    init(_ count: Int) { places = (0..<count).map { _ in Guarded(nil) } }

    func element(_ random: inout SplitMix64) -> Element? {
        places.randomElement(using: &random)!.withLock { $0 }
    }

    func replace(_ random: inout SplitMix64, by element: Element?) {
        var element = element
        places.randomElement(using: &random)!.withLock { swap(&$0, &element) }
    }

    func clear() {
        for place in places {
            var element: Element?
            place.withLock { swap(&$0, &element) }
        }
    }
}

/// The changes that handlers keep: each thread's own, since a change stays on its thread.
final class KeptChanges: @unchecked Sendable {
    // Written by its thread only, which finds it by the key.

    private let key: pthread_key_t

    final class OfThread {
        var changes: [Change<Any>] = []
    }

    init() {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        self.key = key
    }

    deinit { pthread_key_delete(key) }

    func with(_ mine: OfThread, _ body: () -> Void) {
        pthread_setspecific(key, Unmanaged.passUnretained(mine).toOpaque())
        // That dead observers miss changes is what is wanted here.
        Diagnostics.withHandler({ _ in }, operation: body)
        pthread_setspecific(key, nil)
    }

    func keep(_ change: Change<Any>) {
        guard let pointer = pthread_getspecific(key) else { return }
        let mine = Unmanaged<OfThread>.fromOpaque(pointer).takeUnretainedValue()
        if mine.changes.count == 16 { mine.changes.removeFirst() }
        mine.changes.append(change)
    }
}
