import AutoKVO
import CGtk
import Foundation
import GLibBridge

/// The program: its GtkApplication, its windows, and what they share.
@MainActor final class ContactsProgram: GObjectView {
    let session: Session
    private let importFile: URL?

    init(_ session: Session, importing importFile: URL? = nil) {
        (self.session, self.importFile) = (session, importFile)
        super.init(gtk_application_new("org.autokvo.Contacts", GApplicationFlags(rawValue: cgtk_non_unique)))
        on("startup") { [unowned self] _ in start() }
        on("activate") { [unowned self] _ in openWindow() }
    }

    private func start() {
        addAction("new-window") { [unowned self] in openWindow() }
        addAction("import") { [unowned self] in
            if let importFile {
                session.startImport(importFile)
            } else {
                session.notice.text = "Start with --import FILE."
            }
        }
        let keys = [
            "app.new-window": "<Control>n", "app.import": "<Control>i", "book.close": "<Control>w",
            "book.add": "<Control>plus", "book.remove": "<Control>Delete", "book.sort": "<Control>l",
            "book.move-up": "<Control>Up", "book.move-down": "<Control>Down", "book.undo": "<Control>z",
            "book.redo": "<Control><Shift>z", "book.save": "<Control>s",
        ]
        for (action, key) in keys {
            key.withCString { key in
                var keys = [key, nil]
                gtk_application_set_accels_for_action(pointer(), action, &keys)
            }
        }
    }

    private func addAction(_ name: String, _ body: @escaping @MainActor () -> Void) {
        let action = GObjectView(g_simple_action_new(name, nil))
        action.on("activate") { _ in body() }
        g_action_map_add_action(opaque, action.opaque)
        g_object_unref(action.pointer() as UnsafeMutablePointer<GObject>)
    }

    @discardableResult func openWindow() -> BookWindow {
        let window = BookWindow(session)
        gtk_application_add_window(pointer(), window.pointer())
        gtk_window_present(window.pointer())
        return window
    }

    /// Runs until the last window is closed.
    func run() -> Int32 { g_application_run(pointer(), 0, nil) }
}

@main enum ContactsCommand {
    @MainActor static func main() {
        var arguments = CommandLine.arguments.dropFirst()
        let isReporting = arguments.firstIndex(of: "--report").map { arguments.remove(at: $0) } != nil
        var importFile: URL?
        if let option = arguments.firstIndex(of: "--import"), option + 1 < arguments.endIndex {
            importFile = URL(fileURLWithPath: arguments[option + 1])
            arguments.removeSubrange(option...option + 1)
        }
        do {
            exit(try run(arguments.first.map { URL(fileURLWithPath: $0) }, importFile, isReporting))
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    @MainActor private static func run(_ file: URL?, _ importFile: URL?, _ isReporting: Bool) throws -> Int32 {
        MainQueue.attach()
        weak var session: Session?
        func runProgram() throws -> Int32 {
            let program = ContactsProgram(try Session(file: file), importing: importFile)
            session = program.session
            defer { g_object_unref(program.pointer() as UnsafeMutablePointer<GObject>) }
            return program.run()
        }
        let status = try runProgram()
        if isReporting { print("live views: \(GObjectView.liveCount); live session: \(session != nil)") }
        return status
    }
}
