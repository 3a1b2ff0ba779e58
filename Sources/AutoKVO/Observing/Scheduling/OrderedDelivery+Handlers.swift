// What makes a queue the handler of an observation: each function sets what is called at the destination, and returns what is called on the
// thread of the change.

extension OrderedDelivery {
    /// The handler of an observation that is delivered on a scheduler.
    @usableFromInline func handler<Value: Sendable>(
        on scheduler: some ChangeScheduler, _ handler: @escaping @Sendable (Change<Value>) -> Void
    ) -> HandlerCall {
        call = { _, context in handler(Change(context)) }
        return .closure { (change: Change<Value>) in
            if let added = self.add(change) { scheduler.schedule { added.deliver() } }
        }
    }

    /// The same for the main actor.
    @usableFromInline func handler<Value: Sendable>(
        onMain scheduler: some MainActorChangeScheduler, _ handler: @escaping @MainActor (Change<Value>) -> Void
    ) -> HandlerCall {
        self.handler(on: scheduler) { (change: Change<Value>) in
            // Nothing else refers to the change, whose values are `Sendable`.
            nonisolated(unsafe) let change = change
            scheduler.run { handler(change) }
        }
    }

    /// The same for an actor, which is the observer.
    ///
    /// - Parameter isAtOnce: Whether a change that is made on the actor is delivered before the write returns.
    @usableFromInline func handler<Value: Sendable, A: Actor>(
        onActor handler: @escaping @Sendable (isolated A, Change<Value>) -> Void, isAtOnce: Bool = false,
        _ shape: HandlerCall.Shape = .observerAndChange
    ) -> HandlerCall {
        call = { actor, context in IsolatedHandler(body: handler)(known(actor!, as: A.self), Change(context)) }
        return .closure(
            { (actor: A, change: Change<Value>) in
                if isAtOnce, actor.isCurrent { return self.deliverAtOnce(change, on: actor) }
                if let added = self.add(change, for: actor) { actor.enqueue { added.deliver() } }
            }, shape)
    }

    /// The same for an observation's observer. Changes under way do not keep it alive: the handler is called if it is alive then. Nor does the
    /// thread of the change, so it is not released there.
    @usableFromInline func handler<Observer: AnyObject, Content>(
        _ parcel: Parcel<Content>, to destination: Destination<Observer, Content>
    ) -> HandlerCall {
        let (open, handler) = (parcel.open, destination.handler)
        call = { actor, context in
            guard let observer = context.observer else { return context.currentObservation.observerIsGone() }
            handler(actor, known(observer, as: Observer.self), open(context))
        }
        return .sending(ignoresChange: parcel.ignoresChange) { (change: Change<Never>) in
            let observation = change.observation
            if observation.observerRecord!.isDeinitializing { return observation.observerIsGone() }
            parcel.pack(change.context, self) { destination.send(observation, $0) }
        }
    }
}
