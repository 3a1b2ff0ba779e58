import AutoKVO

/// A change under way: who is notified of it by which path, with the values from before it.
struct ModelChange {
    var concerned: [(observation: ReferenceObservation, route: (Int, String), old: String, kind: ChangeKind)] = []

    func contains(_ observation: ReferenceObservation, _ route: (Int, String)) -> Bool {
        concerned.contains { $0.observation === observation && $0.route == route }
    }
}

extension ModelWorld {
    func concerned(_ id: Int, _ key: String) -> [(ReferenceObservation, [(Int, String)])] {
        observations.filter(\.isLive).compactMap { observation in
            let routes = observation.routes.filter { touches($0.0, $0.1[...], id, key) }
            return routes.isEmpty ? nil : (observation, routes)
        }
    }

    /// A property changes: notes in the records who must be told, and of what.
    func announce(_ id: Int, _ key: String, kind: ChangeKind = .setting, _ change: () -> Void) {
        let begun = begin(id, key, kind: kind)
        change()
        end(begun)
    }

    /// A property is about to change: notes the prior calls.
    ///
    /// - Parameter other: A change that is open, which notifies of what both concern if it ends later.
    func begin(_ id: Int, _ key: String, kind: ChangeKind = .setting, inside other: ModelChange? = nil) -> ModelChange {
        var change = ModelChange()
        for (observation, routes) in concerned(id, key) {
            var isCalled = false
            for route in routes where !(other?.contains(observation, route) ?? false) {
                let isEdit = kind != .setting && route == (id, key)
                let (old, kind) = (value(route.0, route.1[...]), isEdit ? kind : .setting)
                change.concerned.append((observation, route, old, kind))
                guard heldBack == nil, observation.options.contains(.prior) else { continue }
                if observation.ignoresChange, isCalled { continue }
                if observation.options.contains(.once) {
                    if observation.claim != nil { continue }
                    observation.claim = route
                }
                isCalled = true
                expected.append(
                    ModelCall(
                        observation: number(of: observation), path: route.1, kind: kind, isPrior: true, old: old,
                        new: nil))
            }
        }
        return change
    }

    /// It has changed: notes the calls. One open change notifies of what both concern, the other one leaves it out.
    func end(_ change: ModelChange, leavingOut other: ModelChange? = nil) {
        let concerned = change.concerned.filter { !(other?.contains($0.observation, $0.route) ?? false) }
        var called: [ReferenceObservation] = []
        for (observation, route, old, kind) in concerned where observation.isLive {
            let new = value(route.0, route.1[...])
            let isUnchanged = isUnchanged(observation, route, kind, old, new)
            if heldBack != nil {
                if !isUnchanged { holdBack(observation, route, kind, old, new) }
                continue
            }
            if isUnchanged || observation.ignoresChange && called.contains(where: { $0 === observation }) { continue }
            if let claim = observation.claim {
                let isOurs =
                    observation.ignoresChange
                    ? concerned.contains { $0.observation === observation && $0.route == claim } : claim == route
                guard isOurs else { continue }
            }
            called.append(observation)
            expect(observation, route.1, old: old, new: new, kind: kind)
            fire(observation)
        }
        for (observation, route, _, _) in concerned where observation.claim.map({ $0 == route }) ?? false {
            observation.claim = nil
        }
    }

    func isUnchanged(
        _ observation: ReferenceObservation, _ route: (Int, String), _ kind: ChangeKind, _ old: String?, _ new: String?
    ) -> Bool {
        // Arrays of things that are not Equatable count as different from each other; what an operator has put together is compared
        // element by element.
        let isComparable = !route.1.hasSuffix("items")
        return observation.options.contains(.distinct) && kind == .setting && old == new && isComparable
    }

    private func holdBack(
        _ observation: ReferenceObservation, _ route: (Int, String), _ kind: ChangeKind, _ old: String, _ new: String
    ) {
        var call = ModelCall(
            observation: number(of: observation), path: route.1, kind: kind, isPrior: false, old: old, new: new)
        if let index = heldBack!.firstIndex(where: { $0.observation === observation && $0.route == route }) {
            let first = heldBack![index].call
            call.old = first.kind == .setting ? first.old : nil
            call.kind = .setting
            call.isMixed = first.isMixed || first.kind != .setting || kind != .setting
            heldBack![index].call = call
        } else {
            heldBack!.append((observation, route, call))
        }
    }

    func expect(
        _ observation: ReferenceObservation, _ path: String, old: String?, new: String?, kind: ChangeKind = .setting
    ) {
        let number = observations.firstIndex { $0 === observation } ?? observations.count
        expected.append(ModelCall(observation: number, path: path, kind: kind, isPrior: false, old: old, new: new))
    }

    func fire(_ observation: ReferenceObservation) {
        guard observation.options.contains(.once) else { return }
        observation.isLive = false
        observation.hasFired = true
    }

    func number(of observation: ReferenceObservation) -> Int { observations.firstIndex { $0 === observation }! }
}
