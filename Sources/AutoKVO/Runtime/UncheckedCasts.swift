/// The same object, which is known to be of a class. Not checked: a cast takes longer than what the caller does with it.
@export(implementation) @inline(__always)
func known<Object: AnyObject>(_ object: AnyObject, as type: Object.Type) -> Object { unsafeDowncast(object, to: type) }

/// The same function, which may be called on any thread: it touches nothing that the main actor guards.
func withoutIsolation<Result>(_ body: @escaping @MainActor () -> Result) -> () -> Result {
    unsafeBitCast(body, to: (() -> Result).self)
}
