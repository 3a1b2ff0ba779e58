/// A name under which an observer has at most one observation. It is the observation's user info, and so is found among
/// the observer's observations, whatever the observer's class.
@usableFromInline enum ObservationName: Hashable {
    case dependency(String)
    /// The binding of a property. Its slot, since a superclass may have a private property of the same name.
    case binding(Int)
    /// The binding of a path of several keys, the first of which has a slot.
    case path(Int?, String)
    /// What sets a property, or a path, because it shows it. There may be several.
    indirect case shown(ObservationName)

    /// Ends what an observer has under the name, except for an observation that replaces it.
    ///
    /// - Returns: Whether there was one to end.
    /// - Complexity: O(*n*) for *n* observations of the observer.
    @discardableResult
    @usableFromInline func end(of observer: AnyObject, except replacement: KeyValueObservation? = nil) -> Bool {
        let found = KeyValueObservation.all(observer: observer).filter {
            $0 !== replacement && $0.userInfo as? ObservationName == self
        }
        for observation in found { observation.remove() }
        return !found.isEmpty
    }

    /// Ends the binding that has the name, and those of properties that show this one.
    ///
    /// - Returns: Whether there was one to end.
    func unbind(_ object: AnyObject) -> Bool {
        let isShown = ObservationName.shown(self).end(of: object)
        return end(of: object) || isShown
    }
}

extension ObservingOptions {
    /// The values are read in the handler, and a binding ends with either object.
    var ofBinding: ObservingOptions { intersection([.distinct, .retainsTarget]).union(.unregisterAutomatically) }
}
