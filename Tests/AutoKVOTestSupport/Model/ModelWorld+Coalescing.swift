import AutoKVO

extension ModelWorld {
    func coalesce(_ step: ModelStep) {
        guard heldBack == nil else { return }
        heldBack = []
        var random = SplitMix64(seed: UInt64(step.a) << 16 | UInt64(step.b) << 8 | UInt64(step.c))
        note("coalescing {")
        coalescingChanges {
            for index in 0..<Int(step.a % 6) {
                var inner = ModelStep(using: &random)
                inner.kind = [0, 0, 5, 7, 9][Int(inner.kind) % 5]
                if index == 2 {
                    coalescingChanges { act(inner) }
                } else {
                    act(inner)
                }
            }
            let told = heldBack!
            heldBack = nil
            var called: [ReferenceObservation] = []
            for (observation, route, call) in told where observation.isLive {
                if isUnchanged(observation, route, call.kind, call.old, call.new) { continue }
                if observation.ignoresChange, called.contains(where: { $0 === observation }) { continue }
                called.append(observation)
                expected.append(call)
                fire(observation)
            }
        }
        note("}")
    }

    func act(_ step: ModelStep) {
        switch step.kind {
        case 0: change(step)
        case 5: swap(step)
        case 7: edit(step)
        default: setWeak(step)
        }
    }
}
