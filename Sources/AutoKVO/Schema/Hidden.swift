/// Hides an `@Observed` property from names: no string reaches it, in this class and its subclasses.
///
///     Hidden("password")
///
/// It is observed by its handle, `$password`, and keys of the class may be `affectedBy` it, but not by a path through it. A subclass
/// whose schema has a `Key` for it offers the name again. Of a name that the class does not have, or declares with a `Key` too, it is
/// a fault of the schema.
public struct Hidden<Class: AnyObject>: SchemaElement {
    /// The declaration with its class erased: an object of the library, which the schema reads.
    @_documentation(visibility: internal) public let declaration: AnyObject

    /// Hides a key of the class, its own or an inherited one.
    public init(_ name: String) { declaration = HiddenKey(name: name, owner: Class.self) }
}

/// What `Hidden` declares, with its class erased. Constant, as every `Declaration`.
final class HiddenKey: Declaration, @unchecked Sendable {}
