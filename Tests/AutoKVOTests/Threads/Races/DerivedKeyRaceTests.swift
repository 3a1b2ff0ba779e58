#if DEBUG
    @testable import AutoKVO
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
                // Links count, too.
                #expect(!target.isObserved)
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
            @Observed var raise = 0
            @Derived({ (desk: Desk) in desk.number + desk.raise }) var pay: Int
            @Derived({ (desk: Desk) in desk.boss?.deputy?.pay ?? -1 }) var sum: Int
            @Derived({ (desk: Desk) in try! desk.value(forKey: "total") as! Int }) var totalByName: Int
            @Derived({ (desk: Desk) in try! desk.value(forKey: "chiefNumber") as! Int }) var chiefByName: Int
            @ObservedWeak var weakDeputy: Desk?
            @Derived({ (desk: Desk) in desk.boss?.weakDeputy }) var head: Desk?
            @Derived({ (desk: Desk) in try! desk.value(forKey: "headNumber") as! Int }) var headByName: Int
            var headNumber: Int { head?.number ?? -1 }
            var shown: Desk? { raise == 0 ? boss : deputy }
            var shownDeputy: Desk? { shown?.deputy }
            @Derived({ (desk: Desk) in (try! desk.value(forKey: "shownDeputy") as? Desk)?.number ?? -1 })
            var shownNumber: Int
            var sumOfSums: Int { team.reduce(0) { $0 + $1.pay } }
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
                    Key("headNumber", \.headNumber, affectedBy: "head.number")
                    Key("shown", \.shown, affectedBy: "raise", "boss", "deputy")
                    Key("shownDeputy", \.shownDeputy, affectedBy: "shown.deputy")
                    Key("sumOfSums", \.sumOfSums, affectedBy: "team.@sum.pay")
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

        ///     adds the first observer; is about to
        ///     link what the key depends on
        ///                                        adds another observer, which it has now
        ///                                        changes what is not linked yet
        ///     links that
        @Test(arguments: ["chief", "chiefNumber", "total", "totalByName", "sum", "sumOfSums"], 0..<12)
        func observerAddedWhileAnotherThreadLinksTheKeyHearsOfWhatFollows(key: String, occurrence: Int) throws {
            for point in [TestPoint.updatingDerivedKeyRoutes, .relinking, .linked, .evaluating, .evaluated] {
                let (target, boss, former, new) = (Desk(), Desk(), Desk(), Desk())
                (target.boss, boss.deputy, boss.members) = (boss, former, [former])
                var told: [String] = []
                onOccurrence(occurrence, of: point) {
                    onAnotherThread {
                        try! target.observe(key, options: .new) {
                            told.append(($0.newValue as? Int).map { "\($0)" } ?? "other")
                        }
                        (former.number, former.raise) = (2, 1)
                        (boss.deputy, boss.members) = (new, [new])
                        (new.number, new.raise) = (5, 2)
                    }
                    let now = key == "chief" ? "other" : key.hasPrefix("sum") ? "7" : "5"
                    expectEqual(told.last, now, "\(point)")
                }
                try target.observe(key) { _ in }
                point.whenReached {}
                if told.isEmpty { continue }
                (new.number, new.raise) = (7, 3)
                if key != "chief" { expectEqual(told.last, key.hasPrefix("sum") ? "10" : "7", "\(point)") }
            }
        }

        ///     evaluates what reads a key again, behind
        ///     linking what affects that
        ///                                        changes what affects a key on the way of that
        @Test(arguments: 0..<12) func valueThatReadsAKeyOfWhichMoreIsLeftIsEvaluatedBehindAllOfThat(occurrence: Int)
            throws
        {
            for point in [TestPoint.relinking, .linked, .evaluating, .evaluated] {
                let (target, boss, member) = (Desk(), Desk(), Desk())
                (target.boss, boss.members) = (boss, [member])
                onOccurrence(occurrence, of: point) { onAnotherThread { member.number = 5 } }
                var told: [Int?] = []
                target.observe(reading: { $0.totalByName }, options: [.initial, .new]) { told.append($1.newValue) }
                point.whenReached {}
                expectEqual(target.totalByName, member.number, "\(point)")
                expectEqual(told.last, member.number, "\(point)")
                member.number = 7
                expectEqual(told.last, 7, "\(point)")
            }
        }

        ///     changes a derived value, and refreshes
        ///     what reads a key that leads on from it
        ///                                        computes that, and changes what is at the new end
        ///     leads the key's path to the new end
        @Test(arguments: 0..<6, [false, true])
        func valueThatReadsAKeyBehindADerivedOneIsEvaluatedBehindThePath(occurrence: Int, isRead: Bool) {
            for point in [TestPoint.relinking, .linked, .evaluating, .evaluated] {
                let (target, boss, former, new) = (Desk(), Desk(), Desk(), Desk())
                (target.boss, boss.weakDeputy) = (boss, former)
                var told: [Int?] = []
                target.$headByName.observe(options: .new) { told.append($0.newValue) }
                onOccurrence(occurrence, of: point) {
                    onAnotherThread {
                        if isRead { _ = target.headByName }
                        new.number = 5
                    }
                }
                boss.weakDeputy = new
                point.whenReached {}
                expectEqual(target.headByName, new.number, "\(point)")
                new.number = 7
                #expect(target.headByName == 7 && told.last == 7, "\(point)")
            }
        }

        ///     sets what a key is affected by; is about
        ///     to lead the key's path to the new end
        ///                                        adds a second observer of the key, or computes
        ///                                        what reads it; changes what is at the new end
        ///     leads the key's path there
        @Test(arguments: ["chief.number", "chief", "chiefNumber", "total", "team.@sum.number"], 0..<8)
        func observerAddedWhileAnotherThreadMovesTheKeyFollowsTheNewEnd(path: String, occurrence: Int) throws {
            for point in [TestPoint.begun, .relinking, .linked, .evaluating, .evaluated] {
                let (target, former, boss) = (Desk(), Desk(), Desk())
                let (chief, last, new) = (Desk(), Desk(), Desk())
                (target.boss, former.deputy, former.members) = (former, chief, [chief])
                (boss.deputy, boss.members) = (last, [last])
                try target.observe(path) { _ in }
                let calls = Counter()
                onOccurrence(occurrence, of: point) {
                    onAnotherThread {
                        try! target.observe(path) { _ in calls.add() }
                        (boss.deputy, boss.members) = (new, [new])
                    }
                }
                target.boss = boss
                point.whenReached {}
                if boss.deputy !== new { continue }
                var known = calls.count
                (last.number, chief.number) = (7, 8)
                expectEqual(calls.count, known, "\(point)")
                if path != "chief" { known += 1 }
                new.number = 9
                expectEqual(calls.count, known, "\(point)")
                (boss.deputy, boss.members) = (last, [last])
                expectEqual(calls.count, known + 1, "\(point)")
            }
        }

        @Test(arguments: ["chiefByName", "totalByName", "headByName"], 0..<8)
        func valueComputedWhileAnotherThreadMovesWhatItReadsIsThatOfTheNewEnd(key: String, occurrence: Int) throws {
            for point in [TestPoint.begun, .relinking, .linked, .evaluating, .evaluated] {
                let (target, former, boss) = (Desk(), Desk(), Desk())
                let (chief, last, new) = (Desk(), Desk(), Desk())
                new.number = 5
                (target.boss, former.deputy, former.members, former.weakDeputy) = (former, chief, [chief], chief)
                (boss.deputy, boss.members, boss.weakDeputy) = (last, [last], last)
                var told: [Int?] = []
                try target.observe(key, as: Int.self, options: .new) { told.append($0.newValue) }
                onOccurrence(occurrence, of: point) {
                    onAnotherThread {
                        _ = try! target.value(forKey: key)
                        (boss.deputy, boss.members, boss.weakDeputy) = (new, [new], new)
                    }
                }
                target.boss = boss
                point.whenReached {}
                if boss.deputy !== new { continue }
                #expect(try target.value(forKey: key) as? Int == 5, "\(point)")
                expectEqual(told.last, 5, "\(point)")
                new.number = 7
                #expect(try target.value(forKey: key) as? Int == 7, "\(point)")
                expectEqual(told.last, 7, "\(point)")
            }
        }

        /// Has keys that are affected by paths through each other, three deep.
        private final class Rank: Model {
            @Observed var number = 0
            @Observed var next: Rank?
            @Observed var isOdd = false
            @ObservedWeak var friend: Rank?
            @Observed var members: [Rank] = []
            var way: Rank? { isOdd ? friend : next }
            var chief: Rank? { way?.friend }
            var boss: Rank? { chief?.friend }
            var bossNumber: Int { boss?.number ?? -1 }
            var bossSum: Int { boss?.members.reduce(0) { $0 + $1.number } ?? -1 }
            @Derived({ (rank: Rank) in (try! rank.value(forKey: "boss") as? Rank)?.number ?? -1 }) var bossByName: Int
            @Derived({ (rank: Rank) in try! rank.value(forKey: "chief") as? Rank }) var chiefByName: Rank?
            var chiefBoss: Int { chiefByName?.bossByName ?? -1 }
            @Derived({ (rank: Rank) in (try! rank.value(forKey: "bossSum") as! Int) + rank.bossByName }) var both: Int
            @Derived({ (rank: Rank) in rank.next?.friend }) var head: Rank?
            @Derived({ (rank: Rank) in rank.head?.head }) var top: Rank?

            func reference(_ key: String) -> Int {
                switch key {
                case "bossNumber", "bossByName": bossNumber
                case "bossSum": bossSum
                case "chiefBoss": way?.friend?.bossNumber ?? -1
                default: bossSum + bossNumber
                }
            }

            override class var schema: Schema {
                Schema(Rank.self, extending: super.schema) {
                    Key("way", \.way, affectedBy: "isOdd", "next", "friend")
                    Key("chief", \.chief, affectedBy: "way.friend")
                    Key("boss", \.boss, affectedBy: "chief.friend")
                    Key("bossNumber", \.bossNumber, affectedBy: "boss.number")
                    Key("bossSum", \.bossSum, affectedBy: "boss.members.@sum.number")
                    Key("chiefBoss", \.chiefBoss, affectedBy: "chiefByName.bossByName")
                }
            }
        }

        ///     adds an observer: links what the keys
        ///     on the way depend on, the last first
        ///                                        moves one of them
        ///     links what that depends on
        @Test(arguments: ["bossNumber", "bossSum", "bossByName", "chiefBoss", "both"], 0..<16)
        func observerOfAKeyThreeKeysDeepFollowsThePresentEnd(key: String, occurrence: Int) throws {
            let moves: [([Rank]) -> Void] = [
                { $0[2].friend = $0[4] }, { $0[1].friend = $0[5] }, { $0[0].next = $0[6] }, { $0[0].isOdd = true },
            ]
            for point in [
                TestPoint.updatingDerivedKeyRoutes, .relinking, .linked, .evaluating, .evaluated, .readingWeak,
            ] {
                for move in moves {
                    let ranks = (0..<8).map { _ in Rank() }
                    for (index, rank) in ranks.enumerated() {
                        (rank.next, rank.friend) = (ranks[(index + 1) % 8], ranks[(index + 1) % 8])
                        rank.members = [ranks[(index + 3) % 8]]
                    }
                    ranks[0].friend = ranks[6]
                    defer { for rank in ranks { (rank.next, rank.members) = (nil, []) } }
                    let target = ranks[0]
                    let told = Shared<[Int]>([])
                    onOccurrence(occurrence, of: point) { onAnotherThread { move(ranks) } }
                    try target.observe(key, as: Int.self, options: .new) { told.value.append($0.newValue!) }
                    point.whenReached {}
                    for (number, rank) in ranks.enumerated() {
                        let before = target.reference(key)
                        told.value = []
                        rank.number = 100 * (number + 1)
                        let after = target.reference(key)
                        expectEqual(told.value, before == after ? [] : [after], "\(point), rank \(number)")
                    }
                }
            }
        }

        ///     is about to set a weak property, on which
        ///     the derived value depends
        ///                                        leads a path through the value there
        ///     sets it: the path's observers hear it
        @Test(arguments: [TestPoint.subjectsFound, .begun])
        func pathBehindADerivedValueThatComesToAnOpenChangeIsToldOfIt(point: TestPoint) throws {
            let ranks = (0..<9).map { _ in Rank() }
            let (target, next, former, other, new) = (ranks[0], ranks[1], ranks[2], ranks[3], ranks[4])
            (target.next, next.friend, other.next) = (next, former, new)
            (former.next, ranks[5].friend) = (ranks[5], ranks[6])
            (new.friend, ranks[6].number, ranks[7].number, ranks[8].number) = (ranks[7], 1, 2, 3)
            let told = Shared<[Int?]>([])
            try target.observe("top.number") { [unowned target] _ in told.value.append(target.top?.number) }
            new.$friend.observe { _ in }
            point.whenReached { onAnotherThread { next.friend = other } }
            new.friend = ranks[8]
            expectEqual(told.value, [2, 3])
            ranks[8].number = 4
            expectEqual(told.value, [2, 3, 4])
        }

        ///     sets what a key on the way is affected by:
        ///     the links behind it are taken out
        ///                                        empties the way behind it, computes, fills it again
        ///     makes the links again
        @Test(arguments: 0..<4) func valueComputedWhileTheWayIsEmptyIsThatOfTheEnd(occurrence: Int) throws {
            for point in [TestPoint.begun, .relinking, .linked, .evaluating, .evaluated] {
                let (target, boss, chief) = (Desk(), Desk(), Desk())
                (target.boss, boss.deputy) = (boss, chief)
                var told: [Int] = []
                target.$shownNumber.onValue { told.append($0) }
                onOccurrence(occurrence, of: point) {
                    onAnotherThread {
                        boss.deputy = nil
                        chief.number = 7
                        boss.deputy = chief
                    }
                }
                target.deputy = Desk()
                point.whenReached {}
                expectEqual(target.shownNumber, chief.number, "\(point)")
                expectEqual(told.last, chief.number, "\(point)")
                chief.number = 8
                expectEqual(target.shownNumber, 8, "\(point)")
                expectEqual(told.last, 8, "\(point)")
            }
        }
    }
#endif
