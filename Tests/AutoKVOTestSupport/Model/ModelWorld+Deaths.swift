import AutoKVO

extension ModelWorld {
    func drop(_ step: ModelStep) {
        guard held.count > 1, let node = node(step.a) else { return }
        kill(heldBy: node.id)
    }

    func kill(heldBy id: Int) {
        note("drop n\(id)")
        // The reference first says who is notified, then the objects may die.
        nodes[id]!.isHeld = false
        release([id])
        held[id] = nil
    }

    /// Follows in the records what the objects do when references to them go, one after the other: an object dies with its
    /// last, and then lets go of what it refers to, in the order of its properties and of the elements.
    func release(_ ids: [Int]) {
        leaving += ids
        for id in ids {
            leaving.remove(at: leaving.firstIndex(of: id)!)
            let isWanted = leaving.contains(id) || nodes.values.contains { $0.next == id || $0.items.contains(id) }
            if !isWanted, !nodes[id]!.isHeld { die(id) }
        }
    }

    func die(_ id: Int) {
        for observation in observations where observation.isLive {
            observation.routes.removeAll { $0.0 == id }
            if observation.routes.isEmpty { observation.isLive = false }
        }
        let holders = nodes.values.filter { $0.up == id && $0.id != id }.map(\.id).sorted()
        // The death is one change of all properties that refer to the object: each path is called for once.
        var calls: [(observation: ReferenceObservation, route: (Int, String))] = []
        for holder in holders {
            for (observation, routes) in concerned(holder, "up") {
                for route in observation.ignoresChange ? routes.prefix(1) : routes[...] {
                    let isKnown = calls.contains {
                        $0.observation === observation && (observation.ignoresChange || $0.route == route)
                    }
                    if !isKnown { calls.append((observation, route)) }
                }
            }
        }
        for holder in holders { nodes[holder]!.up = nil }
        for (observation, route) in calls where observation.isLive {
            expect(observation, route.1, old: nil, new: value(route.0, route.1[...]))
            fire(observation)
        }
        let node = nodes.removeValue(forKey: id)!
        release([node.next].compactMap { $0 } + node.items)
    }
}
