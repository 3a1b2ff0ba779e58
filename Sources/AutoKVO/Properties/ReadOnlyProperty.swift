/// One property of one object that can be observed and read, as the `$name` of an `@ObservedReadOnly` property returns it.
///
/// It is a `Property` without a setter and without edits. It keeps the object alive; the handle of a collection can be read like the
/// collection. Like the property itself, it is used by one thread at a time.
public struct ReadOnlyProperty<Value>: PropertyHandle {
    @usableFromInline let property: Property<Value>

    @export(implementation) init(_ property: Property<Value>) { self.property = property }

    /// The value now.
    ///
    /// - Complexity: O(1); of a `@Derived` property that nobody observes, a call of its function. So read such a collection once, as
    ///   `list.visible`, and not each element by the handle.
    @export(implementation) public var value: Value { property.value }

    @_documentation(visibility: internal) @export(implementation) public var target: HandleTarget { property.target }

    /// The key of the property. A class whose schema has a fault is a mistake in code and traps.
    @export(implementation) public var key: String { property.key }
}
