/// Numbers that are the same in each run with the same seed (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

extension Page {
    /// One edit of any kind that there is.
    func editAtRandom(_ numbers: inout SeededNumbers) {
        let number = Int.random(in: 0..<1000, using: &numbers)
        let place = Int.random(in: 0...items.count, using: &numbers)
        switch Int.random(in: 0..<9, using: &numbers) {
        case 0: title = "title \(number)"
        case 1: level = number
        case 2, 3: $items.insert("item \(number)", at: place)
        case 4: if place < items.count { $items.remove(at: place) }
        case 5: $items.sort()
        case 6: items = Array(items.prefix(20).reversed())
        case 7: $labels.insert("label \(number % 50)")
        default: $labels.remove("label \(number % 50)")
        }
    }
}
