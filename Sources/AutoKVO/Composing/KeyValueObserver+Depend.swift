extension KeyValueObserver {
    /// Calls a handler now, and once for each change of anything it depends on.
    ///
    ///     let dependencies = [Dependency(engine, "entities.@avg.position"), Dependency(view, ["isVisible"])]
    ///     try view.depend(on: dependencies, named: "draw") { view in view.draw() }
    ///
    /// One change that reaches several of the paths is one call; so is a whole `coalescingChanges`. The handler is
    /// called on the thread that makes the change and may do whatever any handler may. The observation ends when this
    /// object dies; when one of the others dies, it continues with the rest.
    ///
    /// - Parameters:
    ///   - dependencies: Objects, of which this one may be one, and paths. They are not kept alive, but by a handler that captures
    ///   them.
    ///   - name: If given, replaces the dependency of this name that this object has, which is not called again. The
    ///     same name is to be registered by one thread at a time.
    ///   - file: The call site, for `debugDescription`. Leave it at its default.
    ///   - line: The same.
    ///   - handler: Gets this object, so that it need not capture it. The first call is made before the method returns.
    /// - Returns: The observation. It need not be kept.
    /// - Throws: A `KeyValueError` if an object does not have one of its paths, or no path is given. Then nothing is
    ///   registered, no call made, and the dependency that has the name remains.
    /// - Complexity: O(*n* + *m*) for *n* paths and, if it has a name, *m* observations that this object holds.
    @discardableResult @export(implementation) public func depend(
        on dependencies: [Dependency], named name: String? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping (Self) -> Void
    ) throws(KeyValueError) -> KeyValueObservation {
        let name = name.map { ObservationName.dependency($0) }
        let observation = try dependencies.addObserver(
            self, options: .unregisterAutomatically, userInfo: name, file: file, line: line, handler)
        name?.end(of: self, except: observation)
        if observation.isValid { withoutTracking { handler(self) } }
        return observation
    }

    /// Ends the dependency that this object has under a name.
    ///
    /// - Returns: Whether there was one.
    /// - Complexity: O(*n*) for *n* observations that this object holds. May be called on any thread.
    @discardableResult @export(implementation)
    public func endDependency(named name: String) -> Bool { ObservationName.dependency(name).end(of: self) }
}
