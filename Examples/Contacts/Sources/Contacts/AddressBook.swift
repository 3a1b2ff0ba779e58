import AutoKVO

/// All contacts, in the order in which they are shown.
final class AddressBook: TrackedObject {
    @Observed var contacts: [Contact] = []

    override class var schema: Schema {
        Schema(AddressBook.self, extending: super.schema) { Key("contacts", \.contacts) }
    }

    func sort() {
        $contacts.sort { ($0.lastName, $0.firstName) < ($1.lastName, $1.firstName) }
    }

    /// Moves a contact up or down by one, if there is room.
    func move(_ contact: Contact, by distance: Int) {
        guard let index = contacts.firstIndex(where: { $0 === contact }),
            contacts.indices.contains(index + distance)
        else { return }
        $contacts.swapAt(index, index + distance)
    }
}
