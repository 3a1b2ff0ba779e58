/// One handle, or an array of handles: what can be observed with the verbs of a handle.
///
///     person.$age.observe { change in … }
///     people.map(\.$age).observe(for: panel, on: .mainActor) { panel, change in … }
///
/// An array is observed by one observation, of its handles as they are at this moment: `change.target` is the object that changed, and
/// `onValue` and `.initial` call once for each. When one of the objects dies, the observation goes on with the rest; it ends with the
/// last. That of an empty array has ended from the start.
///
/// Only the types of this library, and arrays of them, adopt the protocol.
public protocol PropertyHandles<Value> {
    /// The type of the property, and of the values in its changes.
    associatedtype Value
    /// The type of the value that a handle reads: an optional for a path, on which an object may be missing.
    associatedtype Current = Value

    /// Where the handles lead.
    @_documentation(visibility: internal) var targets: HandleTargets { get }
}

/// What `$` leads to: a property of an object (`Property`, `ReadOnlyProperty`), or one that is reached through other objects
/// (`PropertyPath`). All that observes is written for `PropertyHandles`.
///
///     person.$firstName.observe { change in … }
///     person.$address.$city.observe { change in … }
///
/// A handle of a property that holds an object, or an optional one, has the handles of that object's properties as members.
/// Only the types of this library adopt the protocol.
@dynamicMemberLookup
public protocol PropertyHandle<Value>: PropertyHandles {
    /// The value now.
    ///
    /// - Complexity: O(*n*) for a path of *n* keys, O(1) for a property.
    var value: Current { get }
    /// Where the handle leads.
    @_documentation(visibility: internal) var target: HandleTarget { get }
}

extension PropertyHandle {
    @_documentation(visibility: internal) @export(implementation) public var targets: HandleTargets { .one(target) }

    /// The object at which the handle begins.
    @export(implementation) public var object: TrackedObject { target.object }

    /// The key of the property, or the keys of a path with dots between them.
    ///
    /// A class whose schema has a fault is a mistake in code and traps.
    public var keyPath: String { target.keyPath }
}

extension Array: PropertyHandles where Element: PropertyHandle {
    public typealias Value = Element.Value
    public typealias Current = Element.Current

    @_documentation(visibility: internal) public var targets: HandleTargets { .several(map(\.target)) }
}

/// Where one handle leads, or several; or what is read of an object, and its type, to find a handle of another one.
@_documentation(visibility: internal) public enum HandleTargets {
    case one(HandleTarget)
    case several([HandleTarget])
    case read(TrackedObject, Any.Type, (AnyObject) -> Any)
}

/// Where a handle leads: the object at which it begins, and a property or a path of it. It keeps that object alive.
///
/// The types that adopt `PropertyHandle` have one; code outside the library does not need it.
@_documentation(visibility: internal) public struct HandleTarget {
    @usableFromInline let object: TrackedObject
    /// How far into the object the property's storage is; -1 for a path.
    @usableFromInline let offset: Int
    @usableFromInline let path: ParsedKeyPath?

    @export(implementation) init(_ object: TrackedObject, offset: Int = -1, path: ParsedKeyPath? = nil) {
        (self.object, self.offset, self.path) = (object, offset, path)
    }

    /// A property of a type of one value, which has no place in the object: it is found by its type. Of several of one type it is the
    /// first, which never differs from the others.
    @usableFromInline init(_ object: TrackedObject, ofOneValued type: Any.Type) {
        self.init(object)
        let schema = schema()
        let key = schema.keys.first { $0.storageType?.valueType == type }
        self.init(object, path: key.map { ParsedKeyPath([.init(schema: schema, slot: $0.slot)]) })
    }

    var keyPath: String { path?.text ?? key.name }

    /// The path, if it is one of several keys.
    var longPath: ParsedKeyPath? { path.flatMap { $0.isLong ? $0 : nil } }

    /// The path, also if it is one of a single key.
    var wholePath: ParsedKeyPath { longPath ?? ParsedKeyPath([.init(schema: schema(), slot: slot())]) }

    var key: ResolvedKey { schema().keys[slot()] }

    /// The index of the property's key in the schema of the object's class. Not for a path of several keys.
    ///
    /// - Parameter site: The call that a mistake is reported with.
    func slot(_ site: CallSite? = nil) -> Int {
        // Of an object with a record without counting references (counts: `add-remove-handle`).
        if let slot = object.slot(atOffset: offset) { return slot }
        let schema = schema(site)
        // A path by name has no properties.
        let slot =
            path.map { $0.properties.first?.slot ?? schema.slot(of: $0.text) ?? -1 } ?? schema.slot(atOffset: offset)
        requireUsage(slot >= 0, schema.complaintAboutProperty + (site.map { " At \($0.description)." } ?? ""))
        return slot
    }

    /// The schema of the object's class, or of one that may be a superclass of it. That one alone is asked then: the object's own class may
    /// have a fault.
    func schema(_ site: CallSite? = nil, of type: TrackedObject.Type? = nil) -> ClassSchema {
        if type == nil, let schema = object.record?.schema { return schema }
        do throws(KeyValueError) { return try ClassSchema.of(type ?? Swift.type(of: object)) } catch {
            fatalMisuse("\(error)" + (site.map { ", at \($0.description)" } ?? ""))
        }
    }
}
