import AutoKVO
import Foundation

/// What the page shows of the objects that may be traced.
struct TraceList: Codable, Equatable {
    struct Object: Codable, Equatable {
        var address, name: String
        var isTraced: Bool
    }

    struct Change: Codable, Equatable {
        struct Call: Codable, Equatable {
            var keyPath, registeredAt: String
            var microseconds: Double
        }

        /// Counted up over all objects.
        var number: Int
        /// Seconds since 1970.
        var time: Double
        var object, key: String
        var oldValue, newValue: String?
        var calls: [Call]
    }

    /// Another text each time the program is started: the numbers of the changes then begin again.
    var start: String
    var objects: [Object]
    /// The oldest first.
    var changes: [Change]
}

/// The objects that the program has offered, and the last changes of those that are traced.
///
/// No object can be made of an address in a graph. So only what the program offers is traced, and the trace begins on the object's
/// actor, since values may be computed for it.
final class Traces: @unchecked Sendable {  // All variables are used under `lock`.
    /// How many changes are kept.
    static let limit = 500

    private final class Offer {
        let address, name: String
        /// The object's actor, and the object, which is used there alone.
        let actor: any Actor
        let object: WeakObject
        var isWanted = false, isChecked = false
        var token: ScopedObservation?

        init(_ address: String, _ name: String, _ object: TrackedObject, _ actor: any Actor) {
            (self.address, self.name, self.actor, self.object) = (address, name, actor, WeakObject(object))
        }
    }

    private final class WeakObject: @unchecked Sendable {  // Used on the actor of the object alone.
        weak var object: TrackedObject?

        init(_ object: TrackedObject) { self.object = object }
    }

    private let start = UUID().uuidString
    private let lock = NSLock()
    private var offers: [Offer] = []
    private var changes: [TraceList.Change] = []
    private var count = 0

    /// On the actor. An object without keys is left out: the trace of one stops the program.
    func offer(_ object: TrackedObject, name: String, on actor: any Actor) {
        guard !type(of: object).keyDescriptions.isEmpty else { return }
        let address = "0x" + String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16)
        forget(address)
        lock.withLock { offers.append(Offer(address, name, object, actor)) }
    }

    /// Begins or ends a trace; false if no object of this address is offered.
    func setTraced(_ isTraced: Bool, _ address: String) async -> Bool {
        guard
            let (actor, object, name, old) = lock.withLock({
                () -> (any Actor, WeakObject, String, ScopedObservation?)? in
                guard let offer = offers.first(where: { $0.address == address }) else { return nil }
                offer.isWanted = isTraced
                let old = offer.token
                if !isTraced { offer.token = nil }
                return (offer.actor, offer.object, offer.name, old)
            })
        else { return false }
        guard isTraced else {
            old?.remove()
            return true
        }
        if old != nil { return true }
        let begun = await Self.run(on: actor) { [self] () -> ScopedObservation? in
            guard let target = object.object else { return nil }
            let trace = Diagnostics.trace(target) { [weak self] in self?.note($0, of: "\(name) \(address)") }
            trace.observation.onEnd { [weak self] in if $0 == .targetDeinitialized { self?.forget(address) } }
            return trace
        }
        guard let begun else {
            forget(address)
            return false
        }
        // Somebody may have ended it meanwhile, or begun it too: then this one ends as it is released.
        lock.withLock {
            if let offer = offers.first(where: { $0.object === object }), offer.isWanted, offer.token == nil {
                offer.token = begun
            }
        }
        return true
    }

    /// What is there, with the changes after one that is known.
    func list(after number: Int) -> TraceList {
        let (list, unchecked) = lock.withLock {
            let unchecked = offers.filter { $0.token == nil && !$0.isChecked }
            for offer in unchecked { offer.isChecked = true }
            return (
                TraceList(
                    start: start,
                    objects: offers.map { .init(address: $0.address, name: $0.name, isTraced: $0.token != nil) },
                    changes: changes.filter { $0.number > number }),
                unchecked.map { ($0.address, $0.actor, $0.object) }
            )
        }
        // An object that is not traced tells nobody of its death; whether it is dead is looked for on its actor.
        for (address, actor, object) in unchecked {
            Task {
                let isAlive = await Self.run(on: actor) { object.object != nil }
                if isAlive {
                    lock.withLock { offers.first { $0.object === object }?.isChecked = false }
                } else {
                    forget(address, object)
                }
            }
        }
        return list
    }

    private static func run<T: Sendable>(on actor: isolated any Actor, _ body: @Sendable () -> T) -> T { body() }

    private func forget(_ address: String, _ object: WeakObject? = nil) {
        // Released after the lock: a token ends its trace.
        let gone = lock.withLock {
            let gone = offers.filter { $0.address == address && (object == nil || $0.object === object) }
            offers.removeAll { offer in gone.contains { $0 === offer } }
            return gone
        }
        withExtendedLifetime(gone) {}
    }

    /// In the handler of a trace.
    private func note(_ change: TracedChange, of object: String) {
        func text(_ value: Any?) -> String? {
            guard let value else { return nil }
            let text = "\(value)"
            return text.count > 200 ? text.prefix(200) + "…" : text
        }
        let (old, new, time) = (text(change.oldValue), text(change.newValue), Date().timeIntervalSince1970)
        let calls = change.calls.map {
            TraceList.Change.Call(
                keyPath: $0.keyPath, registeredAt: $0.registeredAt, microseconds: $0.duration / .microseconds(1))
        }
        lock.withLock {
            count += 1
            changes.append(
                .init(
                    number: count, time: time, object: object, key: change.key, oldValue: old, newValue: new,
                    calls: calls))
            if changes.count > Self.limit { changes.removeFirst() }
        }
    }
}
