import CGtk
import GLibBridge
import Glibc
import Testing

/// GTK belongs to the main thread, which a test runner otherwise gives away. Here GLib's loop has it, as in a program, and the main
/// queue, on which the tests run, is drained by that loop.
///
/// SwiftPM takes this file in place of its own main program, because of its name.
@main enum TestProgram {
    @MainActor static func main() {
        guard gtk_init_check() != 0 else {
            print("error: there is no display: run the tests with xvfb-run.")
            exit(1)
        }
        MainQueue.attach()
        Task { @MainActor in await Testing.__swiftPMEntryPoint() as Never }
        g_main_loop_run(g_main_loop_new(nil, 0))
    }
}
