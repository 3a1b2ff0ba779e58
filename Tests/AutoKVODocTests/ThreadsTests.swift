// snippet: threads.import
import AutoKVO
import Foundation
// end
import Testing

/// The code of `Threads.md`.
struct ThreadsTests {
    // snippet: threads.model
    final class Download: TrackedObject {
        @Observed var progress = 0

        override class var schema: Schema {
            Schema(Download.self, extending: super.schema) { Key("progress", \.progress) }
        }
    }

    @MainActor final class Bar {
        var width = 0
    }
    // end

    // snippet: threads.panel
    @MainActor final class Panel: TrackedObject {
        @Observed var lines: [String] = []
        var title: String { lines.first ?? "nothing" }

        func redraw() { lines.append("redrawn") }

        nonisolated override class var schema: Schema {
            Schema(Panel.self, extending: super.schema, isolation: MainActor.self) {
                Key("lines", \.lines)
                Key("title", \.title, affectedBy: "lines")
                Handler("redraw") { $0.redraw() }
            }
        }
    }
    // end

    @MainActor @Test("a class of the main actor") func panel() throws {
        let (panel, download) = (Panel(), Download())
        var titles: [String] = []
        try panel.observe("title", as: String.self, options: .new) { titles.append($0.newValue!) }
        try download.addObserver(panel, forKeyPath: "progress", handler: "redraw")
        download.progress = 1
        #expect(titles == ["redrawn"])
    }

    // snippet: threads.actor
    actor Log: KeyValueObserver {
        private(set) var seen: [Int] = []

        nonisolated func follow(_ download: Download) throws {
            try observe("progress", of: download, as: Int.self, options: .new) { log, change in
                if let progress = change.newValue { log.seen.append(progress) }
            }
        }
    }
    // end

    // snippet: threads.scheduler
    struct InThread: ChangeScheduler {
        func schedule(_ operation: @escaping @Sendable () -> Void) {
            Thread.detachNewThread(operation)
        }
    }
    // end

    @MainActor @Test("delivered on the main actor") func main() async throws {
        // snippet: threads.main
        let download = Download()
        let bar = Bar()
        try download.observe("progress", as: Int.self, options: .new, on: .mainActor) { change in
            bar.width = change.newValue ?? bar.width
        }
        download.progress = 40
        // end
        while bar.width == 0 { await Task.yield() }
        #expect(bar.width == 40)
    }

    @Test("delivered by an actor that observes") func observingActor() async throws {
        let log = Log()
        let download = Download()
        try log.follow(download)
        download.progress = 10
        download.progress = 20
        while await log.seen.count < 2 { await Task.yield() }
        #expect(await log.seen == [10, 20])
    }

    @Test("delivered by a scheduler of one's own") func scheduler() async throws {
        let download = Download()
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        try download.observe("progress", as: Int.self, options: .new, on: InThread()) { change in
            if let width = change.newValue { continuation.yield(width) }
        }
        download.progress = 10
        download.progress = 20
        var seen = stream.makeAsyncIterator()
        #expect(await seen.next() == 10)
        #expect(await seen.next() == 20)
    }

    @Test("the order of changes") func order() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: threads.order
        let download = Download()
        download.observe(\.progress) { download, _ in
            if download.progress > 100 { download.progress = 100 }
        }
        download.$progress.observe(options: [.old, .new]) { change in
            if let old = change.oldValue, let new = change.newValue { print(old, "to", new) }
        }
        download.progress = 120
        // prints: 0 to 120
        // prints: 120 to 100
        // end
        try output.expect("threads.order")
    }

    @Test("as a sequence") func stream() async throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: threads.stream
        var download: Download? = Download()
        let values = try download!.values(
            of: "progress", as: Int.self, options: .initial, bufferingPolicy: .bufferingNewest(2))
        for progress in [10, 20, 30] { download!.progress = progress }
        download = nil
        for await progress in values { print(progress) }
        // prints: 20
        // prints: 30
        // end
        try output.expect("threads.stream")
    }

    @Test("several changes as one") func coalesce() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: threads.coalesce
        let download = Download()
        try download.observe("progress", options: [.old, .new]) { change in
            print(change.oldValue ?? "-", "to", change.newValue ?? "-")
        }
        coalescingChanges {
            download.progress = 10
            download.progress = 20
        }
        // prints: 0 to 20
        // end
        try output.expect("threads.coalesce")
    }
}
