import AutoKVO

extension ReplayWorld {
    func dropObserver(_ step: ModelStep) {
        let number = 1 + Int(step.a) % 2
        note("observer \(number) = nil")
        let observer = observers.removeValue(forKey: number)
        withExtendedLifetime(observer) {}
    }

    /// Registers an observation, or as many as fill a traversal's batch.
    func registerSome(_ step: ModelStep) {
        guard step.kind & 64 != 0, step.a % 4 == 0 else { return register(step) }
        var random = SplitMix64(seed: UInt64(step.a) << 16 | UInt64(step.b) << 8 | UInt64(step.c))
        for _ in 0..<18 {
            var one = ModelStep(using: &random)
            // Most of them of one key, so that one change calls them all.
            if one.a % 4 != 0 { (one.a, one.b) = (step.a, step.b) }
            register(one)
        }
    }

    func register(_ step: ModelStep) {
        // Who is added between a change's will and its did does not hear of it.
        guard open.isEmpty, !mayDieInStore, !mayDieBehindCall,
            observations.count(where: { $0.isActive }) < Self.mostObservations,
            let target = node(step.a)
        else { return }
        var random = SplitMix64(
            seed: UInt64(step.kind) << 24 | UInt64(step.a) << 16 | UInt64(step.b) << 8 | UInt64(step.c))
        var paths = [Self.paths[Int(step.b) % Self.paths.count]]
        for number in 0..<max(Int(step.c % 8), 4) - 4 {
            let path = Self.paths[Int(step.b &+ step.a &* UInt8(1 + 2 * number)) % Self.paths.count]
            if !paths.contains(path) { paths.append(path) }
        }
        let options = Self.options[Int(step.c / 3) % Self.options.count].union([.old, .new])
        let number = observations.count
        let observer = Int(step.c / 2 &+ step.b) % 6
        // A handler that ignores the change cannot know whether its change has been stored.
        let actionCount = observer > 2 && options.contains(.prior) ? 0 : Int(step.c) % 3
        let record = ReplayedObservation(
            logs: paths.map { ReplayLog(target, $0) },
            actions: (0..<actionCount).map { _ in ModelStep(using: &random) },
            ignoresChange: observer > 2)
        observations.append(record)
        note(
            "o\(number) = n\(target.id).observe(\(paths), \(options)), observer \(observer), \(record.actions.count) actions"
        )
        let handle = { [weak self, token = tracker.token()] (change: Change<Any>) in
            token.touch()
            self?.didCall(number, record, change)
        }
        let called = { [weak self, token = tracker.token()] in
            token.touch()
            self?.didCall(number, record)
        }
        let dependency = [Dependency(target, paths)]
        do {
            switch observer {
            case 3:
                let callee = ModelCallee(called)
                record.callee = callee
                record.observation = try target.addObserver(
                    callee, forKeyPath: paths, options: options, handler: "call")
            case 4:
                if observers[1] == nil { observers[1] = ModelTrackedObserver() }
                record.observation = try dependency.addObserver(observers[1]!, options: options, userInfo: nil) { _ in
                    called()
                }
            case 5:
                if observers[2] == nil { observers[2] = ModelPlainObserver() }
                record.observation = try dependency.addObserver(observers[2]!, options: options, userInfo: nil) { _ in
                    called()
                }
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
        if let wrong = log.add(change) { problem = "o\(number): \(wrong)" }
        note("-> o\(number) \(change.isPrior ? "prior " : "")\(log.calls.last ?? log.path)")
        act(for: record, isPrior: change.isPrior)
    }

    /// A handler was called that ignores the change.
    func didCall(_ number: Int, _ record: ReplayedObservation) {
        guard problem == nil else { return }
        note("-> o\(number)")
        record.callCount += 1
        // While another change is open, what is read may be taken back before anybody is notified of it. Of a death behind a handler's call the
        // open change is another one.
        let isTransient =
            record.observation?.options.contains(.distinct) ?? true && open.count > (mayDieBehindCall ? 0 : 1)
        for log in record.logs { log.value = isTransient ? nil : log.currentValue }
        act(for: record, isPrior: false)
    }

    /// Does what a handler does.
    private func act(for record: ReplayedObservation, isPrior: Bool) {
        guard budget > 0, depth < 6 else { return }
        let outer = open
        if !isPrior, !open.isEmpty { open.removeLast() }
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
        guard open.isEmpty, !mayDieInStore, !mayDieBehindCall, !observations.isEmpty else { return }
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
