// snippet: collections.import
import AutoKVO
import AutoKVOFoundation
import Foundation
// end
import Testing

/// The code of `Collections.md`.
struct CollectionsTests {
    // snippet: collections.model
    class Playlist: TrackedObject {
        @Observed var songs: [String] = []
        @Observed var tags: Set<String> = []
        @ObservedReadOnly private(set) var history: [String] = []

        func play(_ song: String) { editable(\._history).append(song) }

        override class var schema: Schema {
            Schema(Playlist.self, extending: super.schema) {
                Key("songs", \.songs)
                Key("tags", \.tags)
            }
        }
    }
    // end

    @Test("edit an array") func edits() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: collections.edits
        let list = Playlist()
        list.$songs.observe(options: [.old, .new]) { change in
            let indexes = change.indexes.map { Array($0.ranges.joined()) } ?? []
            print(change.kind, indexes, change.oldValue ?? [], change.newValue ?? [])
        }
        list.$songs.append("Blue")  // prints: insertion [0] [] ["Blue"]
        list.$songs.insert(contentsOf: ["Air", "Sea"], at: 0)  // prints: insertion [0, 1] [] ["Air", "Sea"]
        list.$songs[2] = "Red"  // prints: replacement [2] ["Blue"] ["Red"]
        list.$songs.removeAll { $0 != "Sea" }  // prints: removal [0, 2] ["Air", "Red"] []
        list.songs = ["Sun"]  // prints: setting [] ["Sea"] ["Sun"]
        list.songs.append("Moon")  // prints: setting [] ["Sun"] ["Sun", "Moon"]
        // end
        try output.expect("collections.edits")
    }

    @Test("keep a copy in step") func mirror() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: collections.mirror
        let list = Playlist()
        var rows: [String] = []
        list.$songs.observe(options: [.initial, .new]) { change in
            let new = change.newValue ?? []
            guard let indexes = change.indexes else {
                rows = new
                return
            }
            switch change.kind {
            case .setting: rows = new
            case .removal: rows.removeSubranges(indexes)
            case .insertion:
                for (index, song) in zip(indexes.ranges.joined(), new) { rows.insert(song, at: index) }
            case .replacement:
                for (index, song) in zip(indexes.ranges.joined(), new) { rows[index] = song }
            }
        }
        list.songs = ["Sun", "Moon", "Air"]
        list.$songs.sort()
        list.$songs.remove(at: 1)
        list.$songs.replaceSubrange(0..<1, with: ["Sea", "Sky"])
        print(rows == list.songs, rows)  // prints: true ["Sea", "Sky", "Sun"]
        // end
        try output.expect("collections.mirror")
    }

    @Test("several edits as one change") func mutation() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: collections.mutation
        let list = Playlist()
        list.$songs.observe(options: .new) { change in print(change.kind, change.newValue ?? []) }
        list.$songs.withMutation {
            list.$songs.append("Sun")
            list.$songs.append("Moon")
        }
        // prints: setting ["Sun", "Moon"]
        // end
        try output.expect("collections.mutation")
    }

    @Test("edit a set") func sets() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: collections.sets
        let list = Playlist()
        list.$tags.observe(options: [.old, .new]) { change in
            print(change.kind, (change.oldValue ?? []).sorted(), (change.newValue ?? []).sorted())
        }
        list.$tags.insert("jazz")  // prints: insertion [] ["jazz"]
        list.$tags.insert("jazz")  // no call: nothing moved
        list.$tags.formUnion(["jazz", "live"])  // prints: insertion [] ["live"]
        list.$tags.value = ["live", "new"]  // prints: replacement ["jazz"] ["new"]
        list.$tags.subtract(["new"])  // prints: removal ["new"] []
        // end
        try output.expect("collections.sets")
    }

    @Test("elements that come and go") func elements() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: collections.elements
        let list = Playlist()
        list.songs = ["Sun"]
        list.$songs.observeElements(options: .initial, added: { print("+", $0) }, removed: { print("-", $0) })
        // prints: + Sun
        list.songs = ["Moon", "Sun"]  // prints: + Moon
        list.$songs.swapAt(0, 1)  // no call: the elements only moved
        list.$songs.removeLast()  // prints: - Moon
        // end
        try output.expect("collections.elements")
    }

    @Test("edit by name") func proxies() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: collections.proxies
        let list = Playlist()
        list.$songs.observe { change in print(change.kind) }
        let songs = try list.mutableArrayValue(forKey: "songs")
        try songs.append("Sun")  // prints: insertion
        try songs.replace(at: 0, with: "Moon")  // prints: replacement
        do {
            try songs.append(7)
        } catch {
            print(error)  // prints: wrong type for "songs": Playlist.songs holds elements of type String, not Int
        }
        let tags = try list.mutableSetValue(forKey: "tags")
        try tags.formUnion(["jazz", "live"])
        print(songs.count, tags.count, list.songs)  // prints: 1 2 ["Moon"]
        // end
        try output.expect("collections.proxies")
    }

    @Test("a collection that only its class edits") func readOnly() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: collections.read-only
        let list = Playlist()
        list.$history.observe(options: .new) { change in print(change.kind, change.newValue ?? []) }
        list.play("Sun")  // prints: insertion ["Sun"]
        print(list.$history.count, list.$history.last ?? "-")  // prints: 1 Sun
        // end
        try output.expect("collections.read-only")
    }

    @Test("announce edits by hand") func manual() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: collections.manual
        final class Queue: TrackedObject {
            private var storage: [String] = []
            var items: [String] { storage }

            func add(_ item: String) {
                let indexes = IndexSet(integer: storage.count)
                willChange(.insertion, valuesAt: indexes, forKey: "items")
                storage.append(item)
                didChange(.insertion, valuesAt: indexes, forKey: "items")
            }

            override class var schema: Schema {
                Schema(Queue.self, extending: super.schema) { Key("items", \.items, notifiesAutomatically: false) }
            }
        }
        let queue = Queue()
        try queue.observe("items", as: [String].self, options: .new) { change in
            print(change.kind, change.newValue ?? [], change.indexSet.map(Array.init) ?? [])
        }
        queue.add("Sun")  // prints: insertion ["Sun"] [0]
        // end
        try output.expect("collections.manual")
    }
}
