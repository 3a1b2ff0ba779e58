// snippet: lists.import
import AutoKVO
import Foundation
// end
import Testing

/// The code of `Lists.md`.
struct ListsTests {
    // snippet: lists.model
    final class Song: TrackedObject {
        @Observed var title: String
        @Observed var seconds = 200

        init(_ title: String) { self.title = title }
    }

    final class Playlist: TrackedObject {
        @Observed var titles: [String] = []
        @Observed var songs: [Song] = []
        @Derived({ (list: Playlist) in list.songs.reduce(0) { $0 + $1.seconds } }) var length: Int

        override class var schema: Schema {
            Schema(Playlist.self, extending: super.schema) { Key("titles", \.titles) }
        }
    }
    // end

    @Test("a copy in step") func rows() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: lists.rows
        let list = Playlist()
        var rows: [String] = []
        list.$titles.observe(options: [.initial, .new]) { change in change.apply(to: &rows) }
        list.titles = ["Sun", "Moon", "Air"]
        list.$titles.sort()
        list.$titles.remove(at: 1)
        print(rows == list.titles, rows)  // prints: true ["Air", "Sun"]
        // end
        try output.expect("lists.rows")
    }

    @Test("the steps of a list view") func steps() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: lists.steps
        let list = Playlist()
        list.titles = ["Sun", "Moon", "Air"]
        list.$titles.observe(options: [.old, .new]) { change in
            for step in change.splices { print("at \(step.position): -\(step.removed) +\(step.inserted)") }
            for move in change.moves { print("from \(move.from) to \(move.to)") }
        }
        list.$titles.insert(contentsOf: ["Sea", "Sky"], at: 1)  // prints: at 1: -0 +2
        list.$titles.removeAll { $0.hasPrefix("S") }  // prints: at 0: -3 +0
        list.$titles.swapAt(0, 1)
        // prints: at 0: -2 +2
        // prints: from 1 to 0
        // prints: from 0 to 1
        // end
        try output.expect("lists.steps")
    }

    @Test("what was fetched") func update() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: lists.update
        let list = Playlist()
        list.titles = ["Sun", "Moon", "Air"]
        list.$titles.observe(options: [.old, .new]) { change in
            let indexes = change.indexes.map { Array($0.ranges.joined()) } ?? []
            print(change.kind, indexes, change.newValue ?? change.oldValue ?? [])
        }
        list.$titles.update(to: ["Sun", "Air", "Sea"])
        // prints: removal [1] ["Moon"]
        // prints: insertion [2] ["Sea"]
        list.$titles.edit { titles in
            if titles.count > 2 { titles.removeLast() }
        }
        // prints: removal [2] ["Sea"]
        // end
        try output.expect("lists.update")
    }

    @Test("each object of a list") func each() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: lists.each
        let (list, sun) = (Playlist(), Song("Sun"))
        list.$songs.observeEach(\.$title, options: .new) { song, change in print(song.seconds, change.newValue ?? "-") }
        list.$length.onValue { length in print("length", length) }  // prints: length 0
        list.$songs.append(sun)  // prints: length 200
        sun.title = "Moon"  // prints: 200 Moon
        sun.seconds = 180  // prints: length 180
        list.$songs.removeAll()  // prints: length 0
        sun.title = "Air"  // no call: it has left the list
        // end
        try output.expect("lists.each")
    }

    @Test("elements of several lists") func elements() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: lists.elements
        final class Shelf: TrackedObject {
            var titles: [String] = []
        }
        let (shelf, lists) = (Shelf(), [Playlist(), Playlist()])
        lists.map(\.$songs).observeElements(
            for: shelf, added: { shelf, song in shelf.titles.append(song.title) },
            removed: { shelf, song in shelf.titles.removeAll { $0 == song.title } })
        lists[0].songs = [Song("Sun"), Song("Moon")]
        lists[1].$songs.append(Song("Air"))
        lists[0].$songs.removeFirst()
        print(shelf.titles)  // prints: ["Moon", "Air"]
        // end
        try output.expect("lists.elements")
    }

    @Test("a list in another program") func records() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: lists.records
        let (list, copy) = (Playlist(), Playlist())
        var sent: [Data] = []
        list.$titles.observe(options: [.old, .new]) { change in
            if let data = try? JSONEncoder().encode(ChangeRecord(change)) { sent.append(data) }
        }
        list.$titles.append("Sun")
        list.$titles.append("Moon")
        func receive(_ data: Data) {
            do {
                try JSONDecoder().decode(ChangeRecord<[String]>.self, from: data).apply(on: copy)
            } catch {
                print("refused:", copy.titles)
            }
        }
        receive(sent[1])  // prints: refused: []
        receive(sent[0])
        receive(sent[1])
        print(copy.titles)  // prints: ["Sun", "Moon"]
        // end
        try output.expect("lists.records")
    }
}
