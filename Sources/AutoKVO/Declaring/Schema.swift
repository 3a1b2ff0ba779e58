/// What a class says about itself: its keys, and the handlers that can be named.
///
///     override class var schema: Schema {
///         Schema(Person.self, extending: super.schema) {
///             Key("firstName", \.firstName)
///             Handler("reload", Person.reload)
///         }
///     }
///
/// The library asks a class for its schema once, at the first use of the class, and keeps what it found. A schema that
/// contradicts itself (a name twice, a dotted or empty name, `affectedBy` of an unknown key, a cycle) makes every use of
/// the class by name throw a `KeyValueError` that says so.
public struct Schema {
    /// The class whose body the schema was written in; nil for the empty schema.
    let owner: AnyClass?
    /// What the class itself declares, in order.
    let declarations: [Declaration]
    /// What its superclass declares.
    let inherited: [Schema]

    /// One declared key or handler, with its class erased.
    enum Declaration {
        case key(DeclaredKey)
        case handler(DeclaredHandler)
    }

    /// The schema of a class that declares nothing.
    public static var empty: Schema { Schema(owner: nil, declarations: [], inherited: []) }

    private init(owner: AnyClass?, declarations: [Declaration], inherited: [Schema]) {
        self.owner = owner
        self.declarations = declarations
        self.inherited = inherited
    }

    /// The schema of a class.
    ///
    /// - Parameters:
    ///   - owner: The class itself, by its own name: `Person.self`, never `Self.self`, which is another class in a
    ///     subclass that inherits the property.
    ///   - inherited: `super.schema`. It has no default, so that inherited keys cannot be dropped by oversight.
    ///   - content: Keys and handlers. The closure is typed `@MainActor` so that a class bound to the main actor can
    ///     form key paths to its properties; it only builds values, and is called on whatever thread needs them.
    public init<Class: AnyObject>(
        _ owner: Class.Type, extending inherited: Schema,
        @SchemaBuilder<Class> _ content: @MainActor () -> [any SchemaElement<Class>]
    ) {
        Schema.check(owner: owner, extending: inherited)
        self.init(owner: owner, declarations: Schema.build(content), inherited: [inherited])
    }

    /// The schema of a class that is not a `TrackedObject` and has named handlers.
    public init<Class: SchemaProviding>(
        _ owner: Class.Type, @SchemaBuilder<Class> _ content: @MainActor () -> [any SchemaElement<Class>]
    ) {
        self.init(owner: owner, declarations: Schema.build(content), inherited: [])
    }

    private static func build<Class: AnyObject>(
        _ content: @MainActor () -> [any SchemaElement<Class>]
    ) -> [Declaration] {
        // The closure builds key paths and closures and touches nothing that an actor guards.
        withoutActuallyEscaping(content) { content in
            unsafeBitCast(content, to: (() -> [any SchemaElement<Class>]).self)().map { $0._declaration.value }
        }
    }

    /// Finds out, before any key path is formed, that the schema's class is not the class the property stands in.
    private static func check(owner: AnyClass, extending inherited: Schema) {
        guard owner is TrackedObject.Type, let superclass = _getSuperclass(owner) as? TrackedObject.Type,
            superclass != TrackedObject.self, let expected = try? ClassSchema.of(superclass)
        else { return }
        demand(
            inherited.owner == expected.owner,
            "The schema for \(owner) does not extend the schema of its superclass \(superclass). Either it is written as "
                + "Schema(Self.self, …), which means another class in every subclass: name the class itself; or it "
                + "extends something else than super.schema.")
    }
}

/// Collects the keys and handlers of a schema.
@resultBuilder
public enum SchemaBuilder<Class: AnyObject> {
    /// One key or handler. The only form there is, so that a mistake is reported where it stands.
    public static func buildExpression(_ element: some SchemaElement<Class>) -> [any SchemaElement<Class>] { [element] }
    /// What stands one below the other.
    public static func buildBlock(_ parts: [any SchemaElement<Class>]...) -> [any SchemaElement<Class>] { parts.flatMap { $0 } }
    /// What stands in an `if` without `else`.
    public static func buildOptional(_ part: [any SchemaElement<Class>]?) -> [any SchemaElement<Class>] { part ?? [] }
    /// What stands in the first branch of an `if`.
    public static func buildEither(first part: [any SchemaElement<Class>]) -> [any SchemaElement<Class>] { part }
    /// What stands in the other branch of an `if`.
    public static func buildEither(second part: [any SchemaElement<Class>]) -> [any SchemaElement<Class>] { part }
    /// What a `for` loop declares.
    public static func buildArray(_ parts: [[any SchemaElement<Class>]]) -> [any SchemaElement<Class>] { parts.flatMap { $0 } }
    /// What stands under `if #available`.
    public static func buildLimitedAvailability(_ part: [any SchemaElement<Class>]) -> [any SchemaElement<Class>] { part }
}

/// A `Key` or a `Handler` of a class. Not for adoption outside the library.
public protocol SchemaElement<Class> {
    /// The class in whose schema it stands.
    associatedtype Class: AnyObject
    var _declaration: SchemaDeclaration { get }
}

/// What a schema element says, with its class erased.
public struct SchemaDeclaration {
    let value: Schema.Declaration

    init(_ value: Schema.Declaration) { self.value = value }
}

/// A class that is not a `TrackedObject` and has handlers that can be named.
///
/// A class bound to an actor declares the property `nonisolated`.
public protocol SchemaProviding: AnyObject {
    /// The class's handlers. Called once for each class, on whatever thread names one of them first.
    static var schema: Schema { get }
}

/// Gives any class the observer-first wording, `panel.observe("fullName", of: person) { … }`. It asks for nothing.
public protocol KeyValueObserver: AnyObject {}
