/// The declared name most like a misspelt one, if one is like it at all: at most a third of its letters differ, or it
/// differs in case only. Letters that changed places count once.
///
/// - Complexity: O(*n* · *l*²) for *n* names of *l* letters. Only errors need it.
func nearestName(to name: String, among names: some Sequence<String>) -> String? {
    // A name from outside may be of any length: no more of it is compared than a misspelt name can have.
    let name = name.unicodeScalars.prefix(64)
    let wanted = Array(String(name).lowercased().unicodeScalars.prefix(64))
    var best: (name: String, distance: Int)?
    for candidate in names {
        let letters = Array(candidate.lowercased().unicodeScalars.prefix(64))
        let limit = max(1, max(wanted.count, letters.count) / 3)
        guard abs(wanted.count - letters.count) <= limit else { continue }
        let distance = editDistance(wanted, letters)
        guard distance <= limit else { continue }
        if best.map({ (distance, candidate) < ($0.distance, $0.name) }) ?? true { best = (candidate, distance) }
    }
    return best?.name
}

/// Insertions, removals, replacements and swaps of neighbours that turn one into the other.
private func editDistance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
        var row = [i + 1]
        row.reserveCapacity(b.count + 1)
        for j in b.indices {
            var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
            row.append(cost)
        }
        beforeLast = last
        last = row
    }
    return last[b.count]
}
