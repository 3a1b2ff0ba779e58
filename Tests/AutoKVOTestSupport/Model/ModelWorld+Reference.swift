import AutoKVO

extension ModelWorld {
    func concerned(_ id: Int, _ key: String) -> [(ReferenceObservation, [(Int, String)])] {
        observations.filter(\.isLive).compactMap { observation in
            let routes = observation.routes.filter { touches($0.0, $0.1[...], id, key) }
            return routes.isEmpty ? nil : (observation, routes)
        }
    }

    /// A property changes: notes in the records who must be told, and of what.
    func announce(_ id: Int, _ key: String, kind: ChangeKind = .setting, _ change: () -> Void) {
        let concerned = concerned(id, key).flatMap { observation, routes in
            routes.map { (observation, $0, value($0.0, $0.1[...])) }
        }
        change()
        for (observation, route, old) in concerned where observation.isLive {
            let isEdit = kind != .setting && route == (id, key)
            notify(observation, route.1, old: old, new: value(route.0, route.1[...]), kind: isEdit ? kind : .setting)
        }
    }

    /// Arrays of things that are not Equatable count as different from each other.
    func isComparable(_ path: String) -> Bool { !path.hasSuffix("items") && !path.contains("@union") }

    func notify(_ observation: ReferenceObservation, _ path: String, old: String?, new: String?, kind: ChangeKind) {
        let isUnchanged =
            observation.options.contains(.distinct) && kind == .setting && old == new && isComparable(path)
        if heldBack != nil {
            if isUnchanged { return }
            var call = ModelCall(
                observation: number(of: observation), path: path, kind: kind, isPrior: false, old: old, new: new)
            if let index = heldBack!.firstIndex(where: { $0.observation === observation }) {
                let first = heldBack![index].call
                call.old = first.kind == .setting ? first.old : nil
                call.path = first.path
                call.kind = .setting
                call.isMixed = observation.isGroup || first.isMixed || first.kind != .setting || kind != .setting
                heldBack![index].call = call
            } else {
                call.isMixed = observation.isGroup
                heldBack!.append((observation, call))
            }
            return
        }
        if observation.options.contains(.prior) {
            expected.append(
                ModelCall(
                    observation: number(of: observation), path: path, kind: kind, isPrior: true, old: old, new: nil))
        }
        if isUnchanged { return }
        expect(observation, path, old: old, new: new, kind: kind)
        fire(observation)
    }

    func expect(
        _ observation: ReferenceObservation, _ path: String, old: String?, new: String?, kind: ChangeKind = .setting
    ) {
        if let at = observations.firstIndex(where: { $0 === observation }) {
            expected.append(ModelCall(observation: at, path: path, kind: kind, isPrior: false, old: old, new: new))
        } else {
            expected.append(
                ModelCall(observation: observations.count, path: path, kind: kind, isPrior: false, old: old, new: new))
        }
    }

    func fire(_ observation: ReferenceObservation) {
        guard observation.options.contains(.once) else { return }
        observation.isLive = false
        observation.hasFired = true
    }

    func number(of observation: ReferenceObservation) -> Int { observations.firstIndex { $0 === observation }! }
}
