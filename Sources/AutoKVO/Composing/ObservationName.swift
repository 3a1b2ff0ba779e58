/// A name under which an observer holds at most one observation. It is the observation's user info, so that it is found
/// among what its observer holds, whatever class the observer is of.
struct ObservationName: Hashable {
    enum Role { case dependency, binding }

    let role: Role
    let text: String
}

extension KeyValueObservation {
    private var name: ObservationName? { userInfo as? ObservationName }

    /// The observation that an observer holds under a name.
    ///
    /// - Complexity: O(*n*) for *n* observations that the observer holds.
    static func named(_ name: ObservationName, heldBy observer: AnyObject) -> KeyValueObservation? {
        ObjectRecord.existing(for: observer)?.heldObservations().first { $0.name == name }
    }

    /// Ends what else its observer holds under its name.
    func replaceOthersOfItsName() {
        guard let name, let observerRecord else { return }
        for other in observerRecord.heldObservations() where other !== self && other.name == name { other.remove() }
    }
}
