/// What an observer elsewhere gets of a change: how it is put into the queue, on the thread of the change, and taken out of it.
@usableFromInline struct Parcel<Content> {
    var ignoresChange = false
    let pack: (ChangeContext, OrderedDelivery, _ send: (_ make: MakeScheduled) -> Void) -> Void
    let open: @Sendable (ChangeContext) -> Content

    /// The change.
    @usableFromInline static func change<Value: Sendable>() -> Parcel where Content == Change<Value> {
        Parcel(
            pack: { change, queue, send in send { queue.add(Change<Value>(change), for: $0) } }, open: { Change($0) })
    }

    /// Nothing but that there was one.
    @usableFromInline static func nothing() -> Parcel where Content == Void {
        Parcel(
            ignoresChange: true, pack: { change, queue, send in send { queue.add(Change<Never>(change), for: $0) } },
            open: { _ in })
    }

    /// The whole value that there is at the change.
    @usableFromInline static func value() -> Parcel where Content: Sendable {
        let turns = Turns()
        return Parcel(
            pack: { context, queue, send in
                let change = Change<Never>(context)
                turns.hand(change.currentValue(as: Content.self), while: change.isHeard) { value in
                    send { queue.add(change, for: $0, with: value) }
                }
            },
            open: { content(of: known($0, as: ScheduledChange.self).value!, as: Content.self) })
    }
}

/// Makes what is sent, for an actor if there is one; nil if it has nobody to go to any more.
typealias MakeScheduled = (_ actor: AnyObject?) -> ScheduledChange?

/// Where an observer gets something of a change, and its handler there.
@usableFromInline struct Destination<Observer: AnyObject, Content> {
    /// Sends what is made for it.
    let send: (KeyValueObservation, MakeScheduled) -> Void
    let handler: @Sendable (_ actor: AnyObject?, Observer, Content) -> Void

    @usableFromInline static func scheduler(
        _ scheduler: some ChangeScheduler, _ handler: @escaping @Sendable (Observer, Content) -> Void
    ) -> Destination {
        Destination(
            send: { _, make in if let change = make(nil) { scheduler.schedule { change.deliver() } } },
            handler: { handler($1, $2) })
    }

    @usableFromInline static func mainActor(
        _ scheduler: some MainActorChangeScheduler, _ handler: @escaping @MainActor (Observer, Content) -> Void
    ) -> Destination {
        .scheduler(scheduler) { observer, content in
            // Nothing else refers to the content, which is sendable but for what the change refers to. The observer is the main actor's, or
            // sendable.
            nonisolated(unsafe) let (observer, content) = (observer, content)
            scheduler.run { handler(observer, content) }
        }
    }

    /// The actor is not kept: it may own the observer.
    @usableFromInline static func actor<A: Actor>(
        _ actor: A, _ handler: @escaping @Sendable (isolated A, Observer, Content) -> Void
    ) -> Destination {
        let reference = PinnedReference(actor)
        return Destination(
            send: { observation, make in
                guard let actor = reference.object else { return observation.remove() }
                if let change = make(actor) { actor.enqueue { change.deliver() } }
            },
            handler: { actor, observer, content in
                // As for the main actor.
                nonisolated(unsafe) let (observer, content) = (observer, content)
                known(actor!, as: A.self).assumeIsolated { handler($0, observer, content) }
            })
    }
}
