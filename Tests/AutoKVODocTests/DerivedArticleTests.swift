// snippet: derived.import
import AutoKVO
// end
import Foundation
import Testing

/// The code of `Derived-Values.md`.
struct DerivedArticleTests {
    // snippet: derived.model
    class Person: TrackedObject {
        @Observed var firstName = "Ann"
        @Observed var lastName = "Lee"
        @Observed var nickname: String?

        @Derived({ (person: Person) in "\(person.firstName) \(person.lastName)" }) var fullName: String
        @Derived({ (person: Person) in person.nickname ?? person.fullName }) var shownName: String
    }
    // end

    // snippet: derived.cart
    final class Item: TrackedObject {
        @Observed var price: Int
        init(_ price: Int) { self.price = price }
    }

    final class Cart: TrackedObject {
        @Observed var items: [Item] = []
        @Observed var owner: Person?

        @Derived({ (cart: Cart) in cart.items.reduce(0) { $0 + $1.price } }) var total: Int
        @Derived({ (cart: Cart) in "\(cart.owner?.shownName ?? "nobody"): \(cart.total)" }) var label: String
    }
    // end

    // snippet: derived.session
    final class Session: TrackedObject {
        @Observed var user = "ann"
        @Observed var visits = 0
        private var storedToken = "t1"
        var token: String {
            get {
                didRead("token")
                return storedToken
            }
            set { withMutation(of: "token") { storedToken = newValue } }
        }

        @Derived({ (session: Session) in "\(session.user) \(session.token)" }) var header: String
        @Derived({ (session: Session) in
            "\(session.user), visit \(withoutTracking { session.visits })"
        }) var title: String

        override class var schema: Schema {
            Schema(Session.self, extending: super.schema) { Key("token", \.token, notifiesAutomatically: false) }
        }
    }
    // end

    // snippet: derived.dial
    final class Dial: TrackedObject {
        @Observed var angle = 0
        var computations = 0

        @Derived({ (dial: Dial) in
            dial.computations += 1
            return dial.angle / 10
        }) var mark: Int
    }
    // end

    // snippet: derived.screen
    final class Screen: TrackedObject {
        @Observed var person: Person?
        @Observed var text = ""
    }
    // end

    // snippet: derived.codable
    final class Note: TrackedObject, Codable {
        @Observed var text = ""
        @Derived({ (note: Note) in note.text.count }) var length: Int

        private enum CodingKeys: String, CodingKey { case text }
    }
    // end

    @Test("declare one") func first() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: derived.first
        let person = Person()
        person.$shownName.observe(options: [.old, .new]) { change in
            print(change.oldValue ?? "-", "is now", change.newValue ?? "-")
        }
        person.firstName = "Bea"  // prints: Ann Lee is now Bea Lee
        person.nickname = "Bee"  // prints: Bea Lee is now Bee
        person.lastName = "Fox"  // no call: only the nickname is read
        // end
        try output.expect("derived.first")
    }

    @Test("elements and other objects") func elements() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: derived.elements
        let (cart, pen) = (Cart(), Item(3))
        cart.$label.onValue { label in print(label) }  // prints: nobody: 0
        cart.items = [Item(4), pen]  // prints: nobody: 7
        pen.price = 5  // prints: nobody: 9
        cart.owner = Person()  // prints: Ann Lee: 9
        cart.owner?.firstName = "Bea"  // prints: Bea Lee: 9
        cart.$items.sort { $0.price > $1.price }  // no call: the label is the same
        // end
        try output.expect("derived.elements")
    }

    @Test("what is heard") func tracking() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: derived.tracking
        let session = Session()
        session.$header.observe(options: .new) { change in print(change.newValue ?? "-") }
        session.$title.observe(options: .new) { change in print(change.newValue ?? "-") }
        session.token = "t2"  // prints: ann t2
        session.visits = 1  // no call
        session.user = "bea"
        // prints: bea t2
        // prints: bea, visit 1
        // end
        try output.expect("derived.tracking")
    }

    @Test("when it is computed") func computed() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: derived.computed
        let dial = Dial()
        dial.angle = 12
        print(dial.mark, dial.mark, dial.computations)  // prints: 1 1 2
        dial.$mark.observe(options: .new) { change in print("mark", change.newValue ?? 0) }
        dial.angle = 25  // prints: mark 2
        dial.angle = 28  // computed, and equal: no call
        print(dial.mark, dial.computations)  // prints: 2 5
        // end
        try output.expect("derived.computed")
    }

    @Test("prior calls") func prior() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: derived.prior
        let dial = Dial()
        dial.$mark.observe(options: [.old, .new, .prior]) { change in
            print(change.isPrior ? "before" : "after", change.oldValue ?? 0, change.newValue ?? 0)
        }
        dial.angle = 5  // prints: before 0 0
        dial.angle = 15
        // prints: before 0 0
        // prints: after 0 1
        // end
        try output.expect("derived.prior")
    }

    @Test("follow what a closure reads") func reading() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: derived.reading
        let (screen, person) = (Screen(), Person())
        screen.person = person
        screen.observe(reading: { $0.person?.shownName }, options: .new) { screen, change in
            print("shown:", (change.newValue ?? nil) ?? "nobody")
        }
        person.observe(\.firstName.count, options: .new) { person, change in
            print("letters:", change.newValue ?? 0)
        }
        screen.$text.bind { "\(person.fullName)!" }

        person.firstName = "Barbara"
        // prints: shown: Barbara Lee
        // prints: letters: 7
        print(screen.text)  // prints: Barbara Lee!
        screen.person = nil  // prints: shown: nobody
        // end
        try output.expect("derived.reading")
    }

    @Test("leave it out of the coding keys") func codable() throws {
        let note = try JSONDecoder().decode(Note.self, from: Data(#"{"text": "four"}"#.utf8))
        #expect(note.length == 4)
        #expect(try String(decoding: JSONEncoder().encode(note), as: UTF8.self) == #"{"text":"four"}"#)
    }
}
