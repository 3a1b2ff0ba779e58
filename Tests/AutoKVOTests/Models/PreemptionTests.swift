#if DEBUG
    import AutoKVO
    import AutoKVOTestSupport
    import Testing

    /// One thread adds an observer, removes one or changes something, and stops at a point in the library, until another thread has done one thing
    /// from its begin to its end. Behind that each observer and each kept value is checked: see `PreemptionWorld.end`.
    ///
    /// With `AUTOKVO_PREEMPTION=1` in the environment every combination is tried: kind of observation, first act, point, occurrence (how often the
    /// first act has come to the point before), second act. That takes about two minutes, and is the step `preemption` of scripts/check.sh.
    /// Otherwise a sample is, which `AUTOKVO_MODEL_SEED` chooses.
    /// What a failure prints is enough to write a test by hand, as those in `Threads/Races`.
    struct PreemptionTests: RaceSuite {
        typealias Kind = PreemptionWorld.Kind
        let tracker = LifetimeTracker()

        private struct Act: Sendable {
            let name: String
            /// The properties that it changes.
            var writes: Set<String> = []
            /// How many observers there are before, if it is the first act.
            var observers = 1
            let body: @Sendable (PreemptionWorld) -> Void
        }

        /// A time that a first act comes to a point, counted from 0.
        private typealias Place = (point: TestPoint, occurrence: Int)

        private static let kinds: [Kind] =
            [
                "number", "friend", "double", "total", "near", "head", "choice", "far", "chief", "chiefNumber",
                "teamSum", "headNumber", "top", "topNumber", "topByName", "top.number", "chiefByName", "teamByName",
                "headByName", "next.number", "next.total",
                "friend.total", "next.friend.number", "chief.number", "chief.total", "head.number", "next.near",
                "next.far", "next.chiefNumber", "members.@sum.number", "members.@sum.total", "team.@sum.number",
            ].map { path in
                Kind(name: "observe \(path)", path: path) { officer, tell in
                    try officer.observe(path, options: [.old, .new]) { tell($0.oldValue, $0.newValue) }
                }
            } + [
                reading("near") { $0.near }, reading("next.total") { $0.next?.total },
                reading("headByName") { $0.headByName }, reading("chiefByName") { $0.chiefByName },
                onValue("friend") { officer, tell in officer.$friend.onValue { tell($0) } },
                onValue("total") { officer, tell in officer.$total.onValue { tell($0) } },
                onValue("near") { officer, tell in officer.$near.onValue { tell($0) } },
                onValue("teamByName") { officer, tell in officer.$teamByName.onValue { tell($0) } },
                onValue("next.number") { officer, tell in officer.$next.$number.onValue { tell($0) } },
                onValue("head.number") { officer, tell in officer.$head.$number.onValue { tell($0) } },
            ]

        private static func reading(_ path: String, _ read: @escaping @Sendable (Officer) -> Int?) -> Kind {
            Kind(name: "observe reading \(path)", path: path) { officer, tell in
                officer.observe(reading: read, options: [.initial, .old, .new]) {
                    tell($1.oldValue ?? nil, $1.newValue ?? nil)
                }
            }
        }

        private static func onValue(
            _ path: String, _ add: @escaping @Sendable (Officer, @escaping (Any?) -> Void) -> KeyValueObservation
        ) -> Kind {
            Kind(name: "onValue \(path)", path: path, isCurrent: true) { officer, tell in
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

        /// Whether the library promises anything of a combination: see "What is not promised" in docs/guarantees.md. What it leaves open of others
        /// is in `PreemptionWorld.end`.
        private static func isPromised(_ first: Act, _ second: Act) -> Bool {
            // Two threads that change one property are the program's to keep apart.
            first.writes.isDisjoint(with: second.writes)
        }

        // MARK: Search

        @Test(
            "an act of another thread in the middle of one leaves no former link, value or observer", arguments: 0..<8)
        func search(part: Int) {
            let isWhole = ModelSearch.environment("AUTOKVO_PREEMPTION") == 1
            let seed = ModelSearch.environment("AUTOKVO_MODEL_SEED") ?? 1
            var random = SplitMix64(seed: UInt64(seed * 8 + part))
            var (faults, count): ([String], Int) = ([], 0)
            /// All, or some of them.
            func some<Element>(_ elements: [Element], _ count: Int) -> ArraySlice<Element> {
                isWhole ? elements[...] : elements.shuffled(using: &random).prefix(count)
            }
            for (index, kind) in Self.kinds.enumerated() where index % 8 == part {
                for first in some(Self.firsts, load(32)) {
                    for place in some(run(kind, first, nil, nil, &faults), 10) {
                        for second in some(Self.seconds.filter { Self.isPromised(first, $0) }, 1) {
                            count += 1
                            run(kind, first, place, second, &faults)
                        }
                    }
                }
            }
            if faults.isEmpty { return }
            Issue.record("\(faults.count) of \(count) combinations:\n\(faults.prefix(20).joined(separator: "\n"))")
        }

        /// Performs a combination, and checks it. Without a place only the first act is performed, and the places to which it comes are returned.
        @discardableResult
        private func run(
            _ kind: Kind, _ first: Act, _ place: Place?, _ second: Act?, _ faults: inout [String]
        ) -> [Place] {
            var places: [Place] = []
            func count(_ point: TestPoint, _ occurrence: Int = 0) {
                point.whenReached {
                    places.append((point, occurrence))
                    count(point, occurrence + 1)
                }
            }
            var fault: String?
            do {
                let world = PreemptionWorld(kind, tracker)
                for _ in 0..<first.observers { world.observe() }
                world.begin(isChanging: !first.writes.isEmpty)
                if let place {
                    onOccurrence(place.occurrence, of: place.point) { onAnotherThread { second!.body(world) } }
                } else {
                    for point in Self.points { count(point) }
                }
                first.body(world)
                // What the thread comes to from here on is no part of the first act.
                for point in place.map({ [$0.point] }) ?? Self.points { point.whenReached {} }
                world.end()
                fault = world.fault
            }
            if fault == nil, tracker.liveCount != 0 { fault = "\(tracker.liveCount) objects and handlers are left" }
            guard let fault else { return places }
            let stop = place.map { ", at .\($0.point), occurrence \($0.occurrence); second act: \(second!.name)" } ?? ""
            faults.append("\(kind.name); first act: \(first.name)\(stop)\n    \(fault)")
            return places
        }
    }
#endif
