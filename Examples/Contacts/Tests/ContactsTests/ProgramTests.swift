import AutoKVO
import CGtk
import Foundation
import GLibBridge
import Testing

@testable import Contacts

extension Desktop {
    @MainActor @Suite("Files, the import, and the program as it is started") struct ProgramTests {
        private let folder: URL

        init() throws {
            folder = FileManager.default.temporaryDirectory.appendingPathComponent("contacts-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }

        private func write(_ text: String, to name: String) throws -> URL {
            let file = folder.appendingPathComponent(name)
            try text.write(to: file, atomically: true, encoding: .utf8)
            return file
        }

        private func many(_ count: Int) throws -> URL {
            let records = (1...count).map { #"{"firstName": "P", "lastName": "\#($0)", "age": \#($0 % 90)}"# }
            return try write(#"{"contacts": [\#(records.joined(separator: ",\n"))]}"#, to: "many.json")
        }

        @Test("a book is written and read by names") func file() throws {
            let file = try write(
                #"{"contacts": [{"firstName": "Zoë", "age": 30, "isFavorite": true}, {"lastName": "Fox", "mail": "a@b"}]}"#,
                to: "book.json")
            let session = try Session(file: file)
            #expect(session.book.contacts.map(\.title) == ["★ Zoë", "Fox"])
            session.book.contacts[1].city = "Ulm"
            session.save()
            #expect(session.notice.text == "Saved.")
            let read = try Session(file: file)
            #expect(read.book.contacts.map(\.city) == ["", "Ulm"] && read.book.contacts[0].age == 30)
            #expect(!read.history.canUndo)
        }

        @Test(
            "a wrong file is refused with a sentence",
            arguments: [
                (#"{"contacts": [{"firstNmae": "Ann"}]}"#, "did you mean \"firstName\"?"),
                (#"{"contacts": [{"lastName": "Lee", "age": 200}]}"#, "An age is from 0 to 150."),
                (#"{"contacts": [{"city": "Ulm"}]}"#, "A contact needs a name."),
                (#"{"contacts": [{"lastName": "Lee", "age": "old"}]}"#, "Int"),
                (#"{"contacts": [{"firstName": "Ann\u0000a"}]}"#, "A name has no control characters."),
                (#"{"contacts": [{"lastName": "Lee\u0007"}]}"#, "A name has no control characters."),
                (#"{"contacts": [{"lastName": "Lee", "mail": "a\u0000@b"}]}"#, "address has no control characters."),
                (#"{"contacts": [{"lastName": "Lee", "city": "U\nlm"}]}"#, "A city has no control characters."),
            ])
        func wrongFile(_ text: String, _ sentence: String) throws {
            let file = try write(text, to: "wrong.json")
            let error = #expect(throws: KeyValueError.self) { try Session(file: file) }
            #expect("\(error!)".contains(sentence))
        }

        @Test("a book in which something is wrong is not saved, and its file stays as it was") func wrongBook() throws {
            let text = #"{"contacts": [{"lastName": "Lee"}]}"#
            let file = try write(text, to: "book.json")
            let session = try Session(file: file)
            let contact = Contact()
            session.book.$contacts.append(contact)
            session.save()
            #expect(session.notice.text == "Not saved: A contact needs a name.")
            #expect(try String(contentsOf: file, encoding: .utf8) == text)
            contact.firstName = "Ann"
            session.save()
            #expect(session.notice.text == "Saved.")
            let read = try Session(file: file)
            #expect(read.book.contacts.map(\.title) == ["Lee", "Ann"])
        }

        @Test("an import arrives in parts on the main thread, what is wrong is counted, and it can be undone")
        func importing() async throws {
            try await withFixture([]) { fixture in
                let window = try await fixture.open()
                fixture.session.startImport(try many(300))
                try await wait(for: "the import") { !fixture.session.isImporting }
                #expect(fixture.book.contacts.map(\.lastName) == (1...300).map(String.init))
                #expect(window.label("message") == "Imported 300." && window.label("status").contains("300 contacts"))
                while fixture.session.history.undo() {}
                #expect(fixture.book.contacts.isEmpty)

                let samples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                    .appendingPathComponent("../../Sources/Contacts/Samples/import.json")
                fixture.session.startImport(samples)
                try await wait(for: "the import") { !fixture.session.isImporting }
                #expect(fixture.book.contacts.map(\.title) == ["Olga Zima", "Piet de Wit", "★ Aalto"])
                #expect(window.label("message").hasPrefix("Imported 3, refused 2."))
                fixture.session.startImport(folder.appendingPathComponent("missing.json"))
                try await wait(for: "the import") { !fixture.session.isImporting }
                #expect(window.label("message").hasPrefix("Not imported:"))
            }
        }

        @Test("windows, and the whole session, are closed while an import is delivered") func closeWhileImporting()
            async throws
        {
            try await withFixture([]) { fixture in
                let windows = [try await fixture.open(), try await fixture.open(), try await fixture.open()]
                // Four seconds: on a busy machine, too, it is under way when the windows are closed.
                fixture.session.startImport(try many(1000), pause: .milliseconds(200))
                for (number, window) in windows.enumerated() {
                    try await wait(for: "a part") { fixture.book.contacts.count > 100 * (number + 1) }
                    window.close()
                    #expect(window.isDestroyed)
                }
                #expect(fixture.session.isImporting)
                let last = try await fixture.open()
                try await wait(for: "a part") { fixture.book.contacts.count > 600 }
                last.close()
            }
        }

        @Test("the program itself: keys, files, an import, two windows; at its end nothing is left") func program()
            async throws
        {
            let book = try write(
                #"{"contacts": [{"firstName": "Mara", "lastName": "Voss"}, {"firstName": "Ann", "lastName": "Lee"}]}"#,
                to: "book.json")
            let more = try write(#"{"contacts": [{"lastName": "Aalto"}]}"#, to: "more.json")
            let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
                .appendingPathComponent("Contacts").path
            let output = Task { try await run(program, book.path, "--import", more.path, "--report") }
            func windows() async throws -> [String] {
                try await run("xdotool", "search", "--onlyvisible", "--class", "^(org.autokvo.)?[Cc]ontacts$")
                    .split(separator: "\n").map(String.init)
            }
            var found: [String] = []
            func wait(forWindows count: Int) async throws {
                for _ in 0..<300 {
                    found = try await windows()
                    if found.count == count { return try await settle() }
                    try await Task.sleep(for: .milliseconds(30))
                }
                Issue.record("waited in vain for \(count) windows")
            }
            try await wait(forWindows: 1)
            _ = try await run("xdotool", "windowfocus", "--sync", found[0])
            try await Task.sleep(for: .milliseconds(300))
            _ = try await run("xdotool", "key", "ctrl+i")
            try await Task.sleep(for: .milliseconds(300))
            _ = try await run("xdotool", "key", "ctrl+l", "ctrl+s", "ctrl+n")
            let first = found
            try await wait(forWindows: 2)
            let text = try String(contentsOf: book, encoding: .utf8)
            let saved = try BookFile(Data(text.utf8)).contacts.map { try Contact($0).fullName }
            #expect(saved == ["Aalto", "Ann Lee", "Mara Voss"])
            for window in found.filter({ !first.contains($0) }) + first {
                _ = try await run("xdotool", "windowfocus", "--sync", window)
                try await Task.sleep(for: .milliseconds(200))
                _ = try await run("xdotool", "key", "ctrl+w")
            }
            #expect(try await output.value == "live views: 0; live session: false\n")
        }
    }
}
