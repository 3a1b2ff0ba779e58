import AutoKVO

/// A person. What the file may set, and what is right, is in the schema; the title of the row is derived.
final class Contact: TrackedObject {
    @Observed var firstName = ""
    @Observed var lastName = ""
    @Observed var mail = ""
    @Observed var city = ""
    @Observed var age = 0
    @Observed var isFavorite = false

    @Derived({ (contact: Contact) in contact.makeFullName() }) var fullName: String
    @Derived({ (contact: Contact) in contact.isFavorite ? "★ \(contact.fullName)" : contact.fullName })
    var title: String

    private func makeFullName() -> String {
        let names = [firstName, lastName].filter { !$0.isEmpty }
        return names.isEmpty ? "No name" : names.joined(separator: " ")
    }

    override class var schema: Schema {
        Schema(Contact.self, extending: super.schema) {
            Key("firstName", \.firstName) { _, name in try checkText(name, of: "A name") }
            Key("lastName", \.lastName) { contact, name in
                try checkText(name, of: "A name")
                if name.isEmpty, contact.firstName.isEmpty {
                    throw KeyValueError(.invalidValue("A contact needs a name."))
                }
            }
            Key("mail", \.mail) { _, mail in
                try checkText(mail, of: "An e-mail address")
                let parts = mail.split(separator: "@", omittingEmptySubsequences: false)
                if !mail.isEmpty, parts.count != 2 || parts.contains("") {
                    throw KeyValueError(.invalidValue("This is no e-mail address."))
                }
            }
            Key("city", \.city) { _, city in try checkText(city, of: "A city") }
            Key("age", \.age) { _, age in
                if !(0...150).contains(age) { throw KeyValueError(.invalidValue("An age is from 0 to 150.")) }
            }
            Key("isFavorite", \.isFavorite)
        }
    }
}

/// Refuses what an entry would not give back as it is: a contact with such a text would be changed by being selected.
private func checkText(_ text: String, of what: String) throws(KeyValueError) {
    if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
        throw KeyValueError(.invalidValue("\(what) has no control characters."))
    }
}
