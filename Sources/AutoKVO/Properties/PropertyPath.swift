/// A property that is reached from an object through other objects: `person.$address.$city`.
///
/// Its components are checked by the compiler, one by one; an object on the way may be an optional one. Observing it is the same as
/// observing the string path: `change.keyPath` is "address.city", and when an object on the way is replaced, or dies if it is
/// referred to weakly, the observation follows. It keeps the first object alive, as `Property` does.
///
/// A component is the `$` of a property. A computed property that returns a handle is none: it traps, since it may not be evaluated
/// before there is an object.
public struct PropertyPath<Value>: PropertyHandle {
    public let target: HandleTarget

    init(_ target: HandleTarget) {
        self.target = target
    }

    /// The value at the end of the path; nil if an object on the way is nil. Of an optional property, `.some(nil)` is its value.
    ///
    /// - Complexity: O(*n*) for a path of *n* keys.
    public var value: Value? {
        do throws(KeyValueError) {
            return try ParsedKeyPath.parse(keyPath, for: type(of: object)).value(from: object)
                .flatMap { convert($0, to: Value.self) }
        } catch {
            fatalMisuse("\(error)")
        }
    }
}

extension PropertyHandle {
    /// The handle of a property of the object that this property holds. The object need not exist yet.
    ///
    /// - Precondition: The component is the `$` of a property that a name reaches: one that is hidden traps.
    /// - Complexity: O(1) and a new string for the path.
    public subscript<Component: PropertyHandle>(
        dynamicMember component: KeyPath<Value, Component>
    ) -> PropertyPath<Component.Value> where Value: TrackedObject {
        PropertyPath(target.appending(component) { value as? Value })
    }

    /// The handle of a property of the object that this property may hold. While it holds none, the path's value is nil.
    ///
    /// - Precondition: The component is the `$` of a property that a name reaches: one that is hidden traps.
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
        HandleTarget(object, path: pathName + "." + Self.name(of: component, head))
    }

    /// The name of a property of a class. A blank object says where in an object the property is, so that an object that is nil
    /// now is no obstacle and no property is read.
    ///
    /// - Parameter head: An object of the class, if there is one: for where blank objects cannot be made.
    private static func name<Head: TrackedObject, Component: PropertyHandle>(
        of component: KeyPath<Head, Component>, _ head: () -> Head?
    ) -> String {
        func name(in object: Head) -> String {
            let target = object[keyPath: component].target
            requireUsage(
                target.object === object,
                "\(component) is part of a path of handles, and is not the $ of a property of \(Head.self): only such can be."
            )
            return target.pathName
        }
        if let name = BlankObject.with(Head.self, name) ?? head().map(name) { return name }
        fatalMisuse(
            "\(RuntimeAssumption.blankObject.sentence) Without that a path of handles cannot go on behind a nil object of class "
                + "\(Head.self): write the path as a string.")
    }

    private var pathName: String {
        if let path { return path }
        let key = key
        requireUsage(
            (try? object.requireSchema())?.slot(of: key.name) == key.slot,
            "\(type(of: object)).$\(key.name) is part of a path of handles, which goes by names, and no name reaches it: "
                + "\(quoted(key.name)) is hidden, or the name of a subclass's property. Observe it by the handle of its own object."
        )
        return key.name
    }
}
