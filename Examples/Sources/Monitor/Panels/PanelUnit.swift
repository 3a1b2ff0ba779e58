import Foundation

/// How a panel writes its figure.
enum PanelUnit: String, CaseIterable {
    case plain
    case percent
    case count
    case bytes
    case bytesPerSecond = "bytes/s"

    func text(_ value: Double) -> String {
        guard value.isFinite else { return "–" }
        return switch self {
        case .plain: String(format: "%.2f", value)
        case .percent: String(format: "%.1f %%", value)
        case .count: String(format: "%.0f", value)
        case .bytes: Self.scaled(value)
        case .bytesPerSecond: Self.scaled(value) + "/s"
        }
    }

    private static func scaled(_ bytes: Double) -> String {
        guard bytes.magnitude >= 1024 else { return String(format: "%.0f B", bytes) }
        var value = bytes / 1024
        var prefixes = ["K", "M", "G", "T", "P"][...]
        while value.magnitude >= 1024, prefixes.count > 1 {
            value /= 1024
            prefixes.removeFirst()
        }
        return String(format: "%.1f ", value) + prefixes[prefixes.startIndex] + "iB"
    }
}
