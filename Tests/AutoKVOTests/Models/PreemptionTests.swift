#if DEBUG
    import AutoKVO
    import AutoKVOTestSupport
    import Testing

    /// One thread adds an observer, removes one or changes something, and stops at a point in the library, until another thread has done one thing
    /// from its begin to its end. Behind that each observer and each kept value is checked: see `PreemptionWorld.end`.
    ///
    /// With `AUTOKVO_PREEMPTION=3` in the environment every combination is tried: kind of observation, first act, point, occurrence (how often the
    /// first act has come to the point before), second act. That takes nine minutes. With 2, so it is for the simple kinds, and for the others two
    /// second acts for each of the rest are; with 1 two are for all. These are the forms of the step `preemption` of scripts/check.sh. Without it
    /// a sample of all is. `AUTOKVO_MODEL_SEED` chooses.
    /// What a failure prints is enough to write a test by hand, as those in `Threads/Races`.
    /// Some of the kinds are paths of handles, which go on behind nil objects.
    @Suite(.needs(.blankObject)) struct PreemptionTests: RaceSuite {
        typealias Kind = PreemptionWorld.Kind
        typealias Form = PreemptionWorld.Form
        let tracker = LifetimeTracker()

        private struct Act: Sendable {
            let name: String
            /// The properties that it changes.
            var writes: Set<String> = []
            /// How many observers there are before, if it is the first act.
            var observers = 1
            let body: @Sendable (PreemptionWorld) -> Void

            /// Two threads that change one property are the program's to keep apart. What else is not promised (see docs/guarantees.md) is in
            /// `PreemptionWorld.end`.
            func mayMeet(_ other: Act) -> Bool { writes.isDisjoint(with: other.writes) }
        }

        /// A time that a first act comes to a point, counted from 0.
        private typealias Place = (point: TestPoint, occurrence: Int)

        private static let simple: [Kind] =
            [
                "number", "friend", "double", "total", "near", "head", "choice", "far", "chief", "chiefNumber",
                "teamSum", "headNumber", "top", "topNumber", "topByName", "top.number", "chiefByName", "teamByName",
                "headByName", "next.number", "next.total",
                "friend.total", "next.friend.number", "chief.number", "chief.total", "head.number", "next.near",
                "next.far", "next.chiefNumber", "members.@sum.number", "members.@sum.total", "team.@sum.number",
            ].map { observing($0, .changes) } + [
                reading("near") { $0.near }, reading("next.total") { $0.next?.total },
                reading("headByName") { $0.headByName }, reading("chiefByName") { $0.chiefByName },
                onValue("friend") { officer, tell in officer.$friend.onValue { tell($0) } },
                onValue("total") { officer, tell in officer.$total.onValue { tell($0) } },
                onValue("near") { officer, tell in officer.$near.onValue { tell($0) } },
                onValue("teamByName") { officer, tell in officer.$teamByName.onValue { tell($0) } },
                onValue("next.number") { officer, tell in officer.$next.$number.onValue { tell($0) } },
                onValue("head.number") { officer, tell in officer.$head.$number.onValue { tell($0) } },
            ]

        private static let kinds = simple + withOptions + byAides + bindings

        private static let withOptions: [Kind] =
            [(Form.once, ObservingOptions.once), (.prior, .prior), (.distinct, .distinct)].flatMap { form, option in
                ["friend", "near", "headByName", "topNumber", "next.total", "head.number", "team.@sum.number"].map {
                    observing($0, form, option)
                }
            }

        private static let byAides: [Kind] =
            ["near", "chiefNumber", "next.friend.number"].flatMap { path in
                [
                    Kind(name: "named handler \(path)", path: path) { officer, aide, _ in
                        try officer.addObserver(aide, forKeyPath: path, options: [.old, .new], handler: "told")
                    },
                    Kind(name: "observeValue \(path)", path: path) { officer, aide, _ in
                        try officer.addObserver(aide, forKeyPath: path, options: [.old, .new], context: nil)
                    },
                ]
            } + [
                Kind(name: "observe(for:) near", path: "near") { officer, aide, _ in
                    officer.$near.observe(for: aide, options: [.old, .new]) { $0.tell($1.oldValue, $1.newValue) }
                },
                Kind(name: "observe(for:) head.number", path: "head.number") { officer, aide, _ in
                    officer.$head.$number.observe(for: aide, options: [.old, .new]) {
                        $0.tell($1.oldValue, $1.newValue)
                    }
                },
            ]

        private static let bindings = [
            bound("number") { $0.bind(to: $1.$number) },
            bound("near") { $0.bind(to: $1.$near) },
            bound("chiefByName") { $0.bind(to: $1.$chiefByName) },
            bound("next.number") { $0.bind(to: $1.$next.$number) { $0! } },
            bound("chiefNumber") { $0.bind(to: $1.$next.$friend.$number) { $0 ?? -5 } },
            bound("headNumber") { $0.bind(to: $1.$head.$number) { $0 ?? -6 } },
            bound("near", "closure") { note, officer in note.bind { [weak officer] in officer?.near ?? 0 } },
            bound("topNumber", "closure") { note, officer in note.bind { [weak officer] in officer?.topNumber ?? 0 } },
            bound("number", "both ways", .boundBothWays) { $0.bindBothWays(to: $1.$number) },
            bound("far", "both ways", .boundBothWays) { $0.bindBothWays(to: $1.$next.$number, nilAs: -4) },
            bound("chiefNumber", "both ways", .boundBothWays) {
                $0.bindBothWays(to: $1.$next.$friend.$number, nilAs: -5)
            },
            bound("headNumber", "both ways", .boundBothWays) { $0.bindBothWays(to: $1.$head.$number, nilAs: -6) },
        ]

        private static func observing(_ path: String, _ form: Form, _ option: ObservingOptions = []) -> Kind {
            Kind(name: "observe \(path)\(form == .changes ? "" : ", \(form)")", path: path, form: form) {
                officer, _, tell in
                try officer.observe(path, options: [.old, .new, option]) {
                    tell($0.oldValue, $0.isPrior ? Kind.isPrior : $0.newValue)
                }
            }
        }

        private static func bound(
            _ path: String, _ name: String = "to", _ form: Form = .bound,
            _ bind: @escaping @Sendable (Property<Int>, Officer) -> KeyValueObservation
        ) -> Kind {
            Kind(name: "bind \(name) \(path)", path: path, form: form) { officer, aide, tell in
                aide.$note.observe(options: [.old, .new]) { tell($0.oldValue, $0.newValue) }
                return bind(aide.$note, officer)
            }
        }

        private static func reading(_ path: String, _ read: @escaping @Sendable (Officer) -> Int?) -> Kind {
            Kind(name: "observe reading \(path)", path: path) { officer, _, tell in
                officer.observe(reading: read, options: [.initial, .old, .new]) {
                    tell($1.oldValue ?? nil, $1.newValue ?? nil)
                }
            }
        }

        private static func onValue(
            _ path: String, _ add: @escaping @Sendable (Officer, @escaping (Any?) -> Void) -> KeyValueObservation
        ) -> Kind {
            Kind(name: "onValue \(path)", path: path, form: .current) { officer, _, tell in
                add(officer) { tell(nil, $0) }
            }
        }

        private static let changes = [
            Act(name: "root.number", writes: ["root.number"]) { $0.root.number = $0.newNumber },
            Act(name: "boss.number", writes: ["boss.number"]) { $0.boss.number = $0.newNumber },
            Act(name: "deputy.number", writes: ["deputy.number"]) { $0.deputy.number = $0.newNumber },
            Act(name: "member.number", writes: ["member.number"]) { $0.member.number = $0.newNumber },
            Act(name: "mortal.number", writes: ["mortal.number"]) { $0.mortal?.number = $0.newNumber },
            Act(name: "root.next = other", writes: ["root.next"]) { $0.root.next = $0.other },
            Act(name: "root.friend = deputy", writes: ["root.friend"]) { $0.root.friend = $0.deputy },
            Act(name: "boss.friend = deputy", writes: ["boss.friend"]) { $0.boss.friend = $0.deputy },
            Act(name: "mortal.next = other", writes: ["mortal.next"]) { $0.mortal?.next = $0.other },
            Act(name: "boss.friend = nil", writes: ["boss.friend"]) { $0.boss.friend = nil },
            Act(name: "root.members = [other]", writes: ["root.members"]) { $0.root.members = [$0.other] },
            Act(name: "boss.$members.append(other)", writes: ["boss.members"]) { $0.boss.$members.append($0.other) },
            Act(name: "death of mortal", writes: ["root.friend", "boss.friend"]) { $0.mortal = nil },
            Act(name: "coalescing boss.friend, deputy.number", writes: ["boss.friend", "deputy.number"]) { world in
                coalescingChanges { (world.boss.friend, world.deputy.number) = (world.deputy, world.newNumber) }
            },
            Act(name: "withMutation boss.number", writes: ["boss.number"]) { world in
                world.boss.withMutation(of: "number") { world.boss.number = world.newNumber }
            },
        ]

        /// Of what is bound both ways.
        private static let edit = Act(
            name: "edit", writes: ["root.number", "boss.number", "deputy.number", "member.number", "mortal.number"]
        ) { $0.edit() }

        private static let firsts =
            [
                Act(name: "observe", observers: 0) { $0.observe(isFirstAct: true) },
                Act(name: "observe once more") { $0.observe(isFirstAct: true) },
                Act(name: "remove") { $0.remove() },
                Act(name: "remove one of two", observers: 2) { $0.remove() },
            ] + changes

        private static let (observe, read) = (Act(name: "observe") { $0.observe() }, Act(name: "read") { $0.read() })

        private static let seconds =
            [observe, read, Act(name: "remove") { $0.remove() }] + changes
            + [observe, read].flatMap { act in
                changes.map { change in
                    Act(name: "\(act.name), \(change.name)", writes: change.writes) {
                        act.body($0)
                        change.body($0)
                    }
                }
            }

        private static let points: [TestPoint] = [
            .attaching, .ending, .firing, .beforeCall, .beforeObserver, .lettingGo, .written, .subjectsFound, .begun,
            .relinking, .linked, .updatingWatch, .readingWeak, .referentDying, .tearingDown, .endingPart, .coalesced,
            .checking, .evaluating, .evaluated, .updatingDerivedKeyRoutes,
        ]

        // MARK: Search

        @Test(
            "an act of another thread in the middle of one leaves no former link, value or observer", arguments: 0..<8)
        func search(part: Int) {
            let extent = ModelSearch.environment("AUTOKVO_PREEMPTION") ?? 0
            let seed = ModelSearch.environment("AUTOKVO_MODEL_SEED") ?? 1
            var random = SplitMix64(seed: UInt64(seed * 8 + part))
            var (faults, count): ([String], Int) = ([], 0)
            /// All, or some of them.
            func some<Element>(_ elements: [Element], _ count: Int, isAll: Bool) -> ArraySlice<Element> {
                isAll ? elements[...] : elements.shuffled(using: &random).prefix(count)
            }
            for (index, kind) in Self.kinds.enumerated() where index % 8 == part {
                let edits = kind.form == .boundBothWays ? [Self.edit] : []
                for first in some(Self.firsts + edits, load(32), isAll: extent > 0) {
                    for place in some(run(kind, [first], [], &faults), 10, isAll: extent > 0) {
                        let seconds = (Self.seconds + edits).filter { first.mayMeet($0) }
                        let isAll = extent > (index < Self.simple.count ? 1 : 2)
                        for second in some(seconds, extent > 0 ? 2 : 1, isAll: isAll) {
                            count += 1
                            run(kind, [first, second], [place], &faults)
                        }
                    }
                }
            }
            report(faults, count)
        }

        /// A third thread does one thing in the middle of what the second one does. There are millions of such combinations: some of them are tried.
        @Test("an act of a third thread in the middle of the second one's leaves nothing either", arguments: 0..<8)
        func searchOfThree(part: Int) {
            let seed = ModelSearch.environment("AUTOKVO_MODEL_SEED") ?? 1
            var random = SplitMix64(seed: UInt64(seed * 8 + part) &+ 1 << 32)
            var (faults, count): ([String], Int) = ([], 0)
            while count < [load(120), 200, 400, 3_000][ModelSearch.environment("AUTOKVO_PREEMPTION") ?? 0] {
                count += 1
                let kind = Self.kinds.randomElement(using: &random)!
                let edits = kind.form == .boundBothWays ? [Self.edit] : []
                var (acts, stops): ([Act], [Place]) = ([], [])
                while true {
                    let next = (acts.isEmpty ? Self.firsts : Self.seconds) + edits
                    acts.append(
                        next.filter { next in acts.allSatisfy { $0.mayMeet(next) } }.randomElement(using: &random)!)
                    let places = run(kind, acts, stops, &faults)
                    guard acts.count < 3, let stop = places.randomElement(using: &random) else { break }
                    stops.append(stop)
                }
            }
            report(faults, count)
        }

        private func report(_ faults: [String], _ count: Int) {
            if faults.isEmpty { return }
            Issue.record("\(faults.count) of \(count) combinations:\n\(faults.prefix(20).joined(separator: "\n"))")
        }

        /// Performs acts, each in the middle of the one before, which has come to a place, and checks them.
        ///
        /// - Returns: The places to which the last act has come.
        @discardableResult
        private func run(_ kind: Kind, _ acts: [Act], _ stops: [Place], _ faults: inout [String]) -> [Place] {
            var places: [Place] = []
            func count(_ point: TestPoint, _ occurrence: Int = 0) {
                point.whenReached {
                    places.append((point, occurrence))
                    count(point, occurrence + 1)
                }
            }
            func perform(_ number: Int, _ world: PreemptionWorld) {
                let act = acts[number]
                if number < stops.count {
                    let stop = stops[number]
                    onOccurrence(stop.occurrence, of: stop.point) {
                        onAnotherThread {
                            world.meanwhile(isChange: !act.writes.isEmpty) { perform(number + 1, world) }
                        }
                    }
                } else {
                    for point in Self.points { count(point) }
                }
                if number > 0, !act.writes.isEmpty { world.changeCount += 1 }
                act.body(world)
                // What the thread comes to from here on is no part of the act.
                for point in Self.points { point.whenReached {} }
            }
            var fault: String?
            do {
                let world = PreemptionWorld(kind, tracker)
                for _ in 0..<acts[0].observers { world.observe() }
                world.begin()
                perform(0, world)
                world.end()
                fault = world.fault
            }
            if fault == nil, tracker.liveCount != 0 { fault = "\(tracker.liveCount) objects and handlers are left" }
            guard let fault else { return places }
            let text = acts.enumerated().map { number, act in
                number == 0
                    ? act.name
                    : "at .\(stops[number - 1].point), occurrence \(stops[number - 1].occurrence): \(act.name)"
            }
            faults.append("\(kind.name); \(text.joined(separator: "; "))\n    \(fault)")
            return places
        }
    }
#endif
