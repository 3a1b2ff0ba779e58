/// A handler and the arguments that it takes. The value owns the handler until an observation takes it over.
///
/// All handlers take a `Change<Value>`, which is one reference for every `Value`, and some an object before it. So two forms of
/// call fit all of them, and no wrapping closure is allocated at the registration. The caller pins the observation, which keeps
/// the closure's context (see `KeyValueObservation.pinCount`).
@usableFromInline struct HandlerCall: ~Copyable {
    @usableFromInline enum Shape: UInt8 {
        /// `(Change<Value>) -> Void`
        case change
        /// `(Observer, Change<Value>) -> Void`
        case observerAndChange
        /// `(Target, Change<Value>) -> Void`
        case targetAndChange
        /// A handler that the observer's class declares, or a closure that is called in the ordinary way.
        case named
        /// `(Observer, Change<Value>) -> Void` that ignores the change. A change calls it once for all of the observation's paths
        /// that it concerns; the other shapes are called once for each path.
        case observer
        /// A `named` one that ignores the change. A change calls it once, too.
        case namedWithoutChange
        /// `(Change<Value>) -> Void` that ignores the change, but for what it is sent with.
        case changeIgnored

        var ignoresChange: Bool { self == .observer || self == .namedWithoutChange || self == .changeIgnored }
    }

    @usableFromInline let shape: Shape
    @usableFromInline let closure: ClosureCall
    /// Whether the observer is retained for the call.
    private(set) var needsObserver = true

    @export(implementation) init(_ shape: Shape, _ closure: ClosureCall) {
        self.shape = shape
        self.closure = closure
    }

    deinit { closure.release() }

    /// The closure, which the caller has to release.
    @inline(__always)
    consuming func takeClosure() -> ClosureCall {
        let closure = closure
        discard self
        return closure
    }

    // MARK: Making one

    @usableFromInline struct OfChange<Value> {
        @usableFromInline let body: (Change<Value>) -> Void
        @export(implementation) init(body: @escaping (Change<Value>) -> Void) { self.body = body }
    }
    @usableFromInline struct OfObjectAndChange<Object: AnyObject, Value> {
        @usableFromInline let body: (Object, Change<Value>) -> Void
        @export(implementation) init(body: @escaping (Object, Change<Value>) -> Void) { self.body = body }
    }

    @export(implementation) static func closure<Value>(_ body: @escaping (Change<Value>) -> Void) -> HandlerCall {
        guard ClosureCall.canCallDirectly else {
            return ordinary(.observerAndChange) { (_: AnyObject, change: Change<Value>) in body(change) }
        }
        return HandlerCall(.change, ClosureCall(of: OfChange(body: body)))
    }

    @export(implementation) static func closure<Object: AnyObject, Value>(
        _ body: @escaping (Object, Change<Value>) -> Void, _ shape: Shape = .observerAndChange
    ) -> HandlerCall {
        guard ClosureCall.canCallDirectly else { return ordinary(shape, body) }
        return HandlerCall(shape, ClosureCall(of: OfObjectAndChange(body: body)))
    }

    /// What sends a change to an observer elsewhere. The thread of the change does not retain the observer, on which it might die then.
    static func sending<Value>(ignoresChange: Bool, _ body: @escaping (Change<Value>) -> Void) -> HandlerCall {
        var call =
            ClosureCall.canCallDirectly
            ? HandlerCall(ignoresChange ? .changeIgnored : .change, ClosureCall(of: OfChange(body: body)))
            : ordinary(ignoresChange ? .observer : .observerAndChange) { (_: AnyObject, change) in body(change) }
        call.needsObserver = false
        return call
    }

    /// A handler that the observer's class declares.
    @usableFromInline static func named(_ name: String, of observer: AnyObject) throws(KeyValueError) -> HandlerCall {
        named(try ClassSchema.of(type(of: observer)).requireHandler(name))
    }

    private static func named(_ handler: DeclaredHandler) -> HandlerCall {
        HandlerCall(handler.takesChange ? .named : .namedWithoutChange, ClosureCall(keeping: handler))
    }

    /// A closure that is called in the ordinary way, as a handler that no class declares.
    @usableFromInline static func ordinary<Object: AnyObject, Value>(
        _ shape: Shape, _ body: @escaping (Object, Change<Value>) -> Void
    ) -> HandlerCall {
        let handler = DeclaredHandler(name: "", owner: KeyValueObservation.self, takesChange: !shape.ignoresChange) {
            observer, change, _ in
            body(known(shape == .targetAndChange ? change.target! : observer, as: Object.self), Change(change.context))
        }
        return named(handler)
    }
}

// MARK: Calling it

extension KeyValueObservation {
    /// Calls the handler. The caller pins the observation, and retains the observer and, if the handler takes it, the target.
    @inline(__always)
    func callHandler(_ context: Borrowed<ChangeContext>, target: () -> UnsafeRawPointer) {
        assertNoLockHeld()
        // Compared one after the other, the common ones first: a `switch` would be a jump through a table in memory.
        if handling == .change {
            closure(context.rawAddress)
        } else if handling == .observerAndChange || handling == .observer {
            closure(observerAddress!, context.rawAddress)
        } else if handling == .targetAndChange {
            closure(target(), context.rawAddress)
        } else {
            callOtherHandler(context)
        }
    }

    @inline(never)
    private func callOtherHandler(_ context: Borrowed<ChangeContext>) {
        if handling == .changeIgnored { return closure(context.rawAddress) }
        let handler = known(closure.object, as: DeclaredHandler.self)
        // A closure that is called in the ordinary way may have no observer, and then ignores this argument.
        let observer = observerAddress.map { Borrowed<AnyObject>.at($0).object } ?? self
        handler.call(observer, Change(context.object), userInfo)
    }

    /// The name of the handler, if it was registered by name.
    var handlerName: String? {
        guard handling == .named || handling == .namedWithoutChange else { return nil }
        let handler = underLock { closure.isNone ? nil : closure.object } as? DeclaredHandler
        return handler.flatMap { $0.name.isEmpty ? nil : $0.name }
    }
}
