import AutoKVOTestSupport

@testable import AutoKVO

final class EngineNode: TrackedObject {
    @Observed var value = 0
    @Observed var next: EngineNode?

    override class var schema: Schema {
        Schema(EngineNode.self, extending: super.schema) {
            Key("value", \.value)
            Key("next", \.next)
        }
    }

    /// A route that is linked nowhere.
    func route(_ path: String, _ sink: Route.Sink = .nobody) throws -> Route {
        Route(try ParsedKeyPath.parse(path), root: try makeRecord()!, sink: sink)
    }
}

extension KeyValueObservation {
    /// An observation that is in no list.
    static func unlinked(_ options: ObservingOptions = [], token: LifetimeToken? = nil) -> KeyValueObservation {
        KeyValueObservation(
            unmanagedRecord: nil, slot: 0, unmanagedObserverRecord: nil, options: options,
            handler: .closure { (_: Change<Int>) in token?.touch() }, site: CallSite("", 0))
    }
}

extension PathLink {
    /// A link for a component of a route, in no list.
    convenience init(_ route: Route, level: Int, isMoved: Bool = false) {
        self.init(route, level: level, isMoved: isMoved, record: route.root, slot: 0)
    }
}

/// A list of its own, outside of any object.
final class ListFixture {
    var list = ObserverList()

    var isEmpty: Bool { list.isEmpty }

    var interest: ObserverList.Interest { list.interest.load(ordering: .acquiring) }

    var linked: [KeyValueObservation] {
        var found: [KeyValueObservation] = []
        list.forEachLinked { found.append($0) }
        return found
    }

    /// All that are still linked, those included that are leaving.
    var all: [KeyValueObservation] {
        var found: [KeyValueObservation] = []
        var cursor = list.first
        while let observation = cursor?.object {
            found.append(observation)
            cursor = observation.next
        }
        return found
    }

    var links: [PathLink] {
        var found: [PathLink] = []
        list.forEachLink { found.append($0) }
        return found
    }

    func append(_ link: PathLink) { list.append(.to(link)) }

    func remove(_ link: PathLink) { list.remove(link) }

    func append(_ observation: KeyValueObservation) { list.append(observation) }

    /// Removes an observation. Returns whether it was unlinked.
    func remove(_ observation: KeyValueObservation) -> Bool {
        let isUnlinked = list.remove(observation)
        if isUnlinked { Borrowed.to(observation).release() }
        return isUnlinked
    }

    /// Unpins an observation once. Returns whether it was unlinked.
    func unpin(_ observation: KeyValueObservation) -> Bool {
        observation.pinWord -= 1
        let isUnlinked = list.unlinkIfUnpinned(observation)
        if isUnlinked { Borrowed.to(observation).release() }
        return isUnlinked
    }
}
