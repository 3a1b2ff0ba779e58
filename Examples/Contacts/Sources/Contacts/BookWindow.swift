import AutoKVO
import CGtk
import GLibBridge

/// A window: the list, the form of the selected contact, and the status line. Its GtkWindow owns it, so all that it observes ends when
/// the window is closed.
@MainActor final class BookWindow: GObjectView {
    let browser: Browser
    let list = GObjectListModel<Contact>()
    private let actions = GObjectView(UnsafeMutableRawPointer(g_simple_action_group_new()))
    /// Those of `window.ui` that are bound here, or that a test looks at.
    private(set) var parts: [String: GObjectView] = [:]

    init(_ session: Session) {
        let builder = gtk_builder_new()
        // The file is part of the program, so a mistake in it is a mistake in the program: GTK says which, and stops.
        let text = String(decoding: PackageResources.window_ui, as: UTF8.self)
        guard gtk_builder_add_from_string(builder, text, -1, nil) != 0 else { fatalError("window.ui is not right.") }
        defer { g_object_unref(UnsafeMutableRawPointer(builder)) }
        browser = Browser(session)
        super.init(gtk_builder_get_object(builder, "window"))
        let names = [
            "list", "form", "firstName", "lastName", "lastNameError", "mail", "mailError", "city", "age", "isFavorite",
            "status", "message",
        ]
        for name in names { parts[name] = GObjectView(gtk_builder_get_object(builder, name)) }
        fillList()
        bindForm()
        bindStatus()
        addActions()
        bind("title", to: browser.$selection.$fullName) { $0 ?? "Contacts" }
    }

    private func fillList() {
        list.follow(browser.session.book.$contacts)
        let selection = GObjectView(gtk_single_selection_new(list.opaque))
        selection.set("autoselect", false)
        selection.set("can-unselect", true)
        list.bindSelection(of: selection, to: browser.$selection)
        let rows = list.rows {
            ContactRow()
        } bind: { row, contact in
            row.show(contact)
        }
        let view = parts["list"]!
        gtk_list_view_set_model(view.opaque, selection.opaque)
        gtk_list_view_set_factory(view.opaque, rows.opaque)
        g_object_unref(selection.pointer() as UnsafeMutablePointer<GObject>)
        g_object_unref(rows.pointer() as UnsafeMutablePointer<GObject>)
    }

    private func bindForm() {
        let selection = browser.$selection
        parts["form"]!.bind("sensitive", to: selection) { $0 != nil }
        parts["firstName"]!.bindBothWays("text", to: selection.$firstName, nilAs: "")
        parts["lastName"]!.bindBothWays("text", to: selection.$lastName, nilAs: "")
        parts["mail"]!.bindBothWays("text", to: selection.$mail, nilAs: "")
        parts["city"]!.bindBothWays("text", to: selection.$city, nilAs: "")
        parts["isFavorite"]!.bindBothWays("active", to: selection.$isFavorite, nilAs: false)
        parts["age"]!.bindBothWays("value", to: selection.$age) {
            Double($0 ?? 0)
        } inverse: {
            Int($0)
        }
        // A number that is being typed is the contact's as long as that is shown.
        browser.$selection.observe(for: self, options: .prior) { window, change in
            if change.isPrior { window.commit() }
        }
        on("close-request") { [unowned self] _ in commit() }
        for key in ["lastName", "mail"] {
            parts[key + "Error"]!.bind("label") { [unowned browser] in
                browser.selection?.validationErrors[key] ?? ""
            }
            // Ctrl+Z is the book's, not the entry's.
            gtk_editable_set_enable_undo(parts[key]!.opaque, 0)
        }
        for key in ["firstName", "city"] { gtk_editable_set_enable_undo(parts[key]!.opaque, 0) }
    }

    /// Takes the number that has been typed. The spin button itself does so when it loses the keyboard, which is too late.
    private func commit() { gtk_spin_button_update(parts["age"]!.opaque) }

    /// Operators by name, and what could be undone: one call for a change of any of them.
    private func bindStatus() {
        let (session, book) = (browser.session, browser.session.book)
        do throws(KeyValueError) {
            let count = try book.path("contacts.@count", as: Int.self)
            let age = try book.path("contacts.@avg.age", as: Double.self)
            let cities = try book.path("contacts.@distinctUnionOfObjects.city", as: [String].self)
            let sources = [
                Dependency(count), Dependency(age), Dependency(cities), Dependency(session.history, "undoName"),
            ]
            try parts["status"]!.depend(on: sources) { status in
                var parts = ["\(count.value ?? 0) contacts"]
                parts.append("average age \(((age.value ?? 0) * 10).rounded() / 10)")
                parts.append("\((cities.value ?? []).count { !$0.isEmpty }) cities")
                if let name = session.history.undoName { parts.append("undo: \(name)") }
                status.set("label", parts.joined(separator: "  ·  "))
            }
        } catch {
            preconditionFailure("\(error)")
        }
        parts["message"]!.bind("label", to: session.notice.$text)
    }

    private func addActions() {
        let (browser, session) = (browser, browser.session)
        gtk_widget_insert_action_group(pointer(), "book", actions.opaque)
        g_object_unref(actions.pointer() as UnsafeMutablePointer<GObject>)
        // The muxer of a window outlives it (GTK 4.8), and with it the actions and all that they capture.
        on("destroy") { [unowned self] _ in gtk_widget_insert_action_group(pointer(), "book", nil) }
        addAction("add") { browser.add() }
        addAction("sort") { browser.sort() }
        let isSelected = { [unowned browser] in browser.selection != nil }
        addAction("remove", isEnabled: isSelected) { browser.remove() }
        addAction("move-up", isEnabled: isSelected) { browser.move(by: -1) }
        addAction("move-down", isEnabled: isSelected) { browser.move(by: 1) }
        addAction("undo", isEnabled: { session.history.canUndo }) { session.history.undo() }
        addAction("redo", isEnabled: { session.history.canRedo }) { session.history.redo() }
        addAction("save") { [unowned self] in
            commit()
            session.save()
        }
        addAction("close") { [unowned self] in gtk_window_close(pointer()) }
    }

    private func addAction(
        _ name: String, isEnabled: (() -> Bool)? = nil, _ body: @escaping @MainActor () -> Void
    ) {
        let action = GObjectView(g_simple_action_new(name, nil))
        action.on("activate") { _ in body() }
        if let isEnabled { action.bind("enabled", to: isEnabled) }
        g_action_map_add_action(actions.opaque, action.opaque)
        g_object_unref(action.pointer() as UnsafeMutablePointer<GObject>)
    }

    override func destroyed() { parts = [:] }
}

/// A row of the list: the derived title, and below it the address.
@MainActor final class ContactRow: GObjectView {
    private let title = GObjectView(gtk_label_new(""))
    private let mail = GObjectView(gtk_label_new(""))

    init() {
        super.init(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
        for label in [title, mail] {
            label.set("xalign", 0.0)
            label.set("margin-start", 8)
            gtk_box_append(pointer(), label.pointer())
        }
        gtk_widget_add_css_class(mail.pointer(), "dim-label")
        gtk_widget_add_css_class(mail.pointer(), "caption")
    }

    func show(_ contact: Contact) {
        title.bind("label", to: contact.$title)
        mail.bind("label", to: contact.$mail)
    }

    override func unbind() {
        title.unbind()
        mail.unbind()
        super.unbind()
    }
}
