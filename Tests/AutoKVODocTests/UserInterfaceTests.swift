// snippet: ui.import
import AutoKVO
// end
import AutoKVOTestSupport
import Foundation
import Testing

/// What the scheduler of the article calls: here the loop is the main queue.
private func onNextTurnOfTheLoop(_ operation: @escaping @Sendable () -> Void) {
    DispatchQueue.main.async(execute: operation)
}

/// The code of `User-Interfaces.md`.
@MainActor @Suite(.needs(.blankObject)) struct UserInterfaceTests {
    // snippet: ui.model
    final class Contact: TrackedObject {
        @Observed var name: String
        @Observed var mail = ""
        @Derived({ (contact: Contact) in contact.mail.isEmpty ? contact.name : "\(contact.name) <\(contact.mail)>" })
        var title: String

        init(_ name: String) { self.name = name }
    }

    final class AddressBook: TrackedObject {
        @Observed var contacts: [Contact] = []
        @Observed var selection: Contact?
    }
    // end

    // snippet: ui.views
    @MainActor final class Label {
        var text = ""
    }

    @MainActor final class ContactList {
        var contacts: [Contact] = []
        var rows: [String] { contacts.map(\.name) }
    }
    // end

    // snippet: ui.form
    final class Field: TrackedObject {
        @Observed(.distinct) var text = ""
    }
    // end

    // snippet: ui.window
    @MainActor final class Window: KeyValueObserver {
        var title = ""

        func show(_ contact: Contact) {
            contact.$title.onValue(for: self) { window, title in window.title = title }
        }

        func close() { stopObserving() }
    }
    // end

    @Test("a label") func label() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: ui.label
        let (ann, label) = (Contact("Ann"), Label())
        ann.$title.onValue(for: label) { label, title in label.text = title }
        print(label.text)  // prints: Ann
        ann.mail = "ann@example.org"
        print(label.text)  // prints: Ann <ann@example.org>
        // end
        try output.expect("ui.label")
    }

    @Test("a label that follows a selection") func selection() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: ui.selection
        let (book, label) = (AddressBook(), Label())
        book.$selection.$title.onValue(for: label) { label, title in label.text = title ?? "nobody" }
        print(label.text)  // prints: nobody
        book.selection = Contact("Bea")
        print(label.text)  // prints: Bea
        book.selection?.name = "Bee"
        print(label.text)  // prints: Bee
        // end
        try output.expect("ui.selection")
    }

    @Test("a list") func list() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: ui.list
        let (book, list) = (AddressBook(), ContactList())
        book.$contacts.observe(for: list, options: [.initial, .old, .new]) { list, change in
            change.apply(to: &list.contacts)
            for splice in change.splices { print("at", splice.position, "out", splice.removed, "in", splice.inserted) }
        }
        book.$contacts.append(Contact("Dan"))  // prints: at 0 out 0 in 1
        book.$contacts.insert(Contact("Ann"), at: 0)  // prints: at 0 out 0 in 1
        book.$contacts.remove(at: 1)  // prints: at 1 out 1 in 0
        print(list.rows)  // prints: ["Ann"]
        // end
        try output.expect("ui.list")
    }

    @Test("its rows") func rows() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: ui.rows
        let (book, ann) = (AddressBook(), Contact("Ann"))
        book.contacts = [ann]
        book.$contacts.observeEach(\.$title) { contact, change in
            print("draw the row of", contact.title)
        }
        ann.mail = "ann@example.org"  // prints: draw the row of Ann <ann@example.org>
        // end
        try output.expect("ui.rows")
    }

    @Test("a form") func form() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: ui.binding
        let (book, field) = (AddressBook(), Field())
        let (ann, bea) = (Contact("Ann"), Contact("Bea"))
        field.$text.bindBothWays(to: book.$selection.$name, nilAs: "")
        book.selection = ann
        print(field.text)  // prints: Ann
        field.text = "Anna"
        book.selection = bea
        print(field.text, ann.name, bea.name)  // prints: Bea Anna Bea
        // end
        try output.expect("ui.binding")
    }

    @Test("a status line") func status() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: ui.status
        let (book, status) = (AddressBook(), Field())
        status.$text.bind {
            let reachable = book.contacts.filter { !$0.mail.isEmpty }
            return "\(reachable.count) of \(book.contacts.count) with mail"
        }
        let ann = Contact("Ann")
        book.$contacts.append(ann)
        ann.mail = "ann@example.org"
        print(status.text)  // prints: 1 of 1 with mail
        // end
        try output.expect("ui.status")
    }

    @Test("a toolkit's loop") func loop() async {
        // snippet: ui.loop
        let (ann, label) = (Contact("Ann"), Label())
        ann.$title.onValue(for: label, on: .loop) { label, title in label.text = title }
        ann.name = "Eve"
        // end
        while label.text != "Eve" { await Task.yield() }
    }

    @Test("a window that is closed") func window() {
        let (ann, window) = (Contact("Ann"), Window())
        window.show(ann)
        #expect(window.title == "Ann")
        window.close()
        ann.name = "Eve"
        #expect(window.title == "Ann" && ann.observations().isEmpty)
    }
}

// snippet: ui.scheduler
struct LoopScheduler: MainActorChangeScheduler {
    func schedule(_ operation: @escaping @Sendable () -> Void) {
        onNextTurnOfTheLoop(operation)
    }
}

extension ChangeScheduler where Self == LoopScheduler {
    static var loop: LoopScheduler { LoopScheduler() }
}
// end
