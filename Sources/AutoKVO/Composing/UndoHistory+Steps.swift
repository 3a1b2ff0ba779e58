// What a history keeps.

extension UndoHistory {
    /// One change of one property.
    struct Entry {
        /// The object that has the property, and the entry's number in the order of all.
        let object: ObjectIdentifier
        let number: Int
        let property: StoredProperty
        let change: PastChange
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
    }

    /// An object whose changes are recorded.
    struct Followed {
        /// In how many places it is. 0 if it has left them in this step: it may come back before the step is over.
        var places = 1
        /// The objects in its properties, by their slots, each with the number of places there. They follow from the changes that were recorded, not from
        /// what the properties hold now, which may have changed again.
        var parts: [Int: [ObjectIdentifier: Int]] = [:]
        var observations: [KeyValueObservation] = []
    }
}
