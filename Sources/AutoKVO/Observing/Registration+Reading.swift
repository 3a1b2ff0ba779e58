extension Registration {
    /// Observes what a function reads, of the target, or, where there is none, of the observer. One whose deinit has begun is a mistake in
    /// code, and traps.
    ///
    /// - Parameter type: The type of the function's values.
    @usableFromInline consuming func observe(
        reading body: @escaping (AnyObject) -> Any, as type: Any.Type, of target: TrackedObject? = nil,
        by observer: AnyObject?
    ) -> KeyValueObservation {
        let site = site
        let root = target ?? observer!
        let function = Expression.Function(
            body: body, objects: heldObjects(type), isOfTarget: target != nil,
            label: { "What is observed at \(site.description)" })
        do throws(KeyValueError) {
            guard let record = try ObjectRecord.make(for: root) else { throw Self.dying(root, "") }
            var route: Route?
            let observation = try makeWithRoutes(.to(record), of: target.map { [$0] } ?? [], by: observer) {
                route = Route(.none, root: record, sink: .observation($0), function: function)
                return RouteList([route])
            }
            try Self.attach(observation, of: root, by: observer)
            if observation.isValid, route!.expression!.readsNothing() {
                Diagnostics.report(
                    "What is observed at \(site.description) reads nothing that is observed, so nobody will be called")
            }
            if observation.options.contains(.initial) { observation.callInitially() }
            return observation
        } catch { fatalMisuse("\(error), at \(site.description)") }
    }
}
