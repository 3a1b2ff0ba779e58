import Foundation

/// Days as people and databases write them: "2026-12-31". In the order of their texts they are in the order of time.
enum Day {
    /// Whether a text is a day that there is.
    static func isDay(_ text: String) -> Bool {
        let digits = Array(text.utf8)
        guard digits.count == 10, digits[4] == UInt8(ascii: "-"), digits[7] == UInt8(ascii: "-") else { return false }
        func number(_ range: Range<Int>) -> Int? {
            range.reduce(0 as Int?) { sum, place in
                guard let sum, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digits[place]) else { return nil }
                return sum * 10 + Int(digits[place] - UInt8(ascii: "0"))
            }
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10) else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...12).contains(month) && (1...lengths[month - 1]).contains(day)
    }

    /// The day that it is here.
    static var today: String {
        let parts = Calendar(identifier: .gregorian).dateComponents([.year, .month, .day], from: .now)
        return String(format: "%04d-%02d-%02d", parts.year!, parts.month!, parts.day!)
    }
}
