internal import CSwiftRuntime

/// A handler as the two words a Swift closure is made of, and what it expects as arguments.
///
/// All handlers take `Change<Value>`, which is one reference whatever `Value` is, and perhaps an object before it, so
/// one form of call fits them all: no wrapping closure is allocated at the registration, and the call neither retains
/// nor releases the closure's context. Whoever calls sees to it that the context lives (see `ObservationNode.holds`).
@usableFromInline
struct HandlerCall {
    enum Shape: UInt8 {
        /// `(Change<Value>) -> Void`
        case change
        /// `(Observer, Change<Value>) -> Void`
        case observerAndChange
        /// `(Target, Change<Value>) -> Void`
        case targetAndChange
        /// A handler that the observer's class declares.
        case named
    }

    let shape: Shape
    let function: UnsafeRawPointer
    /// Owned: whoever has the value has to store or release it.
    let closure: UnsafeRawPointer?

    // A closure is wrapped in a struct first: passed to a generic function as it is, the compiler would convert it to
    // one that takes its arguments in memory.
    private struct OfChange<Value> { let body: (Change<Value>) -> Void }
    private struct OfObjectAndChange<Object: AnyObject, Value> { let body: (Object, Change<Value>) -> Void }
    private struct Words {
        let function: UnsafeRawPointer
        let closure: UnsafeRawPointer?
    }

    private init(_ shape: Shape, _ words: Words) {
        self.shape = shape
        function = words.function
        closure = words.closure
        if let closure { csr_retain(closure) }
    }

    @usableFromInline
    static func change<Value>(_ body: @escaping (Change<Value>) -> Void) -> HandlerCall {
        withExtendedLifetime(body) { HandlerCall(.change, unsafeBitCast(OfChange(body: body), to: Words.self)) }
    }

    @usableFromInline
    static func observer<Observer: AnyObject, Value>(_ body: @escaping (Observer, Change<Value>) -> Void) -> HandlerCall
    {
        withExtendedLifetime(body) {
            HandlerCall(.observerAndChange, unsafeBitCast(OfObjectAndChange(body: body), to: Words.self))
        }
    }

    @usableFromInline
    static func target<Target: AnyObject, Value>(_ body: @escaping (Target, Change<Value>) -> Void) -> HandlerCall {
        withExtendedLifetime(body) {
            HandlerCall(.targetAndChange, unsafeBitCast(OfObjectAndChange(body: body), to: Words.self))
        }
    }

    static func named(_ handler: DeclaredHandler) -> HandlerCall {
        let pointer = UnsafeRawPointer(Unmanaged.passUnretained(handler).toOpaque())
        return HandlerCall(.named, Words(function: pointer, closure: pointer))
    }

    func release() {
        csr_release(closure)
    }
}

extension KeyValueObservation {
    /// Calls the handler. The caller holds the observation, the observer and, where the handler takes it, the target.
    @inline(__always)
    func callHandler(_ context: Unmanaged<ChangeContext>, target: UnsafeRawPointer?) {
        #if DEBUG
            LockOrder.assertNoLockHeld()
        #endif
        let change = UnsafeRawPointer(context.toOpaque())
        switch handling {
        case .change: csr_call_1(function!, closure, change)
        case .observerAndChange: csr_call_2(function!, closure, observerAddress!, change)
        case .targetAndChange: csr_call_2(function!, closure, target!, change)
        case .named: callNamedHandler(context)
        }
    }

    @inline(never)
    private func callNamedHandler(_ context: Unmanaged<ChangeContext>) {
        let handler = Unmanaged<DeclaredHandler>.fromOpaque(function!).takeUnretainedValue()
        let observer = Unmanaged<AnyObject>.fromOpaque(observerAddress!).takeUnretainedValue()
        handler.call(observer, Change(context.takeUnretainedValue()), userInfo)
    }
}
