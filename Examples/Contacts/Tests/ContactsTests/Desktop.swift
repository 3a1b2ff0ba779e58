import AutoKVO
import CGtk
import Foundation
import GLibBridge
import Testing

@testable import Contacts

/// All tests, one after the other: there is one keyboard, one pointer and one main thread.
@Suite(.serialized, .timeLimit(.minutes(3))) enum Desktop {}

/// Waits, while GLib's loop runs, until something holds.
@MainActor func wait(
    for what: String, location: SourceLocation = #_sourceLocation, until holds: () -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(15)
    while !holds() {
        try #require(ContinuousClock.now < end, "waited in vain for: \(what)", sourceLocation: location)
        try await Task.sleep(for: .milliseconds(3))
    }
}

/// Lets GLib's loop do what there is to do, drawing included.
@MainActor func settle() async throws { try await Task.sleep(for: .milliseconds(60)) }

/// Runs a program and returns what it prints.
func run(_ program: String, _ arguments: String..., environment: [String: String]? = nil) async throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["timeout", "60", program] + arguments
    if let environment { process.environment = environment }
    let output = Pipe()
    process.standardOutput = output
    return try await withCheckedThrowingContinuation { continuation in
        do {
            try process.run()
            Thread.detachNewThread {
                let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                continuation.resume(returning: text)
            }
        } catch {
            continuation.resume(throwing: error)
        }
    }
}

/// A keyboard and a pointer: what it does goes through the X server, as what a user does.
@MainActor struct Robot {
    let window: BookWindow

    private var xid: String {
        String(gdk_x11_surface_get_xid(gtk_native_get_surface(OpaquePointer(window.object!))))
    }

    /// Brings the window to the front and gives it the keyboard. There is no window manager that would.
    func activate() async throws {
        try await wait(for: "the window") { gtk_widget_get_mapped(window.pointer()) != 0 }
        _ = try await run("xdotool", "windowraise", xid, "windowfocus", "--sync", xid)
        try await wait(for: "the keyboard") { gtk_window_is_active(window.pointer()) != 0 }
    }

    func click(_ widget: UnsafeMutablePointer<GtkWidget>) async throws {
        try await settle()
        var (x, y, left, top) = (0.0, 0.0, 0.0, 0.0)
        let middle = (Double(gtk_widget_get_width(widget)) / 2, Double(gtk_widget_get_height(widget)) / 2)
        _ = gtk_widget_translate_coordinates(widget, window.pointer(), middle.0, middle.1, &x, &y)
        gtk_native_get_surface_transform(OpaquePointer(window.object!), &left, &top)
        _ = try await run(
            "xdotool", "mousemove", "--window", xid, String(Int(x + left)), String(Int(y + top)), "click", "1")
        try await settle()
    }

    func click(_ part: String) async throws { try await click(window.parts[part]!.pointer()) }

    func key(_ keys: String...) async throws {
        for key in keys { _ = try await run("xdotool", "key", key) }
        try await settle()
    }

    func type(_ text: String) async throws {
        _ = try await run("xdotool", "type", "--delay", "8", text)
        try await settle()
    }
}

extension BookWindow {
    /// The rows as GTK has them on the screen, from the top.
    var rows: [ContactRow] {
        var rows: [ContactRow] = []
        var child = gtk_widget_get_first_child(parts["list"]!.pointer())
        while let widget = child {
            if let content = gtk_widget_get_first_child(widget), let row = GObjectView.of(content) as? ContactRow {
                rows.append(row)
            }
            child = gtk_widget_get_next_sibling(widget)
        }
        return rows
    }

    var titles: [String] { rows.map(\.text) }

    /// The title of the row that GTK shows as selected.
    var selectedTitle: String? {
        rows.first { row in
            let item: UnsafeMutablePointer<GtkWidget> = gtk_widget_get_parent(row.pointer())
            return gtk_widget_get_state_flags(item).rawValue & GTK_STATE_FLAG_SELECTED.rawValue != 0
        }?.text
    }

    /// The title of the row that has the keyboard.
    var focusedTitle: String? {
        guard let focus = gtk_window_get_focus(pointer()) else { return nil }
        return rows.first { gtk_widget_get_parent($0.pointer()) == focus }?.text
    }

    func row(_ title: String) -> UnsafeMutablePointer<GtkWidget> { rows.first { $0.text == title }!.pointer() }

    func text(_ part: String) -> String { parts[part]!.get("text") }
    func label(_ part: String) -> String { parts[part]!.get("label") }

    func close() { gtk_window_destroy(pointer()) }
}

extension ContactRow {
    /// What the first label of the row shows.
    var text: String {
        GObjectView.of(gtk_widget_get_first_child(pointer()))!.get("label")
    }
}

/// The test runner looks into the values of an expectation that failed, and into C's structures it must not.
extension GObjectView: CustomReflectable {
    nonisolated public var customMirror: Mirror { Mirror(self, children: [], ancestorRepresentation: .suppressed) }
}

/// Runs a test with a session of some contacts. At its end everything has to be gone.
@MainActor func withFixture(
    _ names: [String] = ["Mara Voss", "Jonas Ebert", "Ann Lee", "Bea Fox"],
    location: SourceLocation = #_sourceLocation, _ test: @MainActor (Fixture) async throws -> Void
) async throws {
    let fixture = try Fixture(names)
    try await test(fixture)
    try await fixture.end(location)
}

/// A session, and windows of it.
@MainActor final class Fixture {
    var session: Session!
    var windows: [BookWindow] = []
    private let before: Int

    init(_ names: [String]) throws {
        _ = Self.program
        before = GObjectView.liveCount
        session = try Session()
        for name in names {
            let parts = name.split(separator: " ", maxSplits: 1).map(String.init)
            let contact = Contact()
            (contact.firstName, contact.lastName) = (parts[0], parts.count > 1 ? parts[1] : "")
            session.book.contacts.append(contact)
        }
        session = try Session(book: session.book)
    }

    var book: AddressBook { session.book }
    func contact(_ index: Int) -> Contact { book.contacts[index] }

    func open() async throws -> BookWindow {
        let window = BookWindow(session)
        gtk_application_add_window(Self.program.pointer(), window.pointer())
        gtk_window_present(window.pointer())
        try await wait(for: "rows") { book.contacts.isEmpty || !window.rows.isEmpty }
        windows.append(window)
        return window
    }

    /// The accelerators belong to the program's GtkApplication, so there is one in the tests, too.
    private static let program: ContactsProgram = {
        let program = ContactsProgram(try! Session())
        g_application_register(program.pointer(), nil, nil)
        g_application_hold(program.pointer())
        return program
    }()

    /// Closes what is still open, and looks for what is left.
    fileprivate func end(_ location: SourceLocation) async throws {
        weak let (session, book) = (session, session.book)
        for window in windows where !window.isDestroyed { window.close() }
        windows = []
        self.session = nil
        try await wait(for: "the views to end", location: location) { GObjectView.liveCount == before }
        try await wait(for: "the session to end", location: location) { session == nil && book == nil }
    }
}
