// snippet: combine.import
import AutoKVO
// end
import Testing

/// The code of `Coming-from-Combine.md`.
struct ComingFromCombineTests {
    // snippet: combine.model
    final class Profile: TrackedObject {
        @Observed var name = "ann"
        @Observed var score = 0
    }

    final class Card: TrackedObject {
        @Observed var title = ""
        @Observed var stars = ""

        override class var schema: Schema {
            Schema(Card.self, extending: super.schema) {
                Key("stars", \.stars)  // may be set by name
            }
        }
    }
    // end

    @Test("a sink") func sink() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: combine.sink
        let profile = Profile()
        profile.$name.observe(options: [.initial, .new, .distinct]) { change in
            print(change.newValue ?? "-")  // prints: ann
        }
        profile.name = "ann"  // no call: .distinct leaves out an equal value
        profile.name = "bea"  // prints: bea
        // end
        try output.expect("combine.sink")
    }

    @Test("an assignment") func assign() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: combine.assign
        let profile = Profile()
        let card = Card()
        card.$title.bind(to: profile.$name) { $0.uppercased() }
        try card.bind("stars", to: "score", of: profile) { (score: Int) in String(repeating: "*", count: score) }
        profile.score = 3
        print(card.title, card.stars)  // prints: ANN ***
        // end
        try output.expect("combine.assign")
    }

    @Test("several at once") func latest() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: combine.latest
        let profiles = [Profile(), Profile()]
        let card = Card()
        try card.depend(on: profiles.map { Dependency($0, ["name", "score"]) }) { card in
            card.title = profiles.map { "\($0.name) \($0.score)" }.joined(separator: ", ")
        }
        print(card.title)  // prints: ann 0, ann 0
        coalescingChanges {
            profiles[0].name = "eve"
            profiles[1].score = 7
        }
        print(card.title)  // prints: eve 0, ann 7
        // end
        try output.expect("combine.latest")
    }
}
