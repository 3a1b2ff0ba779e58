internal import CSwiftRuntime

/// A handler as the two words a Swift closure is made of, and what it expects as arguments.
///
/// All handlers take `Change<Value>`, which is one reference whatever `Value` is, and perhaps an object before it, so
/// one form of call fits them all: no wrapping closure is allocated at the registration, and the call neither retains
/// nor releases the closure's context. Whoever calls sees to it that the context lives (see `ObservationNode.holds`).
@usableFromInline
struct HandlerCall {
    @usableFromInline
    enum Shape: UInt8 {
        /// `(Change<Value>) -> Void`
        case change
        /// `(Observer, Change<Value>) -> Void`
        case observerAndChange
        /// `(Target, Change<Value>) -> Void`
        case targetAndChange
        /// A handler that the observer's class declares.
        case named
        /// `(Observer, Change<Value>) -> Void` that ignores the change. A change calls it once, however many of the
        /// observation's paths it touches; the others are called once for each path.
        case observer
        /// A handler without parameters that the observer's class declares. Called once for a change, too.
        case namedWithoutChange

        var ignoresChange: Bool { self == .observer || self == .namedWithoutChange }
    }

    @usableFromInline let shape: Shape
    @usableFromInline let function: UnsafeRawPointer?
    /// Owned: whoever has the value has to store or release it.
    @usableFromInline let closure: UnsafeRawPointer?

    // A closure is wrapped in a struct first: passed to a generic function as it is, the compiler would convert it to
    // one that takes its arguments in memory.
    @usableFromInline
    struct OfChange<Value> {
        @usableFromInline let body: (Change<Value>) -> Void
        @inlinable init(body: @escaping (Change<Value>) -> Void) { self.body = body }
    }
    @usableFromInline
    struct OfObjectAndChange<Object: AnyObject, Value> {
        @usableFromInline let body: (Object, Change<Value>) -> Void
        @inlinable init(body: @escaping (Object, Change<Value>) -> Void) { self.body = body }
    }
    @usableFromInline
    struct Words {
        @usableFromInline let function: UnsafeRawPointer?
        @usableFromInline let closure: UnsafeRawPointer?
        @inlinable init(function: UnsafeRawPointer?, closure: UnsafeRawPointer?) {
            self.function = function
            self.closure = closure
        }
    }

    @inlinable
    init(_ shape: Shape, _ words: Words) {
        self.shape = shape
        function = words.function
        closure = words.closure
        if let closure { _ = Borrowed<AnyObject>.at(closure).retain() }
    }

    @inlinable
    static func change<Value>(_ body: @escaping (Change<Value>) -> Void) -> HandlerCall {
        withExtendedLifetime(body) { HandlerCall(.change, unsafeBitCast(OfChange(body: body), to: Words.self)) }
    }

    @inlinable
    static func observer<Observer: AnyObject, Value>(
        _ body: @escaping (Observer, Change<Value>) -> Void, ignoresChange: Bool = false
    ) -> HandlerCall {
        withExtendedLifetime(body) {
            HandlerCall(
                ignoresChange ? .observer : .observerAndChange,
                unsafeBitCast(OfObjectAndChange(body: body), to: Words.self))
        }
    }

    @inlinable
    static func target<Target: AnyObject, Value>(_ body: @escaping (Target, Change<Value>) -> Void) -> HandlerCall {
        withExtendedLifetime(body) {
            HandlerCall(.targetAndChange, unsafeBitCast(OfObjectAndChange(body: body), to: Words.self))
        }
    }

    /// No handler: of nodes that are not observations.
    static var none: HandlerCall { HandlerCall(.change, Words(function: nil, closure: nil)) }

    static func named(_ handler: DeclaredHandler) -> HandlerCall {
        let pointer = UnsafeRawPointer(Borrowed.to(handler).address)
        return HandlerCall(
            handler.takesChange ? .named : .namedWithoutChange, Words(function: pointer, closure: pointer))
    }

    func release() {
        csr_release(closure)
    }
}

extension KeyValueObservation {
    /// Calls a handler that takes a change and no more. The caller holds the observation.
    @inline(__always)
    func callHandlerOfChange(_ context: Borrowed<ChangeContext>) {
        #if DEBUG
            LockOrder.assertNoLockHeld()
        #endif
        csr_call_1(function.unsafelyUnwrapped, closure, UnsafeRawPointer(context.address))
    }

    /// Calls the handler. The caller holds the observation, the observer and, where the handler takes it, the target.
    @inline(__always)
    func callHandler(_ context: Borrowed<ChangeContext>, target: () -> UnsafeRawPointer) {
        // Asked one after the other, the common ones first: a table of the cases would be a jump through memory.
        if handling == .change { return callHandlerOfChange(context) }
        #if DEBUG
            LockOrder.assertNoLockHeld()
        #endif
        let change = UnsafeRawPointer(context.address)
        if handling == .observerAndChange || handling == .observer {
            csr_call_2(function.unsafelyUnwrapped, closure, observerAddress.unsafelyUnwrapped, change)
        } else if handling == .targetAndChange {
            csr_call_2(function.unsafelyUnwrapped, closure, target(), change)
        } else {
            callNamedHandler(context)
        }
    }

    @inline(never)
    private func callNamedHandler(_ context: Borrowed<ChangeContext>) {
        let handler = Borrowed<DeclaredHandler>.at(function!).object
        let observer = Borrowed<AnyObject>.at(observerAddress!).object
        handler.call(observer, Change(context.object), userInfo)
    }
}
