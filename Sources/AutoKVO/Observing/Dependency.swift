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

    /// Names key paths of an object. They are checked when the dependency is registered.
    public init(_ target: TrackedObject, _ keyPaths: some KeyPathSet) {
        self.target = target
        self.keyPaths = keyPaths.keyPaths
    }

    /// Takes paths as they are: one that contains `|` is not split.
    init(_ target: TrackedObject, keyPaths: [String]) {
        self.target = target
        self.keyPaths = keyPaths
    }
}
