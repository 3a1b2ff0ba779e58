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
            guard high > low else { return blocks[0] }
            let share = min(max((value - low) / (high - low), 0), 1)
            return blocks[Int((share * Double(blocks.count - 1)).rounded())]
        }
        return String(repeating: " ", count: width - row.count) + String(row)
    }
}
