import AutoKVO
import Foundation

/// How far an import is. It stays on the actor of its importer.
final class ImportProgress: TrackedObject {
    /// All that has been read. It only grows.
    @Observed var records: [BookFile.Record] = []
    @Observed var state = ImportState.waiting
}

enum ImportState: Equatable, Sendable {
    case waiting
    case finished
    case failed(String)
}

/// Reads a file on an actor of its own, some contacts at a time. What it has read is delivered on the main thread, by GLib's loop.
actor Importer {
    private let progress = ImportProgress()

    /// Tells a session of each part that has been read, and of the end.
    func report(to session: Session) {
        progress.$records.observe(for: session, options: .new, on: .glib) { session, change in
            session.add(change.newValue ?? [])
        }
        progress.$state.observe(for: session, options: .new, on: .glib) { session, change in
            if let state = change.newValue { session.importEnded(state) }
        }
    }

    func run(_ file: URL, batch: Int = 50, pause: Duration) async {
        do {
            let records = try BookFile(Data(contentsOf: file)).contacts
            for start in stride(from: 0, to: records.count, by: batch) {
                progress.$records.append(contentsOf: records[start..<min(start + batch, records.count)])
                try await Task.sleep(for: pause)
            }
            progress.state = .finished
        } catch {
            progress.state = .failed("\(error)")
        }
    }
}
