import CGtk

/// What a signal was emitted with. The first argument is the GObject that emits it.
@MainActor public struct SignalArguments {
    public let values: UnsafeBufferPointer<GValue>
    public let result: UnsafeMutablePointer<GValue>?

    public func object(at index: Int) -> UnsafeMutableRawPointer? {
        g_value_get_object(values.baseAddress! + index)
    }

    /// What the signal returns, for one that asks, such as `close-request`.
    public func answer(_ value: Bool) { if let result { g_value_set_boolean(result, value ? 1 : 0) } }
}

private typealias SignalHandler = Box<@MainActor (SignalArguments) -> Void>

extension GObjectView {
    /// Calls a handler at each emission of a signal: `button.on("clicked") { _ in … }`. The handler is released when the GObject is
    /// destroyed. Until then it keeps what it captures.
    ///
    /// - Returns: The number of the handler, for `g_signal_handler_disconnect`.
    @discardableResult public func on(_ signal: String, _ handler: @escaping @MainActor (SignalArguments) -> Void)
        -> gulong
    {
        let retained = Unmanaged.passRetained(SignalHandler(handler)).toOpaque()
        let closure = g_closure_new_simple(guint(MemoryLayout<GClosure>.size), retained)
        g_closure_add_finalize_notifier(closure, retained) { retained, _ in
            Unmanaged<SignalHandler>.fromOpaque(retained!).release()
        }
        g_closure_set_marshal(closure) { closure, result, count, values, _, _ in
            nonisolated(unsafe) let (handler, values, result) = (closure!.pointee.data, values, result)
            MainActor.assumeIsolated {
                let arguments = SignalArguments(
                    values: UnsafeBufferPointer(start: values, count: Int(count)), result: result)
                Unmanaged<SignalHandler>.fromOpaque(handler!).takeUnretainedValue().value(arguments)
            }
        }
        return g_signal_connect_closure(pointer(), signal, closure, 0)
    }
}
