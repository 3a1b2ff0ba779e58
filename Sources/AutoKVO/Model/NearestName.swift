/// The declared name most like a misspelt one, if one is like it at all: at most a third of its letters differ, or it
/// differs in case only. Letters that changed places count once.
///
/// - Complexity: O(*n* · *l*²) for *n* names of *l* letters. Only errors need it.
func nearestName(to name: String, among names: some Sequence<String>) -> String? {
    // A name from outside may be of any length: no more of it is compared than a misspelt name can have.
    func letters(_ name: String) -> [Unicode.Scalar] {
        Array(String(name.unicodeScalars.prefix(64)).lowercased().unicodeScalars.prefix(64))
    }
    let wanted = letters(name)
    let similar = names.compactMap { candidate in
        let letters = letters(candidate)
        let distance = editDistance(wanted, letters)
        let longest = max(wanted.count, letters.count)
        return distance <= max(1, longest / 3) && distance < max(longest, 1) ? (distance, candidate) : nil
    }
    return similar.min { $0 < $1 }?.1
}

/// What an error's sentence says of such a name.
func didYouMean(_ nearest: String?) -> String { nearest.map { ", did you mean \"\($0)\"?" } ?? "" }

/// Insertions, removals, replacements and swaps of neighbours that turn one into the other.
private func editDistance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var rows = [Array(0...b.count)]
    for i in a.indices {
        var row = [i + 1]
        for j in b.indices {
            var cost = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, rows[i - 1][j - 1] + 1) }
            row.append(cost)
        }
        rows.append(row)
    }
    return rows[a.count][b.count]
}
