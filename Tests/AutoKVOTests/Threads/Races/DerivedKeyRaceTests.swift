#if DEBUG
    import AutoKVO
    import AutoKVOTestSupport
    import Testing

    /// The routes behind a derived key, which begin with its first observer and end with its last.
    struct DerivedKeyRaceTests: RaceSuite {
        let tracker = LifetimeTracker()

        ///     the last observer goes, the routes
        ///     behind the key are to be ended
        ///                                        another comes, and starts routes of its own
        ///     ends
        @Test func observerOfADerivedKeyAddedWhileTheLastIsRemovedIsNotified() throws {
            let target = person()
            target.address = tracker.track(Address())
            let calls = Counter()
            let last = try target.observe("cityLine") { _ in }
            TestPoint.updatingDerivedKeyRoutes.whenReached {
                onAnotherThread { try! target.observe("cityLine") { _ in calls.add() } }
            }
            last.remove()
            target.address!.city = "Bonn"
            expectEqual(calls.count, 1)
            target.address = tracker.track(Address())
            target.address!.city = "Trier"
            expectEqual(calls.count, 3)
        }

        ///     is the first: routes are to be started
        ///                                        removes it, ends the routes
        ///     starts them
        @Test func routesOfADerivedKeyThatIsNoLongerObservedStayEnded() throws {
            let (target, observer) = (person(), person())
            target.address = tracker.track(Address())
            for _ in 0..<3 {
                TestPoint.updatingDerivedKeyRoutes.whenReached {
                    onAnotherThread { observer.stopObserving() }
                }
                try target.addObserver(observer, forKeyPath: "cityLine") { (_: Person, _) in }
            }
            let calls = Counter()
            try target.observe("cityLine") { _ in calls.add() }
            target.address!.city = "Bonn"
            expectEqual(calls.count, 1)
        }

        /// Has keys that are affected by paths through each other.
        private final class Desk: Model {
            @Observed var boss: Desk?
            @Observed var deputy: Desk?
            @Observed var members: [Desk] = []
            @Observed var number = 0
            var chief: Desk? { boss?.deputy }
            var team: [Desk] { boss?.members ?? [] }
            var chiefNumber: Int { chief?.number ?? -1 }
            var total: Int { team.reduce(0) { $0 + $1.number } }

            override class var schema: Schema {
                Schema(Desk.self, extending: super.schema) {
                    Key("chief", \.chief, affectedBy: "boss.deputy")
                    Key("team", \.team, affectedBy: "boss.members")
                    Key("chiefNumber", \.chiefNumber, affectedBy: "chief.number")
                    Key("total", \.total, affectedBy: "team.@sum.number")
                }
            }
        }

        ///     follows the path behind the key, and reads
        ///     a key on its way
        ///                                        changes that key
        ///     follows the path behind the key on the way
        @Test(arguments: ["chiefNumber", "total"])
        func keyOnTheWayThatChangesBeforeItsOwnPathIsFollowedIsFollowed(key: String) throws {
            let (target, boss, former, new) = (Desk(), Desk(), Desk(), Desk())
            (target.boss, boss.deputy, boss.members) = (boss, former, [former])
            TestPoint.relinking.whenReached {
                TestPoint.relinking.whenReached { onAnotherThread { (boss.deputy, boss.members) = (new, [new]) } }
            }
            var told: [Int?] = []
            try target.observe(key, as: Int.self, options: .new) { told.append($0.newValue) }
            new.number = 5
            expectEqual(told, [5])
            former.number = 6
            expectEqual(told, [5])
        }

        @Test(arguments: ["chiefNumber", "total"])
        func observerAddedInsideOfAChangeAtTheEndOfSuchAPathIsNotToldOfThat(key: String) throws {
            let (target, boss, chief) = (Desk(), Desk(), Desk())
            (target.boss, boss.deputy, boss.members) = (boss, chief, [chief])
            var told: [Int?] = []
            try chief.observe("number", options: [.prior, .once]) { change in
                guard change.isPrior else { return }
                try! target.observe(key, as: Int.self, options: .new) { told.append($0.newValue) }
            }
            chief.number = 5
            expectEqual(told, [])
            chief.number = 6
            expectEqual(told, [6])
        }
    }
#endif
