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

    /// An observer whose handlers call `tell`, and whose property `note` a binding sets.
    final class Aide: Model {
        @Observed var note = 0
        var tell: (_ old: Any?, _ new: Any?) -> Void = { _, _ in }

        func told(_ change: Change<Any>) { tell(change.oldValue, change.newValue) }

        override class var schema: Schema {
            Schema(Aide.self, extending: super.schema) { Handler("told", Aide.told) }
        }

        override func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [KeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) { tell(change![.oldKey], change![.newKey]) }
    }

    /// A few objects and observers, which threads use: one of them stops at a test point until another one has done something.
    final class PreemptionWorld {
        private let kind: Kind
        private let tracker: LifetimeTracker
        let root, boss, other, deputy, member, last: Officer
        /// Only weak properties refer to it.
        var mortal: Officer?
        private var watches: [Watch] = []
        private var lastNumber = 100
        /// Whether acts are being performed, and whether one of those that another thread is in the middle of is a change.
        private var (isActing, isChanging) = (false, false)
        /// How many acts were changes.
        var changeCount = 0
        /// The values between the acts, new numbers, and the values at calls.
        private var seen: Set<String> = []
        private(set) var fault: String?

        /// A kind of observation of the root.
        struct Kind: Sendable {
            let name: String
            let path: String
            var form = Form.changes
            /// The closure is the aide's `tell`. A prior call tells `isPrior` as the new value.
            let add:
                @Sendable (Officer, Aide, @escaping (_ old: Any?, _ new: Any?) -> Void) throws -> KeyValueObservation

            static let isPrior = "prior"
        }

        /// For which changes the observer of a kind is called.
        enum Form {
            /// Each change.
            case changes
            /// The value when it is added, and at each call the value of that moment: the last one is the present one.
            case current
            /// The first change.
            case once
            /// Each change, and before that the old value.
            case prior
            /// Each change to another value.
            case distinct
            /// Each change of the aide's note, which is bound; both ways, if an edit of that is to reach the other side.
            case bound
            case boundBothWays
        }

        private final class Watch {
            let aide: Aide
            var observation: KeyValueObservation?
            /// Whether it has been removed, or was to be told of one change only and has been.
            var isOver = false
            /// Whether nothing is promised to it until the change of the other thread is over.
            var isUnpromised = false
            /// The value when it had been added, if no other thread was in the middle of a first act then.
            var known: String?
            var told: [(old: String, new: String)] = []
            /// The aide's note when `told` was empty.
            var formerNote = ""
            var ends = 0

            init(_ aide: Aide) { self.aide = aide }
            var note: String { text(aide.note) }
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
            seen.insert("\(lastNumber)")
            return lastNumber
        }

        func observe(isFirstAct: Bool = false) {
            let (watch, token) = (Watch(tracker.track(Aide())), tracker.token())
            watches.append(watch)
            watch.isUnpromised = isChanging
            let before = changeCount
            watch.aide.tell = { [weak self, weak watch] old, new in
                token.touch()
                // What has been dropped elsewhere may die when the act is over.
                if let self, isActing, kind.form == .once { seen.insert(value) }
                watch?.told.append((text(old), text(new)))
            }
            do {
                watch.observation = try kind.add(root, watch.aide, watch.aide.tell)
                watch.observation!.onEnd { [weak watch] _ in watch?.ends += 1 }
            } catch { fail("\(error)") }
            if !isFirstAct { watch.known = value }
            // Of several changes while it was added, some may have been told and later ones not.
            if changeCount > before + 1 { watch.isUnpromised = true }
        }

        /// Removes the first observer that is left.
        func remove() {
            guard let watch = watches.first(where: { !$0.isOver && $0.observation != nil }) else { return }
            watch.observation!.remove()
            watch.isOver = true
        }

        /// Changes what is bound.
        func edit() { watches.first { !$0.isOver && $0.observation != nil }?.aide.note = newNumber }

        /// An act of another thread, in the middle of one which may be a change.
        func meanwhile(isChange: Bool, _ act: () -> Void) {
            if isChange { isChanging = true }
            seen.insert(value)
            act()
            seen.insert(value)
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
        func begin() {
            forget()
            isActing = true
            seen = [value]
        }

        /// What is true when all threads are done.
        func end() {
            isActing = false
            read()
            for watch in watches where !watch.isOver {
                let isRight =
                    if watch.isUnpromised {
                        kind.form != .once || watch.told.count <= 1
                    } else if kind.form == .bound {
                        watch.note == value
                    } else if kind.form == .boundBothWays {
                        watch.note == value || Int(value)! < 0 && watch.aide.note > 100
                    } else if watch.told.isEmpty {
                        // One that the first act has added may have come behind the second act.
                        watch.known.map { $0 == value } ?? (kind.form != .current)
                    } else {
                        isRight(watch.told)
                    }
                if !isRight {
                    fail("the observer was told \(watch.told), its note is \(watch.note), and it is \(value)")
                }
            }
            follow()
            forget()
            for watch in watches where watch.ends != (watch.isOver ? 1 : 0) { fail("\(watch.ends) ends were told") }
        }

        /// Whether this may be told of both threads' acts. Where both call the observer, the older value may be told last.
        private func isRight(_ told: [(old: String, new: String)]) -> Bool {
            switch kind.form {
            case .current: told.last!.new == value
            // What the path is just led away from may have changed before.
            case .once: told.count == 1 && (told[0].old != told[0].new || seen.contains(told[0].new))
            // A change that turns out to be none has the prior call only.
            case .prior where told.last!.new == Kind.isPrior && told.last!.old == value: true
            // A change that is open while another thread tells of an equal value may be told as one to an equal value.
            case .distinct where seen == [value] && !isChanging: false
            default: told.contains { $0.new == value }
            }
        }

        /// Changes every property on this thread, while no other one acts. An observer that still has a link to a former object is called too often,
        /// one that lacks a link is not called, and one whose derived value was kept too long gets a wrong old value.
        private func follow() {
            for officer in [root, boss, other, deputy, member, mortal].compactMap(\.self) {
                expect("the number of \(officer.id)", mayBeEqual: false) { officer.number = newNumber }
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
            expect("the former one has another friend", mayBeEqual: false) {
                (root.next === other ? boss : other).friend = deputy
            }
            // Where the path leads nowhere, an edit is set nowhere.
            if kind.form == .boundBothWays, Int(value)! > 0 {
                for watch in watches where !watch.isOver { expect("an edit") { watch.aide.note = newNumber } }
            }
            if mortal == nil { return }
            (root.friend, root.next!.friend) = (mortal, mortal)
            expect("the death of the friend", isDeath: true) { mortal = nil }
            read()
        }

        /// - Parameter mayBeEqual: Whether observers may be told of an equal value: where an object on the way is set.
        private func expect(
            _ name: String, isDeath: Bool = false, mayBeEqual: Bool = true, _ change: () -> Void
        ) {
            forget()
            let before = value
            change()
            for watch in watches
            where !isRight(watch, before, isDeath) || !mayBeEqual && before == value && !watch.told.isEmpty {
                let observer = watch.isOver ? "an ended observer" : "the observer"
                fail("\(name), \(before) → \(value): \(observer) was told \(watch.told), its note is \(watch.note)")
            }
        }

        /// Whether an observer was told of one change what it was to be told.
        private func isRight(_ watch: Watch, _ before: String, _ isDeath: Bool) -> Bool {
            var (told, before) = (watch.told, before)
            if watch.isOver { return told.isEmpty }
            switch kind.form {
            // What was bound while a change was open follows the next.
            case .bound, .boundBothWays:
                if before != value { before = watch.formerNote } else if told.isEmpty { return true }
            case .prior:
                // The death of an object that is referred to weakly has no prior call.
                if !isDeath {
                    if told.first.map({ $0 != (before, Kind.isPrior) }) ?? false { return false }
                    told = Array(told.dropFirst())
                }
            case .distinct: if before == value { return told.isEmpty }
            default: break
            }
            if told.isEmpty { return before == value }
            // An object that has died is no old value.
            return told.count == 1 && told[0].new == value
                && (kind.form == .current || isDeath || told[0].old == before)
        }

        private var value: String { text(root.reference(kind.path)) }
        private func forget() {
            for watch in watches {
                if kind.form == .once, !watch.told.isEmpty { watch.isOver = true }
                (watch.told, watch.formerNote) = ([], watch.note)
            }
        }
        private func fail(_ text: String) { if fault == nil { fault = text } }
    }

    /// A number as text, or an object's. The value may be an optional one.
    private func text(_ value: Any?) -> String {
        value as? String ?? ((value as? Officer)?.id ?? value as? Int).map(String.init) ?? "nil"
    }
#endif
