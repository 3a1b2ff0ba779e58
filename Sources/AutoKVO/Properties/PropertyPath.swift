/// A property that is reached from an object through other objects: `person.$address.$city`.
///
/// Its components are checked by the compiler, one by one; an object on the way may be an optional one. Observing it is the same as
/// observing the string path: `change.keyPath` is "address.city", and when an object on the way is replaced, or dies if it is
/// referred to weakly, the observation follows. It keeps the first object alive, as `Property` does.
///
/// A component is the `$` of a property. A computed property that returns a handle traps: it cannot be evaluated
/// before there is an object.
public struct PropertyPath<Value>: PropertyHandle {
    public typealias Current = Value?

    @_documentation(visibility: internal) public let target: HandleTarget

    init(_ target: HandleTarget) { self.target = target }

    /// The value at the end of the path; nil if an object on the way is nil. Of an optional property, `.some(nil)` is its value.
    ///
    /// - Complexity: O(*n*) for a path of *n* keys.
    public var value: Value? {
        let reached = orReport("A key path has no value", try target.path!.reachedValue(from: object))
        return reached.flatMap { convert($0, to: Value.self) }
    }
}

extension PropertyHandle {
    /// The handle of a property of the object that this property holds. The object need not exist yet.
    ///
    /// - Precondition: The component is the `$` of a property that a name reaches: one that is hidden traps. The path does not end in an
    ///   operator.
    /// - Complexity: O(1) and a new string for the path.
    public subscript<Component: PropertyHandle>(
        dynamicMember component: KeyPath<Value, Component>
    ) -> PropertyPath<Component.Value> where Value: TrackedObject {
        PropertyPath(target.appending(component) { value as? Value })
    }

    /// The handle of a property of the object that this property may hold. While it holds none, the path's value is nil.
    ///
    /// - Precondition: The component is the `$` of a property that a name reaches: one that is hidden traps. The path does not end in an
    ///   operator.
    /// - Complexity: O(1) and a new string for the path.
    public subscript<Head: TrackedObject, Component: PropertyHandle>(
        dynamicMember component: KeyPath<Head, Component>
    ) -> PropertyPath<Component.Value> where Value == Head? {
        PropertyPath(target.appending(component) { value as? Head })
    }
}

extension HandleTarget {
    fileprivate func appending<Head: TrackedObject, Component: PropertyHandle>(
        _ component: KeyPath<Head, Component>, _ head: () -> Head?
    ) -> HandleTarget {
        let added = Self.properties(of: component, head)
        guard let path, path.properties.count < path.keys.count else {
            return HandleTarget(object, path: ParsedKeyPath(properties() + added))
        }
        requireUsage(
            path.tail == nil,
            "\(quoted(path.text)) is followed by a handle: what an operator makes of a collection has no handles. Name the whole path."
        )
        // A path by name is followed by name.
        return HandleTarget(object, path: orTrap(try .parse(path.text + "." + ParsedKeyPath(added).text)))
    }

    /// The properties that a component of a path stands for. A blank object says where in an object the property is, so that an
    /// object that is nil now is no obstacle and no property is read.
    ///
    /// - Parameter head: An object of the class, if there is one: for where blank objects cannot be made.
    private static func properties<Head: TrackedObject, Component: PropertyHandle>(
        of component: KeyPath<Head, Component>, _ head: () -> Head?
    ) -> [ParsedKeyPath.Property] {
        func properties(in object: Head) -> [ParsedKeyPath.Property] {
            let target = object[keyPath: component].target
            requireUsage(
                target.object === object,
                "\(component) is part of a path of handles, and is not the $ of a property of \(Head.self): only such can be."
            )
            return target.properties(of: Head.self)
        }
        // What is read for the names is not what a function depends on.
        let found = BlankObject.with(Head.self, properties) ?? Recording.suspended(head).map(properties)
        if let found { return found }
        fatalMisuse(
            "\(RuntimeAssumption.blankObject.sentence) Without that a path of handles cannot go on behind a nil object of class "
                + "\(Head.self): write the path as a string.")
    }

    /// - Parameter type: A class that has the first of them, if that may be a superclass of the object's.
    private func properties(of type: TrackedObject.Type? = nil) -> [ParsedKeyPath.Property] {
        if let path { return path.properties }
        let schema = schema(of: type)
        let slot = schema.slot(atOffset: offset)
        requireUsage(slot >= 0, schema.complaintAboutProperty)
        let name = schema.keys[slot].name
        requireUsage(
            schema.hidden[name] != slot,
            "\(schema.className).$\(name) is part of a path of handles, and \(quoted(name)) is hidden: observe it by "
                + "the handle of its own object.")
        return [.init(schema: schema, slot: slot)]
    }
}
