import AutoKVO
import Foundation

/// What can be set. A property is reached by a file only if it has a `Key`.
final class AppSettings: TrackedObject {
    @Observed var userName = "nobody"
    @Observed var editor = EditorSettings()
    @Observed var network = NetworkSettings()
    @Observed var accessToken = "s3cr3t"

    var summary: String { "\(userName), \(editor.theme.rawValue), \(network.host):\(network.port)" }

    override class var schema: Schema {
        Schema(AppSettings.self, extending: super.schema) {
            Key("userName", \.userName) { _, name in
                name = name.trimmingCharacters(in: .whitespaces)
                guard (1...40).contains(name.count) else { throw Refusal.length(name.count, allowed: 1...40) }
            }
            Key("summary", \.summary, affectedBy: "userName", "editor.theme", "network.host", "network.port")
            Hidden("accessToken")
        }
    }
}

final class EditorSettings: TrackedObject {
    enum Theme: String, CaseIterable { case light, dark, system }

    @Observed var theme = Theme.system
    @Observed var fontSize = 12.0
    @Observed var fontName: String?
    @Observed var recentFiles: [String] = []

    override class var schema: Schema {
        Schema(EditorSettings.self, extending: super.schema) {
            Key("theme", \.theme)
            Key("fontSize", \.fontSize) { _, size in
                guard (6...72).contains(size) else { throw Refusal.range("\(size)", "6 to 72 points") }
            }
            Key("fontName", \.fontName)
            Key("recentFiles", \.recentFiles)
        }
    }
}

final class NetworkSettings: TrackedObject {
    @Observed var host = "localhost"
    @Observed var port = 8080
    @Observed var headers: [String: String] = [:]
    @Observed var bytesSent = 0  // without a Key: a file can read it, and not set it

    override class var schema: Schema {
        Schema(NetworkSettings.self, extending: super.schema) {
            Key("host", \.host)
            Key("port", \.port) { _, port in
                guard (1...65535).contains(port) else { throw Refusal.range("\(port)", "1 to 65535") }
            }
            Key("headers", \.headers)
        }
    }
}

/// Why a value is refused, in the user's words.
enum Refusal: LocalizedError {
    case length(Int, allowed: ClosedRange<Int>)
    case range(String, String)

    var errorDescription: String? {
        switch self {
        case .length(let count, let allowed):
            "a name has \(allowed.lowerBound) to \(allowed.upperBound) characters, and this one has \(count)."
        case .range(let value, let allowed): "\(value) is not in the range from \(allowed)."
        }
    }
}
