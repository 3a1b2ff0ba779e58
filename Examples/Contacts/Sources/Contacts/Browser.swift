import AutoKVO

/// What one window shows of the book, and what its buttons do. It knows nothing of GTK.
@MainActor final class Browser: TrackedObject {
    let session: Session
    @Observed var selection: Contact?

    private var book: AddressBook { session.book }
    private var history: UndoHistory { session.history }

    init(_ session: Session) { self.session = session }

    func add() {
        let contact = Contact()
        history.group("Add") { book.$contacts.append(contact) }
        selection = contact
    }

    /// Removes the selected contact, and selects the one in its place.
    func remove() {
        guard let selection, let index = book.contacts.firstIndex(where: { $0 === selection }) else { return }
        let rest = book.contacts.filter { $0 !== selection }
        history.group("Remove") { book.$contacts.remove(at: index) }
        self.selection = rest.isEmpty ? nil : rest[min(index, rest.count - 1)]
    }

    func sort() { history.group("Sort") { book.sort() } }

    func move(by distance: Int) {
        guard let selection else { return }
        history.group("Move") { book.move(selection, by: distance) }
    }
}
