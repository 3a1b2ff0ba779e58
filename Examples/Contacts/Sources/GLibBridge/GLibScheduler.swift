import AutoKVO
import CGtk
import Dispatch
import Glibc

/// Delivers changes on the main thread: at once if they are made there, else in a turn of GLib's main loop.
///
///     importer.progress.$done.observe(for: window, on: .glib) { window, change in … }
public struct GLibScheduler: MainActorChangeScheduler {
    public func schedule(_ operation: @escaping @Sendable () -> Void) {
        if cgtk_is_main_thread() { return operation() }
        let retained = Unmanaged.passRetained(ScheduledOperation(operation)).toOpaque()
        g_idle_add_full(
            G_PRIORITY_DEFAULT,
            { operation in
                // Another thread may run the default context while the main thread does not. The operation waits for the main thread.
                guard cgtk_is_main_thread() else { return gboolean(1) }
                Unmanaged<ScheduledOperation>.fromOpaque(operation!).takeUnretainedValue().value()
                return gboolean(0)
            }, retained, { Unmanaged<ScheduledOperation>.fromOpaque($0!).release() })
    }
}

extension ChangeScheduler where Self == GLibScheduler {
    /// The main thread, in GLib's main loop.
    public static var glib: GLibScheduler { GLibScheduler() }
}

private typealias ScheduledOperation = Box<@Sendable () -> Void>

/// The main queue of Dispatch, on which tasks of the main actor and `.mainActor` run.
public enum MainQueue {
    /// Has GLib's main loop run what is put into the main queue. Call it once, before the loop is run.
    ///
    /// - Returns: The number of the source, for `g_source_remove`.
    @MainActor @discardableResult public static func attach() -> guint {
        g_unix_fd_add(
            _dispatch_get_main_queue_handle_4CF(), G_IO_IN,
            { handle, _, _ in
                var wakeups: UInt64 = 0
                _ = read(handle, &wakeups, MemoryLayout.size(ofValue: wakeups))
                _dispatch_main_queue_callback_4CF(nil)
                return gboolean(1)
            }, nil)
    }
}
