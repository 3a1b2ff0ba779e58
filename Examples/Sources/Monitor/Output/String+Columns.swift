extension String {
    /// How many columns of a terminal it takes. Terminals differ, as with emoji that are joined: it is as many as in any of them, since a
    /// line that is cut early does no harm, and one that wraps does.
    var columns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }

    /// The beginning that has room in so many columns.
    func prefix(columns limit: Int) -> Substring {
        var left = limit
        return prefix { character in
            left -= String(character).columns
            return left >= 0
        }
    }
}

extension Unicode.Scalar {
    /// Two for a wide letter and for an emoji, none for a mark on the letter before it, one for all else.
    fileprivate var columns: Int {
        switch properties.generalCategory {
        // U+FE0F makes an emoji, and so two columns, of the letter before it.
        case .nonspacingMark, .enclosingMark: value == 0xFE0F ? 1 : 0
        default: isWide ? 2 : 1
        }
    }

    private var isWide: Bool {
        // A flag is a pair of letters that are not wide.
        let isEmoji = properties.isEmojiPresentation && !(0x1F1E6...0x1F1FF).contains(value)
        return isEmoji || wideRanges.contains { $0.contains(value) }
    }
}

/// Where Unicode's East Asian Width is W or F, but for emoji; some of what lies between is counted, too.
private let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
    0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
    0x1D300...0x1D376, 0x1F200...0x1F2FF, 0x20000...0x3FFFD,
]
