import AutoKVO

extension ModelWorld {
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
        guard observations.count(where: \.isLive) < Self.mostObservations, let first = node(step.a) else { return }
        var (paths, targets) = ([Self.paths[Int(step.b) % Self.paths.count]], [first])
        for number in 0..<max(Int(step.c % 8), 4) - 4 {
            let path = Self.paths[Int(step.b &+ step.a &* UInt8(1 + 2 * number)) % Self.paths.count]
            if !paths.contains(path) { paths.append(path) }
        }
        if step.c % 11 == 0, let second = node(step.a &+ 1), second !== first { targets.append(second) }
        let options = Self.options[Int(step.c / 3) % Self.options.count]
        let observer = Int(step.c &+ step.b) % 6
        let reference = ReferenceObservation(
            routes: targets.flatMap { target in paths.map { (target.id, $0) } }, options: options,
            observer: [1, 2].contains(observer % 3) ? observer % 3 : nil, ignoresChange: observer > 2)
        note(
            "o\(observations.count) = \(targets.map { "n\($0.id)" }).observe(\(paths), \(options)), observer \(observer)"
        )
        if options.contains(.initial) {
            for (root, path) in reference.routes.prefix(reference.ignoresChange ? 1 : .max) {
                expect(reference, path, old: nil, new: value(root, path[...]))
            }
        }
        observations.append(reference)
        let number = observations.count - 1
        let handle = { [unowned self, token = tracker.token()] (change: Change<Any>) in
            token.touch()
            self.calls.append(
                ModelCall(
                    observation: number, path: change.keyPath, kind: change.kind, isPrior: change.isPrior,
                    old: change.oldValue.map(describeModelValue), new: change.newValue.map(describeModelValue)))
        }
        let called = { [unowned self, token = tracker.token()] in
            token.touch()
            self.calls.append(
                ModelCall(observation: number, path: "", kind: .setting, isPrior: false, old: nil, new: nil))
        }
        let dependencies = targets.map { Dependency($0, paths) }
        do {
            switch observer {
            case 3:
                let callee = ModelCallee(called)
                reference.callee = callee
                reference.observation = try targets.addObserver(
                    callee, forKeyPath: paths, options: options, handler: "call")
            case 4:
                let object = self.observer(1) { ModelTrackedObserver() } as! ModelTrackedObserver
                reference.observation = try dependencies.addObserver(object, options: options, userInfo: nil) { _ in
                    called()
                }
            case 5:
                let object = self.observer(2) { ModelPlainObserver() } as! ModelPlainObserver
                reference.observation = try dependencies.addObserver(object, options: options, userInfo: nil) { _ in
                    called()
                }
            case 0: reference.observation = try targets.observe(paths, options: options, handle)
            case 1:
                let object = self.observer(1) { ModelTrackedObserver() } as! ModelTrackedObserver
                reference.observation = try targets.addObserver(object, forKeyPath: paths, options: options) {
                    (_: ModelTrackedObserver, change) in handle(change)
                }
            default:
                let object = self.observer(2) { ModelPlainObserver() } as! ModelPlainObserver
                reference.observation = try targets.addObserver(object, forKeyPath: paths, options: options) {
                    (_: ModelPlainObserver, change) in handle(change)
                }
            }
        } catch {
            note("threw \(error)")
        }
        if reference.observation == nil { reference.isLive = false }
    }

    func observer(_ number: Int, _ make: () -> AnyObject) -> AnyObject {
        if let observer = observers[number] { return observer }
        let observer = make()
        observers[number] = observer
        return observer
    }

    func remove(_ step: ModelStep) {
        guard !observations.isEmpty else { return }
        let observation = observations[Int(step.a) % observations.count]
        note("o\(Int(step.a) % observations.count).remove()")
        observation.observation?.remove()
        observation.isLive = false
        observation.hasFired = false
    }

    func removePath(_ step: ModelStep) {
        guard !observations.isEmpty else { return }
        let number = Int(step.a) % observations.count
        let observation = observations[number]
        guard observation.isLive, let path = observation.routes.first?.1 else { return }
        note("o\(number).remove(keyPath: \(path))")
        observation.observation?.remove(keyPath: path)
        observation.routes.removeAll { $0.1 == path }
        if observation.routes.isEmpty { observation.isLive = false }
    }

    func removeByTarget(_ step: ModelStep) {
        guard let node = node(step.a), observers[1] != nil else { return }
        note("observer 1.stopObserving(of: n\(node.id))")
        (observers[1] as! ModelTrackedObserver).stopObserving(of: node)
        for observation in observations where observation.isLive && observation.observer == 1 {
            observation.routes.removeAll { $0.0 == node.id }
            if observation.routes.isEmpty { observation.isLive = false }
        }
    }

    func rearm(_ step: ModelStep) {
        guard !observations.isEmpty else { return }
        let number = Int(step.a) % observations.count
        let observation = observations[number]
        guard observation.hasFired, observation.routes.contains(where: { nodes[$0.0] != nil }) else { return }
        if let observer = observation.observer, observers[observer] == nil || observation.observerIsGone { return }
        note("o\(number).rearm()")
        do {
            try observation.observation?.rearm()
            observation.routes.removeAll { nodes[$0.0] == nil }
            observation.isLive = true
            observation.hasFired = false
        } catch {
            calls.append(
                ModelCall(
                    observation: number, path: "rearm() threw", kind: .setting, isPrior: false, old: nil, new: nil))
        }
    }

    func dropObserver(_ step: ModelStep) {
        let number = 1 + Int(step.a) % 2
        guard observers[number] != nil else { return }
        note("observer \(number) = nil")
        for observation in observations where observation.observer == number {
            observation.isLive = false
            observation.hasFired = false
            observation.observerIsGone = true
        }
        observers[number] = nil
    }
}
