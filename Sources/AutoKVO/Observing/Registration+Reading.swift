extension Registration {
    /// Observes what a closure reads for an observer. An observer whose deinit has begun is a mistake in code, and traps.
    @usableFromInline
    consuming func observe<Value>(
        reading body: @escaping (AnyObject) -> Value, for observer: AnyObject
    ) -> KeyValueObservation {
        let site = site
        do throws(KeyValueError) { return try observe(nil, by: observer, reading: body) } catch {
            fatalMisuse("\(error), at \(site.description)")
        }
    }

    /// Observes what a function reads, of the target, or, where there is none, of the observer.
    consuming func observe<Value>(
        _ target: TrackedObject?, by observer: AnyObject?, reading body: @escaping (AnyObject) -> Value
    ) throws(KeyValueError) -> KeyValueObservation {
        let root = target ?? observer!
        guard let record = try ObjectRecord.make(for: root) else { throw Self.dying(root, "") }
        let site = site
        let function = Expression.Function(
            body: { body($0) as Any }, holdsObject: unwrappedType(Value.self) is TrackedObject.Type,
            isOfTarget: target != nil, label: { "What is observed at \(site.description)" })
        let details = useDetails()
        let targets = target.map { [$0] } ?? []
        let observation = try makeWithRoutes(.to(record), of: targets, by: observer)
        let route = Route(function, root: record, sink: .observation(observation))
        details.routes = RouteList(route)
        guard observation.attach() else {
            observation.end(.removed)
            throw Self.dying(root, "")
        }
        if observation.isValid, route.expression!.sources.isEmpty {
            Diagnostics.report(
                "What is observed at \(site.description) reads nothing that is observed, so nobody will be called")
        }
        if observation.options.contains(.initial) { observation.callInitially() }
        return observation
    }
}
