/// A method or closure of a class that observers can name: `try person.addObserver(panel, forKeyPath: "age", handler: "reload")`.
///
/// It takes nothing, the change, or the change and the registration's `userInfo`. A handler that takes nothing cannot
/// distinguish paths, so a registration for several paths with `.initial` calls it once, not once for each path.
///
/// It runs on the thread that makes the change. In a schema with `isolation: MainActor.self` it belongs to the main actor, and a
/// call on another thread traps with a sentence.
///
/// A tracked class on the main actor writes its handlers as closures: `Handler("redraw") { $0.redraw() }`. Swift (6.3.1) refuses the
/// name of a method there, `Handler("redraw", Panel.redraw)`, with "sending 'self' risks causing data races", whatever type the
/// parameter is given: `Panel.redraw` is a nonisolated function that takes the object and returns a function of the main actor,
/// and the object, whose class derives from `TrackedObject`, is not `Sendable`. A main-actor class that is not tracked is
/// `Sendable`, and may name its methods.
public struct Handler<Class: AnyObject>: SchemaElement {
    /// The declaration with its class erased: an object of the library, which the schema reads.
    @_documentation(visibility: internal) public let declaration: AnyObject

    private init(_ name: String, takesChange: Bool, _ call: @escaping (Class, Change<Any>, Any?) -> Void) {
        declaration = DeclaredHandler(name: name, owner: Class.self, takesChange: takesChange) {
            observer, change, userInfo in
            call(known(observer, as: Class.self), change, userInfo)
        }
    }

    /// A method without parameters. Not preferred: a closure of several statements would be as good as one that returns a function.
    @_disfavoredOverload public init(_ name: String, _ method: @escaping (Class) -> () -> Void) {
        self.init(name, takesChange: false) { observer, _, _ in method(observer)() }
    }

    /// A method that takes the change.
    @_disfavoredOverload public init(_ name: String, _ method: @escaping (Class) -> (Change<Any>) -> Void) {
        self.init(name, takesChange: true) { observer, change, _ in method(observer)(change) }
    }

    /// A method that takes the change and the registration's user info.
    @_disfavoredOverload public init(_ name: String, _ method: @escaping (Class) -> (Change<Any>, Any?) -> Void) {
        self.init(name, takesChange: true) { observer, change, userInfo in method(observer)(change, userInfo) }
    }

    /// A closure that takes the observer.
    public init(_ name: String, _ body: @escaping (Class) -> Void) {
        self.init(name, takesChange: false) { observer, _, _ in body(observer) }
    }

    /// A closure that takes the observer and the change.
    public init(_ name: String, _ body: @escaping (Class, Change<Any>) -> Void) {
        self.init(name, takesChange: true) { observer, change, _ in body(observer, change) }
    }

    /// A closure that takes the observer, the change and the registration's user info.
    public init(_ name: String, _ body: @escaping (Class, Change<Any>, Any?) -> Void) {
        self.init(name, takesChange: true, body)
    }
}

/// A handler with its class erased. Constant, as every `Declaration`.
final class DeclaredHandler: Declaration, @unchecked Sendable {
    let takesChange: Bool
    private let body: (AnyObject, Change<Any>, Any?) -> Void

    init(name: String, owner: AnyClass, takesChange: Bool, body: @escaping (AnyObject, Change<Any>, Any?) -> Void) {
        (self.takesChange, self.body) = (takesChange, body)
        super.init(name: name, owner: owner)
    }

    func call(_ observer: AnyObject, _ change: Change<Any>, _ userInfo: Any?) {
        requireUsage(
            isCallable,
            "The handler \"\(name)\" of \(owner) belongs to the main actor, as its schema says, and \(quoted(change.keyPath)) was "
                + "changed elsewhere. Make the change on the main actor, or have it delivered there, with on: .mainActor."
        )
        body(observer, change, userInfo)
    }
}
