import AutoKVO

extension ModelWorld {
    func problem() -> String? {
        // A handler that ignores the change does not know which one it is.
        let key = { (call: ModelCall) in
            "\(call.observation)\(call.isPrior && !self.observations[call.observation].ignoresChange)"
        }
        let (keyed, wanted) = (Dictionary(grouping: calls, by: key), Dictionary(grouping: expected, by: key))
        for key in Set(keyed.keys).union(wanted.keys).sorted() {
            var (got, want) = (keyed[key] ?? [], wanted[key] ?? [])
            if got.count != want.count { return "wanted \(want), got \(got)" }
            // In which order one change calls for several paths of an observation is not the reference's to say.
            let isOrdered = got.isEmpty || !observations[got[0].observation].hasRoutes
            while let first = want.first {
                guard let index = isOrdered ? 0 : got.firstIndex(where: { agrees($0, first) }),
                    agrees(got[index], first)
                else {
                    return "wanted \(want), got \(got)"
                }
                got.remove(at: index)
                want.removeFirst()
            }
        }
        for (number, observation) in observations.enumerated() {
            guard let real = observation.observation, real.isValid != observation.isLive else { continue }
            return "o\(number).isValid is \(real.isValid)"
        }
        for (id, node) in held {
            let count = observations.count { $0.isLive && $0.routes.contains { $0.0 == id } }
            if node.observations().count != count {
                return "n\(id) has \(node.observations().count) observations instead of \(count)"
            }
        }
        return nil
    }

    func agrees(_ got: ModelCall, _ want: ModelCall) -> Bool {
        let observation = observations[want.observation]
        // Of several paths the one that comes first fires an observation with `.once`.
        if observation.ignoresChange || observation.hasRoutes && observation.options.contains(.once) { return true }
        if got.path != want.path { return false }
        if got.kind != want.kind { return false }
        if want.kind != .setting { return true }
        if observation.options.contains(.old), got.old != want.old, !want.isMixed { return false }
        return !observation.options.contains(.new) || got.isPrior || got.new == want.new
    }
}
