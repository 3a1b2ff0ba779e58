/// What one change of a traced object leads to, while its observers are called.
///
/// A trace has an observation of each key, which is called before all others (`ObservationFlags.first`). Its handler marks what is under way
/// of the change, and completes it inside of itself, as a change that a handler makes does: so all calls of the change are made in that
/// time, through the slow path of `HandlerLoop`, which measures those of marked events. `person.firstName = "Bea"`, of which `fullName` is
/// derived, both traced and observed:
///
///     deliver firstName ─▶ the trace's handler of firstName
///                            marks and completes firstName ─▶ an observer of firstName: measured
///                            marks and completes fullName  ─▶ the trace's handler of fullName: adds itself to `others`
///                                                          ─▶ an observer of fullName: measured
///                            tells of the change of firstName, then of that of fullName, each with its calls
///
/// A delivery of which nothing is marked executes no instruction more than without this.
struct TracedCalls {
    /// A change, and what tells of it.
    typealias Change = (target: ObjectIdentifier, key: String, tell: ([TracedChange.Call]) -> Void)

    fileprivate(set) var calls: [TracedChange.Call] = []
    /// Further changes that the same store made: of derived keys, and for other traces.
    private(set) var others: [Change] = []

    /// In the handler of a trace: has all those called whom the change concerns, and then tells of it.
    static func complete(_ context: ChangeContext, telling tell: @escaping ([TracedChange.Call]) -> Void) {
        let thread = ThreadContext.current
        let (record, slot) = (context.currentObservation.record!, Int(context.currentObservation.slot))
        let change: Change = (ObjectIdentifier(record), record.schema!.keys[slot].name, tell)
        if context.event.value.excluded.contains(.traced), !thread.value.traced.isEmpty {
            return thread.value.traced[thread.value.traced.count - 1].others.append(change)
        }
        // The rest of a change that is two edits is pending, too (`inTwoEdits`). It is a change of its own, behind this one.
        let rest = Transaction.olderDeliveries(of: record, slot, thread).filter { $0.continuation == nil }
        for delivery in rest { delivery.event.excluded.formUnion(.traced) }
        thread.value.traced.append(TracedCalls())
        Transaction.complete(rest, thread)
        let made = thread.value.traced.removeLast()
        // Those of no other change are of this one: of paths of other objects, too.
        func isSame(_ other: Change) -> Bool { other.target == change.target && other.key == change.key }
        let ofOthers = Dictionary(grouping: made.others.filter { !isSame($0) }, by: \.target)
        let own = made.calls.filter { call in !(ofOthers[call.target] ?? []).contains { call.isOf($0) } }
        tell(own)
        let calls = Dictionary(grouping: made.calls, by: \.target)
        for other in made.others {
            // Another trace of the same object reports the same calls.
            other.tell(isSame(other) ? own : (calls[other.target] ?? []).filter { $0.isOf(other) })
        }
    }
}

extension InPlace where Value == ThreadContext {
    /// A marked call has been made. That of a trace's own observation is none.
    func noteCall(of observation: KeyValueObservation, by route: Route?, since start: ContinuousClock.Instant) {
        if value.traced.isEmpty || observation.flags.contains(.first) && observation.observerRecord == nil { return }
        let (duration, keyPath) = (start.duration(to: .now), route?.text ?? observation.directKey)
        let target = ObjectIdentifier(route?.root ?? observation.record!)
        value.traced[value.traced.count - 1].calls.append(
            .init(keyPath: keyPath, registeredAt: observation.registrationSite, duration: duration, target: target))
    }
}
