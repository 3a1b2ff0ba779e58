internal import CSwiftRuntime

/// A closure as the two words that Swift keeps it in, called without counting references on the way. Or an object in place of
/// one. It is copied as an address is: whoever makes one owns a reference, and the last owner releases it.
///
/// Calling a closure in Swift retains and releases its context, which are two of the atomic operations of a delivery.
///
/// **Assumption** `closureCall`: a closure is a function and a context, and is called as CSwiftRuntime.h says. Where
/// `canCallDirectly` is false it does not hold, and none may be made from a closure: see `HandlerCall`, which then keeps an
/// object that calls the closure in the ordinary way.
@frozen @usableFromInline package struct ClosureCall {
    @usableFromInline let function: UnsafeRawPointer?
    @usableFromInline let context: UnsafeRawPointer?

    @export(implementation) init(_ function: UnsafeRawPointer?, _ context: UnsafeRawPointer?) {
        (self.function, self.context) = (function, context)
    }

    /// The closure that is the only stored property of a value, and whose arguments are one reference each. Passed to a
    /// generic function as it is, the compiler would convert a closure to one that takes its arguments in memory.
    @export(implementation) init<Wrapper>(of wrapper: Wrapper) {
        self = withExtendedLifetime(wrapper) {
            let words = unsafeBitCast(wrapper, to: ClosureCall.self)
            if let context = words.context { _ = Borrowed<AnyObject>.at(context).retain() }
            return words
        }
    }

    /// An object, which cannot be called but is found in `object`.
    init(keeping object: AnyObject) {
        let address = Borrowed.retaining(object).rawAddress
        self.init(address, address)
    }

    static var none: ClosureCall { ClosureCall(nil, nil) }

    var isNone: Bool { function == nil }

    /// The object that is kept in place of a closure.
    var object: AnyObject { Borrowed.at(context!).object }

    func release() { csr_release(context) }

    /// Gives away what is counted, for the caller to release, and leaves no closure.
    @inline(__always)
    mutating func take() -> Borrowed<AnyObject>? {
        defer { self = .none }
        return context.map { .at($0) }
    }

    /// Calls a closure with one parameter. The caller keeps the closure and the argument.
    @inline(__always)
    func callAsFunction(_ argument: UnsafeRawPointer) { csr_call_1(function.unsafelyUnwrapped, context, argument) }

    /// Calls a closure with two parameters. The caller keeps the closure and the arguments.
    @inline(__always)
    func callAsFunction(_ first: UnsafeRawPointer, _ second: UnsafeRawPointer) {
        csr_call_2(function.unsafelyUnwrapped, context, first, second)
    }

    // MARK: The probe

    /// Whether the assumption holds.
    @usableFromInline package static let canCallDirectly = RuntimeCheck.holds(.closureCall)

    private final class Probe { var received: (Probe?, Probe?) }
    private struct One { let body: (Probe) -> Void }
    private struct Two { let body: (Probe, Probe) -> Void }

    /// Calls two closures whose effect is known, and compares what they received, and whether they left the reference counts. Without
    /// arrays, whose types and functions the runtime would have to make in each process.
    @_optimize(none) static func probe() -> Bool {
        guard MemoryLayout<One>.size == MemoryLayout<ClosureCall>.size else { return false }
        let (probe, first, second) = (Probe(), Probe(), Probe())
        let one = ClosureCall(of: One { probe.received = ($0, nil) })
        let two = ClosureCall(of: Two { probe.received = ($0, $1) })
        guard !one.isNone, !two.isNone, one.context != nil, two.context != nil else { return false }
        // A closure that is called otherwise and releases its arguments must not free them.
        let (a, b) = (Borrowed.retaining(first).rawAddress, Borrowed.retaining(second).rawAddress)
        let (countOfA, countOfB) = (csr_count(a), csr_count(b))
        one(a)
        guard probe.received.0 === first, probe.received.1 == nil else { return false }
        two(b, a)
        guard probe.received.0 === second, probe.received.1 === first else { return false }
        probe.received = (nil, nil)
        guard csr_count(a) == countOfA, csr_count(b) == countOfB else { return false }
        csr_release(a)
        csr_release(b)
        one.release()
        two.release()
        return true
    }
}
