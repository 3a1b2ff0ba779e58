/// A method or closure of a class that observers can name: `try person.addObserver(panel, forKeyPath: "age", handler: "reload")`.
///
/// It takes nothing, the change, or the change and the registration's `userInfo`. A handler that takes nothing cannot
/// distinguish paths, so a registration for several paths with `.initial` calls it once, not once for each path.
///
/// It runs on the thread that makes the change. In a schema with `isolation: MainActor.self` it belongs to the main actor, and a
/// call on another thread traps with a sentence.
public struct Handler<Class: AnyObject>: SchemaElement {
    let declared: DeclaredHandler

    private init(_ name: String, takesChange: Bool, _ call: @escaping (Class, Change<Any>, Any?) -> Void) {
        declared = DeclaredHandler(name: name, takesChange: takesChange) { observer, change, userInfo in
            call(known(observer, as: Class.self), change, userInfo)
        }
    }

    /// A method without parameters.
    public init(_ name: String, _ method: @escaping (Class) -> () -> Void) {
        self.init(name, takesChange: false) { observer, _, _ in method(observer)() }
    }

    /// A method that takes the change.
    public init(_ name: String, _ method: @escaping (Class) -> (Change<Any>) -> Void) {
        self.init(name, takesChange: true) { observer, change, _ in method(observer)(change) }
    }

    /// A method that takes the change and the registration's user info.
    public init(_ name: String, _ method: @escaping (Class) -> (Change<Any>, Any?) -> Void) {
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

extension Handler: DeclaringElement {
    var declaration: Schema.Declaration { .handler(declared) }
}

/// A handler with its class erased. Immutable and, once its class's schema is built, immortal.
final class DeclaredHandler: @unchecked Sendable {
    let name: String
    let takesChange: Bool
    let call: (AnyObject, Change<Any>, Any?) -> Void

    init(name: String, takesChange: Bool, call: @escaping (AnyObject, Change<Any>, Any?) -> Void) {
        self.name = name
        self.takesChange = takesChange
        self.call = call
    }

    /// The same handler, which may be called on the main actor only.
    func calledOnMainActor(of owner: AnyClass) -> DeclaredHandler {
        DeclaredHandler(name: name, takesChange: takesChange) { [name, call] observer, change, userInfo in
            requireUsage(
                MainActor.shared.isCurrent,
                "The handler \"\(name)\" of \(owner) belongs to the main actor, as its schema says, and "
                    + "\"\(change.keyPath)\" was changed elsewhere. Make the change on the main actor, or have it "
                    + "delivered there, with on: .mainActor."
            )
            call(observer, change, userInfo)
        }
    }
}
