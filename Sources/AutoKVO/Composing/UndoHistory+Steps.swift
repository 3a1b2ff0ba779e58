// What a history keeps.

extension UndoHistory {
    /// One change of one property.
    struct Entry {
        /// The object that has the property, and the entry's number in the order of all.
        let object: ObjectIdentifier
        let number: Int
        let property: StoredProperty
        let change: PastChange

        struct Place: Hashable {
            let object: ObjectIdentifier
            let slot: Int
        }
        var place: Place { Place(object: object, slot: property.slot) }
    }

    struct Title: Equatable {
        /// Tells the step from all others: that of its last entry when it was made.
        let number: Int
        let name: String
    }

    struct Step {
        let title: Title
        /// By object, so that an object that dies is found in a large step.
        var entries: [ObjectIdentifier: [Entry]]

        /// Makes its properties what they were before.
        func revert() {
            let entries = entries.values.joined()
                .sorted { ($0.property.turn, $1.number) < ($1.property.turn, $0.number) }
            // A setter may edit a list whose own edits are undone behind it, each at its indexes.
            let isFirst = entries.first?.property.turn ?? 0 < 0
            let edited = entries.filter { $0.property.turn == 0 && $0.change.kind != .setting }
            var kept = isFirst ? edited.map(\.property.keepingStored) : []
            // And one that runs later may set what was undone before: that is stored again.
            let hasSetters = entries.contains { $0.property.turn != 0 }
            let places = hasSetters ? entries.enumerated().map { ($1.place, $0) } : []
            let last = Dictionary(places, uniquingKeysWith: max)
            var undone: [() -> Void] = []
            for (index, entry) in entries.enumerated() {
                if entry.property.turn >= 0 {
                    for restore in kept { restore() }
                    kept = []
                }
                do throws(KeyValueError) {
                    try entry.property.revert(entry.change)
                    if hasSetters, last[entry.place] == index { undone.append(entry.property.keepingStored) }
                } catch {
                    Diagnostics.report("A change of \(entry.property.name) could not be undone: \(error)")
                }
            }
            for restore in undone { restore() }
        }
    }

    /// An object whose changes are recorded.
    struct Followed {
        /// In how many places it is. 0 if it has left them in this step: it may come back before the step is over.
        var places = 1
        /// Whether the history was made for it: that is one of its places.
        var isRoot: Bool
        /// The objects in its properties, by their slots, each with the number of places there. They follow from the changes that were recorded, not from
        /// what the properties hold now, which may have changed again.
        var parts: [Int: [ObjectIdentifier: Int]] = [:]
        var observations: [KeyValueObservation] = []
    }
}
