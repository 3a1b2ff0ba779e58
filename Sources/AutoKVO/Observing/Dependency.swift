/// An object and key paths of it: one part of what an observation of several objects observes.
///
///     [Dependency(engine, "entities.@avg.position"), Dependency(view, ["isVisible", "size"])]
///
/// It is a value for a call and keeps the object alive only as long as it is kept itself; a registration does not keep it.
public struct Dependency {
    /// The object.
    public let target: TrackedObject
    /// Its key paths.
    public let keyPaths: [String]
    /// The path of the handle that it was made of, if it was: a property may be hidden, or another one may have its name.
    let handlePath: ParsedKeyPath?

    /// Names key paths of an object. They are checked when the dependency is registered.
    public init(_ target: TrackedObject, _ keyPaths: some KeyPathSet) { self.init(target, keyPaths: keyPaths.keyPaths) }

    /// Names the property, or path, that a handle leads to: `Dependency(person.$age)`.
    public init(_ handle: some PropertyHandle) { self.init(handle.target) }

    init(_ handle: HandleTarget) { self.init(handle.object, keyPaths: [handle.keyPath], handlePath: handle.wholePath) }

    /// Takes paths as they are: one that contains `|` is not split.
    init(_ target: TrackedObject, keyPaths: [String], handlePath: ParsedKeyPath? = nil) {
        (self.target, self.keyPaths, self.handlePath) = (target, keyPaths, handlePath)
    }
}

extension Collection where Element == Dependency {
    /// Calls a handler once for each change of anything in the collection, also if the change reaches several of the paths. See
    /// `KeyValueObserver.depend(on:named:file:line:_:)` for a call now, and for one dependency in place of another.
    ///
    /// - Parameters:
    ///   - observer: Any object. It is not kept alive, but is while the handler runs.
    ///   - options: When the observation ends; with `.initial`, the handler is also called once before this returns.
    ///   - userInfo: The observation's `userInfo`.
    ///   - file: The call site, for `debugDescription`. Leave it at its default.
    ///   - line: The same.
    ///   - handler: Gets the observer, so that it need not capture it. Called on the thread that makes the change.
    /// - Returns: The observation. It need not be kept.
    /// - Throws: A `KeyValueError` if an object does not have one of its paths, or no path is given; nothing is registered then.
    /// - Complexity: O(*n*) for *n* paths.
    @discardableResult @export(implementation) public func addObserver<Observer: AnyObject>(
        _ observer: Observer, options: ObservingOptions = [], userInfo: Any? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping (Observer) -> Void
    ) throws(KeyValueError) -> KeyValueObservation {
        let handler = { (observer: Observer, _: Change<Any>) in handler(observer) }
        return try Registration(options, userInfo, .closure(handler, .observer), file, line).observe(
            Array(self), by: observer)
    }
}
