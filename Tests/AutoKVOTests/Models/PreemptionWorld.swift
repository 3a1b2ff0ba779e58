#if DEBUG
    import AutoKVO
    import AutoKVOTestSupport

    /// What a `PreemptionWorld` observes: stored, weak and collection properties, and each way to derive a value from them.
    final class Officer: Model {
        let id: Int
        @Observed var number: Int
        @Observed var next: Officer?
        @ObservedWeak var friend: Officer?
        @Observed var members: [Officer] = []
        @Derived({ (officer: Officer) in officer.number + officer.members.reduce(0) { $0 + $1.number } }) var total: Int
        @Derived({ (officer: Officer) in officer.friend?.total ?? -1 }) var near: Int
        @Derived({ (officer: Officer) in officer.next?.friend }) var head: Officer?
        @Derived({ (officer: Officer) in
            officer.number % 2 == 0 ? officer.next?.number ?? -2 : officer.friend?.number ?? -3
        }) var choice: Int
        @Derived({ (officer: Officer) in officer.named("chiefNumber") }) var chiefByName: Int
        @Derived({ (officer: Officer) in officer.named("teamSum") }) var teamByName: Int
        @Derived({ (officer: Officer) in officer.named("headNumber") }) var headByName: Int
        @Derived({ (officer: Officer) in officer.named("topNumber") }) var topByName: Int
        var double: Int { number * 2 }
        var far: Int { next?.number ?? -4 }
        var chief: Officer? { next?.friend }
        var chiefNumber: Int { chief?.number ?? -5 }
        var top: Officer? { chief?.next }
        var topNumber: Int { top?.number ?? -7 }
        var team: [Officer] { next?.members ?? [] }
        var teamSum: Int { team.reduce(0) { $0 + $1.number } }
        var headNumber: Int { head?.number ?? -6 }

        init(_ id: Int) { (self.id, number) = (id, id * 10) }

        private func named(_ key: String) -> Int { try! value(forKey: key) as! Int }

        override class var schema: Schema {
            Schema(Officer.self, extending: super.schema) {
                Key("number", \.number)
                Key("double", \.double, affectedBy: "number")
                Key("far", \.far, affectedBy: "next.number")
                Key("chief", \.chief, affectedBy: "next.friend")
                Key("chiefNumber", \.chiefNumber, affectedBy: "chief.number")
                Key("top", \.top, affectedBy: "chief.next")
                Key("topNumber", \.topNumber, affectedBy: "top.number")
                Key("team", \.team, affectedBy: "next.members")
                Key("teamSum", \.teamSum, affectedBy: "team.@sum.number")
                Key("headNumber", \.headNumber, affectedBy: "head.number")
            }
        }

        static let derivedKeys = [
            "total", "near", "head", "choice", "chiefByName", "teamByName", "headByName", "double", "far", "chief",
            "chiefNumber", "teamSum", "headNumber", "top", "topNumber", "topByName",
        ]

        /// The value of a path, computed from what is stored. Of an object it is the number that it has for life.
        func reference(_ path: String) -> Int? {
            guard let dot = path.firstIndex(of: ".") else { return reference(key: path) }
            let (key, rest) = (path[..<dot], String(path[path.index(after: dot)...]))
            if rest.hasPrefix("@sum.") {
                let officers = key == "team" ? next?.members ?? [] : members
                return officers.reduce(0) { $0 + $1.reference(String(rest.dropFirst(5)))! }
            }
            let chief = next?.friend
            let leading = key == "next" ? next : key == "friend" ? friend : key == "top" ? chief?.next : chief
            return leading?.reference(rest)
        }

        private func reference(key: String) -> Int? {
            switch key {
            case "number": number
            case "friend": friend?.id
            case "double": number * 2
            case "total": number + members.reduce(0) { $0 + $1.number }
            case "near": friend?.reference("total") ?? -1
            case "choice": number % 2 == 0 ? next?.number ?? -2 : friend?.number ?? -3
            case "far": next?.number ?? -4
            case "chief", "head": next?.friend?.id
            case "chiefNumber", "chiefByName": next?.friend?.number ?? -5
            case "headNumber", "headByName": next?.friend?.number ?? -6
            case "topNumber", "topByName": next?.friend?.next?.number ?? -7
            case "top": next?.friend?.next?.id
            case "teamSum", "teamByName": next?.members.reduce(0) { $0 + $1.number } ?? 0
            default: fatalError("There is no reference for \(key).")
            }
        }
    }

    /// A few objects and observers, which two threads use: one of them stops at a test point until the other has done something.
    final class PreemptionWorld {
        private let kind: Kind
        private let tracker: LifetimeTracker
        let root, boss, other, deputy, member, last: Officer
        /// Only weak properties refer to it.
        var mortal: Officer?
        private var watches: [Watch] = []
        private var lastNumber = 100
        /// Whether a first act is being performed, and whether that is a change.
        private var (isActing, isChanging) = (false, false)
        private(set) var fault: String?

        /// A kind of observation of the root.
        struct Kind: Sendable {
            let name: String
            let path: String
            /// Whether the observer gets the value when it is added, and at each call the value of that moment: the last one is the present one.
            var isCurrent = false
            let add: @Sendable (Officer, @escaping (_ old: Any?, _ new: Any?) -> Void) throws -> KeyValueObservation
        }

        private final class Watch {
            var observation: KeyValueObservation?
            var isRemoved = false
            /// Whether nothing is promised to it until the change of the other thread is over.
            var isUnpromised = false
            /// The value when it had been added, if no other thread was in the middle of a first act then.
            var known: String?
            var told: [(old: String, new: String)] = []
            var ends = 0
        }

        init(_ kind: Kind, _ tracker: LifetimeTracker) {
            (self.kind, self.tracker) = (kind, tracker)
            let officers = (0..<7).map { tracker.track(Officer($0)) }
            (root, boss, other, deputy, member) = (officers[0], officers[1], officers[2], officers[3], officers[4])
            (last, mortal) = (officers[6], officers[5])
            (root.next, root.friend, root.members) = (boss, mortal, [boss, member])
            (boss.next, boss.friend, boss.members) = (deputy, mortal, [member])
            (other.next, other.friend, other.members) = (member, deputy, [deputy])
            (deputy.next, mortal!.next) = (member, member)
        }

        // MARK: Acts

        /// A number that no object has.
        var newNumber: Int {
            lastNumber += 1
            return lastNumber
        }

        func observe(isFirstAct: Bool = false) {
            let (watch, token) = (Watch(), tracker.token())
            watches.append(watch)
            watch.isUnpromised = isChanging
            do {
                watch.observation = try kind.add(root) { [weak watch] old, new in
                    token.touch()
                    watch?.told.append((text(old), text(new)))
                }
                watch.observation!.onEnd { [weak watch] _ in watch?.ends += 1 }
            } catch { fail("\(error)") }
            if !isFirstAct { watch.known = value }
        }

        /// Removes the first observer that is left.
        func remove() {
            guard let watch = watches.first(where: { !$0.isRemoved && $0.observation != nil }) else { return }
            watch.observation!.remove()
            watch.isRemoved = true
        }

        /// Has every value computed, and kept.
        func read() {
            for officer in [root, boss, other] {
                for key in Officer.derivedKeys {
                    let (found, expected) = (text(try! officer.value(forKey: key)), text(officer.reference(key)))
                    if found != expected, !isActing {
                        fail("\(key) of \(officer.id) reads \(found), and is \(expected)")
                    }
                }
            }
        }

        // MARK: Checks

        /// From here on one thread acts, and another one in the middle of that.
        func begin(isChanging: Bool) {
            forget()
            (isActing, self.isChanging) = (true, isChanging)
        }

        /// What is true when both threads are done.
        func end() {
            isActing = false
            read()
            for watch in watches where !watch.isRemoved && !watch.isUnpromised {
                let isRight =
                    if watch.told.isEmpty {
                        // One that the first act has added may have come behind the second act.
                        watch.known.map { $0 == value } ?? !kind.isCurrent
                    } else if kind.isCurrent {
                        watch.told.last!.new == value
                    } else {
                        // Where both threads call the observer, the older value may be told last.
                        watch.told.contains { $0.new == value }
                    }
                if !isRight { fail("the observer was told \(watch.told), and it is \(value)") }
            }
            follow()
            for watch in watches where watch.ends != (watch.isRemoved ? 1 : 0) { fail("\(watch.ends) ends were told") }
        }

        /// Changes every property, on this thread only. An observer with a link to a former object is told too often, one without a link to a
        /// present object is told nothing, and one with an outdated kept value gets a wrong old value.
        private func follow() {
            for officer in [root, boss, other, deputy, member, mortal].compactMap(\.self) {
                expect("the number of \(officer.id)") { officer.number = newNumber }
            }
            expect("one more member of the root") { root.$members.append(other) }
            expect("one more member of the next one") { root.next!.$members.append(deputy) }
            expect("the next one has another friend") { root.next!.friend = member }
            expect("that one's number") { member.number = newNumber }
            expect("another next one") { root.next = root.next === other ? boss : other }
            expect("its number") { root.next!.number = newNumber }
            expect("its friend has another number") { root.next!.friend?.number = newNumber }
            expect("its friend has another next one") { root.next!.friend?.next = last }
            expect("that one's number") { last.number = newNumber }
            expect("the former one has another friend") { (root.next === other ? boss : other).friend = deputy }
            if mortal == nil { return }
            (root.friend, root.next!.friend) = (mortal, mortal)
            expect("the death of the friend", isDeath: true) { mortal = nil }
            read()
        }

        private func expect(_ name: String, isDeath: Bool = false, _ change: () -> Void) {
            forget()
            let before = value
            change()
            for watch in watches {
                if watch.told.isEmpty, watch.isRemoved || before == value { continue }
                // An object that has died is no old value.
                if !watch.isRemoved, watch.told.count == 1, watch.told[0].new == value,
                    kind.isCurrent || isDeath || watch.told[0].old == before
                {
                    continue
                }
                let observer = watch.isRemoved ? "a removed observer" : "the observer"
                fail("\(name), \(before) → \(value): \(observer) was told \(watch.told)")
            }
        }

        private var value: String { text(root.reference(kind.path)) }
        private func forget() { for watch in watches { watch.told = [] } }
        private func fail(_ text: String) { if fault == nil { fault = text } }
    }

    /// A number as text, or an object's. The value may be an optional one.
    private func text(_ value: Any?) -> String { ((value as? Officer)?.id ?? value as? Int).map(String.init) ?? "nil" }
#endif
