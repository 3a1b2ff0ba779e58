/// What a class says about itself: its keys, and the handlers that can be named.
///
///     override class var schema: Schema {
///         Schema(Person.self, extending: super.schema) {
///             Key("firstName", \.firstName)
///             Handler("reload", Person.reload)
///         }
///     }
///
/// The library reads a class's schema once, at the first use of the class by name, and keeps the result. A schema that contradicts
/// itself (a name twice, a dotted or empty name, `affectedBy` of an unknown key, a cycle), that declares a key whose changes
/// nothing announces, or that names another class than the one it is written in makes every use of the class by name throw a
/// `KeyValueError` that says so and what to write instead.
///
/// Closures in a schema are nonisolated: they run on whatever thread makes the change. See
/// `init(_:extending:isolation:_:)` for a class bound to the main actor.
public struct Schema {
    /// The class whose schema it is; nil for the empty schema.
    let owner: AnyClass?
    /// What its superclass declares.
    let inherited: [Schema]
    /// Makes what the class itself declares, in order. Called only after `owner` has been checked.
    let makeDeclarations: () -> [Declaration]

    /// The schema of a class that declares nothing.
    public static var empty: Schema { Schema(owner: nil, inherited: []) { [] } }
}

extension Schema {
    private init<Class: AnyObject>(
        _ owner: Class.Type, _ inherited: [Schema], isOnMainActor: Bool = false,
        _ content: @escaping () -> [any SchemaElement<Class>]
    ) {
        self.init(owner: owner, inherited: inherited) {
            content().map { element in
                guard let declared = element.declaration as? Declaration else {
                    fatalMisuse(
                        "A schema consists of Key, Hidden and Handler, and \(type(of: element)) is none of them.")
                }
                if isOnMainActor { declared.isOnMainActor.store(true, ordering: .relaxed) }
                return declared
            }
        }
    }

    /// The schema of a class.
    ///
    /// - Parameters:
    ///   - owner: The class itself, by its own name: `Person.self`, never `Self.self`, which is another class in a
    ///     subclass that inherits the property.
    ///   - inherited: `super.schema`. It has no default, so that inherited keys cannot be dropped by oversight.
    ///   - content: Keys and handlers. Their closures run on whatever thread makes the change.
    public init<Class: AnyObject>(
        _ owner: Class.Type, extending inherited: Schema,
        @SchemaBuilder<Class> _ content: @escaping () -> [any SchemaElement<Class>]
    ) {
        self.init(owner, [inherited], content)
    }

    /// The schema of a class bound to the main actor, which needs that isolation to form key paths to its own properties.
    ///
    ///     nonisolated override class var schema: Schema {
    ///         Schema(Panel.self, extending: super.schema, isolation: MainActor.self) {
    ///             Key("title", \.title)
    ///             Handler("redraw") { $0.redraw() }
    ///         }
    ///     }
    ///
    /// Its handlers and validations belong to the main actor. Elsewhere a validation throws a `KeyValueError`, and a handler
    /// traps with a sentence: where changes are made on other threads, have them delivered with `on: .mainActor`.
    public init<Class: AnyObject>(
        _ owner: Class.Type, extending inherited: Schema, isolation: MainActor.Type,
        @SchemaBuilder<Class> _ content: @escaping @MainActor () -> [any SchemaElement<Class>]
    ) {
        // It forms key paths and closures and touches nothing that the actor guards.
        self.init(owner, [inherited], isOnMainActor: true, withoutIsolation(content))
    }

    /// The schema of a class that is not a `TrackedObject` and has named handlers.
    public init<Class: SchemaProviding>(
        _ owner: Class.Type, @SchemaBuilder<Class> _ content: @escaping () -> [any SchemaElement<Class>]
    ) {
        self.init(owner, [], content)
    }

    /// The schema of a class that is not a `TrackedObject`, has named handlers and is bound to the main actor.
    ///
    /// A handler that is called elsewhere traps with a sentence.
    public init<Class: SchemaProviding>(
        _ owner: Class.Type, isolation: MainActor.Type,
        @SchemaBuilder<Class> _ content: @escaping @MainActor () -> [any SchemaElement<Class>]
    ) {
        self.init(owner, [], isOnMainActor: true, withoutIsolation(content))
    }
}

/// Collects the keys and handlers of a schema.
@resultBuilder
public enum SchemaBuilder<Class: AnyObject> {
    /// One key or handler. There is one overload, so that the compiler reports a mistake where it is.
    @inlinable
    public static func buildExpression(_ element: some SchemaElement<Class>) -> [any SchemaElement<Class>] { [element] }
    /// The elements of a block, in order.
    @inlinable public static func buildBlock(_ parts: [any SchemaElement<Class>]...) -> [any SchemaElement<Class>] {
        var all: [any SchemaElement<Class>] = []
        for part in parts { all += part }
        return all
    }
    /// The elements of an `if` without `else`.
    @export(implementation)
    public static func buildOptional(_ part: [any SchemaElement<Class>]?) -> [any SchemaElement<Class>] { part ?? [] }
    /// The elements of the first branch of an `if`.
    @export(implementation)
    public static func buildEither(first part: [any SchemaElement<Class>]) -> [any SchemaElement<Class>] { part }
    /// The elements of the other branch of an `if`.
    @export(implementation)
    public static func buildEither(second part: [any SchemaElement<Class>]) -> [any SchemaElement<Class>] { part }
    /// The elements of a `for` loop.
    @export(implementation)
    public static func buildArray(_ parts: [[any SchemaElement<Class>]]) -> [any SchemaElement<Class>] {
        parts.flatMap { $0 }
    }
    /// The elements of an `if #available`.
    @export(implementation)
    public static func buildLimitedAvailability(_ part: [any SchemaElement<Class>]) -> [any SchemaElement<Class>] {
        part
    }
}

/// A `Key`, a `Hidden` or a `Handler` of a class. Not for adoption outside the library.
public protocol SchemaElement<Class> {
    /// The class to whose schema it belongs.
    associatedtype Class: AnyObject
    /// The declaration with its class erased: an object of the library, which the schema reads.
    @_documentation(visibility: internal) var declaration: AnyObject { get }
}

extension SchemaElement {
    /// For an element that the library does not have. A schema that contains one traps.
    @_documentation(visibility: internal) public var declaration: AnyObject { self as AnyObject }
}

/// A class that is not a `TrackedObject` and has handlers that can be named.
///
/// A class bound to the main actor declares the property `nonisolated`, and says `Schema(Panel.self, isolation: MainActor.self)`.
public protocol SchemaProviding: AnyObject {
    /// The class's handlers. Called on the thread that first names one of them.
    static var schema: Schema { get }
}

/// Gives any class the methods that begin with the observer, `panel.observe("fullName", of: person) { … }`. It has no requirements.
public protocol KeyValueObserver: AnyObject {}
