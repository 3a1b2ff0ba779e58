import AutoKVO

extension ReplayWorld {
    func dropObserver(_ step: ModelStep) {
        let number = 1 + Int(step.a) % 2
        note("observer \(number) = nil")
        let observer = observers.removeValue(forKey: number)
        withExtendedLifetime(observer) {}
    }

    func register(_ step: ModelStep) {
        // Who is added between a change's will and its did does not hear of it.
        guard open.isEmpty, !mayDieInStore, observations.count(where: { $0.isActive }) < 14, let target = node(step.a)
        else { return }
        var random = SplitMix64(
            seed: UInt64(step.kind) << 24 | UInt64(step.a) << 16 | UInt64(step.b) << 8 | UInt64(step.c))
        var paths = [Self.paths[Int(step.b) % Self.paths.count]]
        let second = Self.paths[Int(step.b &+ step.a) % Self.paths.count]
        if step.c % 7 == 0, second != paths[0] { paths.append(second) }
        let options = Self.options[Int(step.c / 3) % Self.options.count].union([.old, .new])
        let number = observations.count
        let record = ReplayedObservation(
            logs: paths.map { ReplayLog(target, $0) },
            actions: (0..<Int(step.c) % 3).map { _ in ModelStep(using: &random) })
        observations.append(record)
        let observer = Int(step.c / 2) % 3
        note(
            "o\(number) = n\(target.id).observe(\(paths), \(options)), observer \(observer), \(record.actions.count) actions"
        )
        let handle = { [weak self, token = tracker.token()] (change: Change<Any>) in
            token.touch()
            self?.didCall(number, record, change)
        }
        do {
            switch observer {
            case 0: record.observation = try target.observe(paths, options: options, handle)
            case 1:
                if observers[1] == nil { observers[1] = ModelTrackedObserver() }
                let object = observers[1] as! ModelTrackedObserver
                record.observation = try target.addObserver(object, forKeyPath: paths, options: options) {
                    (_: ModelTrackedObserver, change) in handle(change)
                }
            default:
                if observers[2] == nil { observers[2] = ModelPlainObserver() }
                let object = observers[2] as! ModelPlainObserver
                record.observation = try target.addObserver(object, forKeyPath: paths, options: options) {
                    (_: ModelPlainObserver, change) in handle(change)
                }
            }
        } catch {
            note("threw \(error)")
        }
    }

    func didCall(_ number: Int, _ record: ReplayedObservation, _ change: Change<Any>) {
        guard problem == nil else { return }
        guard let log = record.logs.first(where: { $0.path == change.keyPath }) else {
            problem = "o\(number) was called for \(change.keyPath)"
            return
        }
        // Of several paths, what is coalesced calls for the one that changed last.
        if let wrong = log.add(change, isOldChecked: record.logs.count == 1 || !hasCoalesced) {
            problem = "o\(number): \(wrong)"
        }
        note("-> o\(number) \(change.isPrior ? "prior " : "")\(log.calls.last ?? log.path)")
        guard budget > 0, depth < 6 else { return }
        let outer = open
        if !change.isPrior, !open.isEmpty { open.removeLast() }
        depth += 1
        for action in record.actions where budget > 0 {
            budget -= 1
            act(action)
        }
        depth -= 1
        open = outer
    }

    func remove(_ step: ModelStep) {
        guard !observations.isEmpty else { return }
        let number = Int(step.a) % observations.count
        note("o\(number).remove()")
        observations[number].observation?.remove()
    }

    func rearm(_ step: ModelStep) {
        guard open.isEmpty, !mayDieInStore, !observations.isEmpty else { return }
        let number = Int(step.a) % observations.count
        let record = observations[number]
        guard let observation = record.observation, !observation.isValid, (try? observation.rearm()) != nil else {
            return
        }
        note("o\(number).rearm()")
        for log in record.logs {
            log.isComplete = false
            log.value = log.currentValue
        }
    }
}
