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
            Key("firstName", \.firstName)
            Key("lastName", \.lastName) { contact, name in
                if name.isEmpty, contact.firstName.isEmpty {
                    throw KeyValueError(.invalidValue("A contact needs a name."))
                }
            }
            Key("mail", \.mail) { _, mail in
                let parts = mail.split(separator: "@", omittingEmptySubsequences: false)
                if !mail.isEmpty, parts.count != 2 || parts.contains("") {
                    throw KeyValueError(.invalidValue("This is no e-mail address."))
                }
            }
            Key("city", \.city)
            Key("age", \.age) { _, age in
                if !(0...150).contains(age) { throw KeyValueError(.invalidValue("An age is from 0 to 150.")) }
            }
            Key("isFavorite", \.isFavorite)
        }
    }
}
