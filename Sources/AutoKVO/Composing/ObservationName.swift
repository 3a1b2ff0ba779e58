/// A name under which an observer has at most one observation. It is the observation's user info, and so is found among
/// the observer's observations, whatever the observer's class.
@usableFromInline enum ObservationName: Hashable {
    case dependency(String)
    /// The binding of a property. Its slot, since a superclass may have a private property of the same name.
    case binding(Int)
    /// The binding of a path of several keys.
    case path(String)
    /// That of a property which others show and set. There may be several.
    indirect case shown(ObservationName)

    /// Ends what an observer has under the name, except for an observation that replaces it, and for what sets the property because it
    /// shows it, if that may stay.
    ///
    /// - Returns: Whether there was one to end.
    /// - Complexity: O(*n*) for *n* observations of the observer.
    @discardableResult
    @usableFromInline
    func end(of observer: AnyObject, except replacement: KeyValueObservation? = nil, mayBeShown: Bool = false) -> Bool {
        let found = KeyValueObservation.all(observer: observer).filter {
            guard $0 !== replacement, let name = $0.userInfo as? ObservationName else { return false }
            return name == self || !mayBeShown && name == .shown(self)
        }
        for observation in found { observation.remove() }
        return !found.isEmpty
    }
}

extension PropertyHandle {
    /// The name of its binding.
    var bindingName: ObservationName { keySlot.map { .binding($0) } ?? .path(keyPath) }
}

extension ObservingOptions {
    /// The values are read in the handler, and a binding ends with either object.
    var ofBinding: ObservingOptions { intersection([.distinct, .retainsTarget]).union(.unregisterAutomatically) }
}
