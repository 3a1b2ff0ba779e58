/// The same object, which is known to be of a class. Not checked: a cast takes longer than what the caller does with it.
@export(implementation) @inline(__always)
func known<Object: AnyObject>(_ object: AnyObject, as type: Object.Type) -> Object { unsafeDowncast(object, to: type) }

/// The same array, whose elements are known to be of a class. Not checked.
func known<Element, Object: AnyObject>(_ array: [Element], as type: Object.Type) -> [Object] {
    unsafeBitCast(array, to: [Object].self)
}

/// A value as the type of a generic parameter, which is `Any`; nil if it is another type. A cast would take longer.
@inline(__always)
func asAny<To>(_ value: Any, _ type: To.Type) -> To? {
    // `as` keeps the `Any` from being opened.
    type == Any.self ? unsafeBitCast(value as Any, to: To.self) : nil
}

/// The same function, which may be called on any thread: it touches nothing that the main actor guards.
func withoutIsolation<Result>(_ body: @escaping @MainActor () -> Result) -> () -> Result {
    unsafeBitCast(body, to: (() -> Result).self)
}

/// The function that is the only stored property of a value, in a value of another type, whose function has the same parameters but is
/// not isolated. Passed to this as it is, a function would be wrapped in one that takes its arguments in memory.
@export(implementation) @inline(__always)
func withoutIsolation<Isolated, Free>(_ function: Isolated, as type: Free.Type) -> Free {
    unsafeBitCast(function, to: type)
}

/// What an `Any` holds, as a type that it has or can be cast to. A cast finds out by a search, also if it has that type (counts: `set-key`).
@inlinable func content<Value>(of value: Any, as type: Value.Type) -> Value {
    // The type of the pointer keeps the `Any` from being opened.
    withUnsafePointer(to: value) { (value: UnsafePointer<Any>) in
        if let number = NumberInAny.pointer(to: type, in: value) { return number.pointee }
        return openedContent(of: value.pointee, as: type)
    }
}

/// The same, faster where the compiler does not know the type.
@inlinable func openedContent<Value>(of value: Any, as type: Value.Type) -> Value {
    func opened<Content>(_ content: Content) -> Value {
        Content.self == Value.self ? unsafeBitCast(content, to: Value.self) : content as! Value
    }
    return _openExistential(value, do: opened)
}

/// What an `Any` holds as exactly this type, also in an `Any` that generic code has put around it; nil if it holds another one. A value of a
/// protocol's type stays one, and is not opened: an empty optional is one of `any Hashable`.
func heldContent<Value>(of value: Any, as type: Value.Type) -> Value? {
    func opened<Content>(_ content: Content) -> Value? {
        if Content.self == Value.self { return unsafeBitCast(content, to: Value.self) }
        return Content.self == Any.self ? heldContent(of: unsafeBitCast(content, to: Any.self), as: type) : nil
    }
    return _openExistential(value, do: opened)
}

/// The type as which an `Any` holds a value: of an object the class that was known, not its own.
func contentType(of value: Any) -> Any.Type {
    func opened<Content>(_ content: Content) -> Any.Type { Content.self }
    return _openExistential(value, do: opened)
}
