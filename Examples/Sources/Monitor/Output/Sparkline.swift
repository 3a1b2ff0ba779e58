/// A row of blocks whose heights are the values.
enum Sparkline {
    private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// Always `width` characters: the newest value is the last, and what is not known is blank.
    ///
    /// - Parameter maximum: the value of a full block, zero being the lowest; nil spreads the blocks between the smallest
    ///   and the largest of the values.
    static func text(_ values: [Double?], width: Int, maximum: Double?) -> String {
        let shown = values.suffix(width)
        let known = shown.compactMap { $0 }.filter(\.isFinite)
        let low = maximum == nil ? known.min() ?? 0 : 0
        let high = maximum ?? known.max() ?? 0
        let row = shown.map { value -> Character in
            guard let value, value.isFinite else { return " " }
            // Halved, since the span of two huge values need not be a finite number; that of two tiny ones may be zero.
            let share = (value / 2 - low / 2) / (high / 2 - low / 2)
            guard high > low, share > 0 else { return blocks[0] }
            return blocks[Int((min(share, 1) * Double(blocks.count - 1)).rounded())]
        }
        return String(repeating: " ", count: width - row.count) + String(row)
    }
}
