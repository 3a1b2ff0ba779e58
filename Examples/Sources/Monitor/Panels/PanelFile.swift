import Foundation

/// The panels that a JSON file declares: `{"panels": [{"name": …, "keyPath": …, "handler": …}, …]}`.
///
/// A file that is no such thing is refused whole, with one line that says where. Whether its key paths and handlers exist
/// is not asked here: that is found out when a panel is opened, and concerns that panel alone.
struct PanelFile {
    let panels: [PanelDeclaration]

    struct Fault: Error, Equatable, CustomStringConvertible {
        let file: String
        let problem: String
        var description: String { "\(file): \(problem)" }
    }

    /// The panels that are shown when no file is named.
    static func builtIn() throws(Fault) -> PanelFile {
        try PanelFile(data: Data(PackageResources.panels_json), file: "the built-in panels")
    }

    init(path: String) throws(Fault) {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw Fault(file: path, problem: "it cannot be read")
        }
        try self.init(data: data, file: path)
    }

    init(data: Data, file: String) throws(Fault) {
        struct Contents: Decodable {
            let panels: [PanelDeclaration]
        }
        do {
            panels = try JSONDecoder().decode(Contents.self, from: data).panels
        } catch {
            throw Fault(file: file, problem: (Self.syntaxError(in: data) ?? Self.sentence(for: error)).printable)
        }
        guard !panels.isEmpty else { throw Fault(file: file, problem: "it declares no panel") }
        var names: Set<String> = []
        for panel in panels {
            guard !panel.name.isEmpty else { throw Fault(file: file, problem: "a panel's name is empty") }
            guard names.insert(panel.name).inserted else {
                throw Fault(file: file, problem: "two panels are named \"\(panel.name.printable)\"")
            }
        }
    }

    private static func sentence(for error: any Error) -> String {
        switch error as? DecodingError {
        case .keyNotFound(let key, let context)?:
            "\(place(context.codingPath)) has no \"\(key.stringValue)\""
        case .typeMismatch(_, let context)?, .valueNotFound(_, let context)?, .dataCorrupted(let context)?:
            "\(place(context.codingPath)): \(context.debugDescription)"
        default:
            "\(error)"
        }
    }

    /// `panel 3, "options"` for the coding path `panels[2].options`.
    private static func place(_ path: [any CodingKey]) -> String {
        guard path.count > 1, let index = path[1].intValue else {
            return path.first.map { "\"\($0.stringValue)\"" } ?? "the file"
        }
        return "panel \(index + 1)" + path.dropFirst(2).prefix(1).map { ", \"\($0.stringValue)\"" }.joined()
    }

    /// What keeps the file from being JSON at all, or nil. Foundation's decoder does not say where, its older parser does.
    private static func syntaxError(in data: Data) -> String? {
        do {
            _ = try JSONSerialization.jsonObject(with: data, options: [.fragmentsAllowed])
            return nil
        } catch {
            let reason = (error as NSError).userInfo["NSDebugDescription"] as? String ?? "\(error)"
            return "not valid JSON: " + withLine(reason, in: data)
        }
    }

    /// Turns "… around character 27." into "… around line 2, column 5".
    private static func withLine(_ reason: String, in data: Data) -> String {
        let sentence = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
        let words = sentence.components(separatedBy: " around character ")
        guard words.count == 2, let offset = Int(words[1]), (0...data.count).contains(offset) else { return sentence }
        let lines = data.prefix(offset).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return "\(words[0]) around line \(max(lines.count, 1)), column \((lines.last?.count ?? 0) + 1)"
    }
}
