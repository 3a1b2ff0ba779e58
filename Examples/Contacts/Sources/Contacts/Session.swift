import AutoKVO
import Foundation

/// What happened last, for the status lines.
final class Notice: TrackedObject {
    @Observed var text = ""
}

/// What all windows share: the book, its history, its file, and an import that is under way. It is no tracked object, so that it is
/// `Sendable` and the importer can name it as an observer.
@MainActor final class Session: KeyValueObserver {
    let book: AddressBook
    let history: UndoHistory
    let file: URL?
    let notice = Notice()
    private var importer: (actor: Importer, task: Task<Void, Never>)?
    private var imported = (right: 0, wrong: 0, firstProblem: "")

    /// Reads the file, if there is one, into the book.
    init(book: AddressBook = AddressBook(), file: URL? = nil) throws {
        (self.book, self.file) = (book, file)
        if let file, FileManager.default.fileExists(atPath: file.path) {
            book.contacts = try BookFile(Data(contentsOf: file)).contacts.map { try Contact($0) }
        }
        history = UndoHistory(of: book, includingParts: true)
    }

    func save() {
        guard let file else {
            notice.text = "There is no file: give its name when you start the program."
            return
        }
        // The next start would refuse the whole file.
        if let problem = book.contacts.lazy.compactMap({ $0.problem }).first {
            notice.text = "Not saved: \(problem.value)"
            return
        }
        do {
            try BookFile.data(of: book).write(to: file, options: .atomic)
            notice.text = "Saved."
        } catch {
            notice.text = "Not saved: \(error.localizedDescription)"
        }
    }

    // MARK: Import

    var isImporting: Bool { importer != nil }

    /// Begins to import a file. Only one import is under way at a time.
    ///
    /// - Parameter pause: How long the importer waits behind each part.
    func startImport(_ file: URL, pause: Duration = .milliseconds(5)) {
        guard importer == nil else { return }
        imported = (0, 0, "")
        let importer = Importer()
        let task = Task.detached { [weak self] in
            if let self { await importer.report(to: self) }
            await importer.run(file, pause: pause)
        }
        self.importer = (importer, task)
    }

    /// Adds the contacts of some records; those that are wrong are counted. Delivered from the importer.
    func add(_ records: [BookFile.Record]) {
        var contacts: [Contact] = []
        for record in records {
            do throws(KeyValueError) { contacts.append(try Contact(record)) } catch {
                imported.wrong += 1
                if imported.wrong == 1 { imported.firstProblem = "\(error)" }
            }
        }
        imported.right += contacts.count
        notice.text = "Importing: \(imported.right)"
        history.group("Import") { book.$contacts.append(contentsOf: contacts) }
    }

    func importEnded(_ state: ImportState) {
        switch state {
        case .waiting: return
        case .failed(let problem): notice.text = "Not imported: \(problem)"
        case .finished where imported.wrong == 0: notice.text = "Imported \(imported.right)."
        case .finished:
            notice.text = "Imported \(imported.right), refused \(imported.wrong). \(imported.firstProblem)"
        }
        importer = nil
    }
}
