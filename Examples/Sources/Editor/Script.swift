/// Runs the editor by lines of text: `section HEADING`, `add SECTION TEXT`, `text SECTION.PARAGRAPH TEXT`,
/// `delete SECTION[.PARAGRAPH]`, `move SECTION SECTION`, `title TITLE`, `undo`, `redo`, `save`, `show`. Numbers begin at 1.
struct Script {
    let editor: Editor

    struct Mistake: Error, CustomStringConvertible {
        let line: String
        var description: String { "cannot do: \(line)" }
    }

    /// The lines of a file that are not empty, whatever they end with.
    static func lines(of text: String) -> [String] { text.split(whereSeparator: \.isNewline).map(String.init) }

    /// Does what a line says, and returns what is to be printed.
    func run(_ line: String) throws -> [String] {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        let argument = words.count > 1 ? words[1] : ""
        let document = editor.document
        switch words.first {
        case "title": editor.edit("Rename") { document.title = argument }
        case "section": editor.edit("Add section") { document.$sections.append(Section(heading: argument)) }
        case "add":
            let (section, text) = try target(argument, in: line)
            editor.edit("Add paragraph") { section.section.$paragraphs.append(Paragraph(text)) }
        case "text":
            let (target, text) = try target(argument, in: line)
            guard let paragraph = target.paragraph else { throw Mistake(line: line) }
            editor.edit("Type") { target.section.paragraphs[paragraph].text = text }
        case "delete":
            let (target, _) = try target(argument, in: line)
            editor.edit("Delete") {
                if let paragraph = target.paragraph {
                    target.section.$paragraphs.remove(at: paragraph)
                } else {
                    document.$sections.removeAll { $0 === target.section }
                }
            }
        case "move":
            let (target, destination) = try target(argument, in: line)
            guard let to = Int(destination), to > 0, document.sections.indices.contains(to - 1) else {
                throw Mistake(line: line)
            }
            editor.edit("Move section") {
                document.$sections.swapAt(document.sections.firstIndex { $0 === target.section }!, to - 1)
            }
        case "undo": editor.history.undo()
        case "redo": editor.history.redo()
        case "save": editor.markSaved()
        case "show": return document.lines
        case nil: break
        default: throw Mistake(line: line)
        }
        return []
    }

    /// The section, and perhaps the paragraph, that `SECTION[.PARAGRAPH] TEXT` names, and the text.
    private func target(
        _ argument: String, in line: String
    ) throws -> (target: (section: Section, paragraph: Int?), text: String) {
        let parts = argument.split(separator: " ", maxSplits: 1).map(String.init)
        let numbers = (parts.first ?? "").split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count < 3, let number = numbers.first ?? nil, number > 0,
            editor.document.sections.indices.contains(number - 1)
        else {
            throw Mistake(line: line)
        }
        let section = editor.document.sections[number - 1]
        var paragraph: Int?
        if numbers.count > 1 {
            guard let second = numbers[1], second > 0, section.paragraphs.indices.contains(second - 1) else {
                throw Mistake(line: line)
            }
            paragraph = second - 1
        }
        return ((section, paragraph), parts.count > 1 ? parts[1] : "")
    }
}

extension Document {
    /// All that a file of it would have.
    var content: [String] { [title] + lines }

    /// The text, as it is shown.
    var lines: [String] {
        sections.enumerated().flatMap { number, section in
            ["  \(number + 1). \(section.heading) (\(section.wordCount) words)"]
                + section.paragraphs.map { "     \($0.text)" }
        }
    }
}
