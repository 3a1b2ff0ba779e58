import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Stage: Model {
    @Observed var a = 0
    @Observed var w = 0
    @Observed var v = 0
    @Observed var next: Stage?
    @Observed var members: [Stage] = []
    var computations = 0
    var whenComputed: ((Stage) -> Void)?

    /// Writes what its readers read.
    @Derived({ (stage: Stage) in
        if stage.w != stage.a % 5 { stage.w = stage.a % 5 }
        if stage.v != stage.a % 7 { stage.v = stage.a % 7 }
        return stage.a + stage.w + stage.v
    }) var writer: Int
    /// Adds an observer.
    @Derived({ (stage: Stage) in
        stage.computations += 1
        stage.whenComputed.take()?(stage)
        return stage.a + 1
    }) var adder: Int
    @Derived({ (stage: Stage) in stage.adder + 1 }) var behind: Int
    var near: Int { (next?.w ?? 0) + (next?.writer ?? 0) }
    var far: Int { (next?.writer ?? 0) + 100 * (next?.w ?? 0) + 1000 * (next?.v ?? 0) }

    override class var schema: Schema {
        Schema(Stage.self, extending: super.schema) {
            Key("far", \.far, affectedBy: "next.writer", "next.w", "next.v")
            Key("near", \.near, affectedBy: "next.w", "next.writer")
        }
    }
}

/// Observers that are added while derived values are computed, or before that in the same change.
struct AddedWhileComputingTests {
    @Test(
        "a function that writes keeps no observer from being told, and each once, if another one was added inside the change",
        arguments: ["far", "next.writer"], [false, true])
    func addedBefore(key: String, isCoalesced: Bool) throws {
        try Diagnostics.withHandler({ _ in }) {
            let (root, next) = (Stage(), Stage())
            root.next = next
            let (early, part, late) = (Recorder<Any>(), Recorder<Any>(), Recorder<Any>())
            try root.observe(key, options: [.old, .new], early.handler())
            try root.observe([key, "a"], options: [.old, .new], part.handler())
            func change() throws {
                next.a = 3
                try root.observe([key, "a"], options: [.old, .new], late.handler())
            }
            if isCoalesced { try coalescingChanges(change) } else { try next.$a.withMutation(change) }
            let value = try root.value(forKeyPath: key) as? Int
            for log in [early, part] {
                expectEqual(log.take().map { [$0.old as? Int, $0.new as? Int] }, [[0, value]])
            }
            expectEqual(late.take().map { $0.new as? Int }.suffix(1), isCoalesced || key == "far" ? [value] : [])
            next.a = 9
            let last = try root.value(forKeyPath: key) as? Int
            for log in [early, part, late] {
                expectEqual(log.take().map { [$0.old as? Int, $0.new as? Int] }, [[value, last]])
            }
            withExtendedLifetime((root, next)) {}
        }
    }

    @Test(
        "a function that adds an observer depends on nothing that is read for that",
        arguments: ["next.v", "w", "adder", "behind", "next.behind"],
        [[.new], [.initial, .new], .old] as [ObservingOptions])
    func addedInside(key: String, options: ObservingOptions) throws {
        let stage = Stage()
        stage.next = Stage()
        stage.whenComputed = { stage in
            do { try stage.observe([key, "v"], options: options) { _ in } } catch { Issue.record(error) }
        }
        stage.$adder.observe { _ in }
        let count = stage.computations
        stage.w = 1
        stage.next?.v = 1
        stage.next = nil
        #expect(stage.computations == count)
        stage.a = 1
        #expect(stage.computations == count + 1)
        withExtendedLifetime(stage) {}
    }

    @Test(
        "what a handler of its writes sets, while a path is moved to it, is part of the change that moves the path",
        arguments: [["next", "far"], ["next", "next.writer"], ["far", "next"]], [false, true])
    func setWhileMoved(paths: [String], isOne: Bool) throws {
        try Diagnostics.withHandler({ _ in }) {
            let (root, first, second) = (Stage(), Stage(), Stage())
            (root.next, second.a) = (first, 3)
            var told: [Stage?] = []
            for paths in isOne ? [paths] : paths.map({ [$0] }) {
                try root.observe(paths, options: [.old, .new]) {
                    if $0.keyPath == "next" { told += [$0.oldValue as? Stage, $0.newValue as? Stage] }
                }
            }
            second.$w.observe { [unowned root] _ in root.next = nil }
            root.next = second
            expectEqual(told.map { $0 === first ? 1 : $0 === second ? 2 : 0 }, [1, 0])
            root.next = first
            expectEqual(told.map { $0 === first ? 1 : $0 === second ? 2 : 0 }, [1, 0, 0, 1])
            root.next = nil
            withExtendedLifetime((root, first, second)) {}
        }
    }

    @Test(
        "an array is told as a whole if a handler edits it again while a function is computed for its edit",
        arguments: [false, true])
    func editedWhileMoved(isInPlace: Bool) throws {
        try Diagnostics.withHandler({ _ in }) {
            let (root, member, another) = (Stage(), Stage(), Stage())
            member.a = 3
            var copy: [Stage] = []
            var kinds: [ChangeKind] = []
            try root.observe("members.@sum.writer") { _ in }
            root.$members.observe(options: [.old, .new]) {
                $0.apply(to: &copy)
                kinds.append($0.kind)
            }
            let once = member.$w.observe(options: .once) { [unowned root] _ in
                if isInPlace { root.members.append(another) } else { root.$members.append(another) }
            }
            root.$members.append(member)
            #expect(copy.elementsEqual([member, another], by: ===) && root.members.elementsEqual(copy, by: ===))
            root.$members.remove(at: 0)
            #expect(copy.elementsEqual([another], by: ===) && !once.isValid)
            expectEqual(kinds, [.setting, .removal])
        }
    }

    @Test("a function does not depend on what the first call of a handler reads that it registers") func dependency() {
        let (stage, other, observer) = (Stage(), Stage(), Model())
        var read: [Int] = []
        stage.whenComputed = { stage in
            do {
                try observer.depend(on: [Dependency(stage, "adder"), Dependency(other, "w")]) { _ in
                    read.append((try? stage.value(forKey: "adder") as? Int ?? -1) ?? -1)
                    read.append(other.w)
                }
            } catch { Issue.record(error) }
        }
        stage.$adder.observe { _ in }
        let count = stage.computations
        other.w = 1
        #expect(stage.computations == count)
        stage.a = 1
        expectEqual(read, [1, 0, 1, 1, 2, 1])
        withExtendedLifetime((stage, other, observer)) {}
    }

    @Test("a function that once reads its own value, directly or through another one, comes to an end")
    func readsItself() {
        for isDirect in [true, false] {
            let stage = Stage()
            var values: [Int] = []
            stage.$behind.observe(options: .new) { values.append($0.newValue!) }
            stage.whenComputed = { _ = isDirect ? $0.adder : $0.behind }
            stage.a = 1
            expectEqual(values, [3])
            stage.a = 2
            expectEqual(values, [3, 4])
        }
    }

    @Test("an observer that a function adds, while it is computed for a new path, follows what is set from then on")
    func addedForPath() throws {
        try Diagnostics.withHandler({ _ in }) {
            let (root, next) = (Stage(), Stage())
            (root.next, next.a) = (next, 3)
            var told: [Int?] = []
            next.whenComputed = { [unowned root] _ in
                do {
                    try root.observe("near", options: [.initial, .new]) { told.append($0.newValue as? Int) }
                } catch { Issue.record(error) }
            }
            try root.observe("next.adder") { _ in }
            #expect(told.last == root.near)
            next.w = 4
            #expect(told.last == root.near)
            next.a = 9
            #expect(told.last == root.near)
            withExtendedLifetime((root, next)) {}
        }
    }

    @Test(
        "what an initial call has told is the old value of what is told later of an open change",
        arguments: ["writer", "next.writer", "near", "a function"])
    func initialInside(key: String) throws {
        try Diagnostics.withHandler({ _ in }) {
            let (stage, early, late) = (Stage(), Recorder<Any>(), Recorder<Any>())
            stage.next = stage
            try stage.observe(["writer", "near"], options: [.old, .new], early.handler())
            try coalescingChanges {
                stage.a = 3
                let options: ObservingOptions = [.initial, .old, .new]
                if key == "a function" {
                    let handler = late.handler()
                    stage.observe(reading: { $0.writer as Any }, options: options) { handler($1) }
                } else {
                    try stage.observe(key, options: options, late.handler())
                }
            }
            let value = key == "near" ? stage.near : stage.writer
            expectEqual(late.take().map { [$0.old as? Int, $0.new as? Int] }, [[nil, value]])
            #expect(early.take().count == 2)
            stage.a = 9
            let last = key == "near" ? stage.near : stage.writer
            expectEqual(late.take().map { [$0.old as? Int, $0.new as? Int] }, [[value, last]])
            stage.next = nil
        }
    }

    @Test("the same of several paths, if the initial call of one changes another", arguments: ["v", "next.v", "adder"])
    func initialOfSeveral(key: String) throws {
        let (stage, log) = (Stage(), Recorder<Any>())
        stage.next = stage
        let handler = log.handler()
        try coalescingChanges {
            try stage.observe(["w", key], options: [.initial, .old, .new, .distinct]) { change in
                if change.keyPath == "w" { (stage.v, stage.a) = (5, 5) } else { handler(change) }
            }
            (stage.v, stage.a) = (0, 0)
        }
        let value = key == "adder" ? 6 : 5
        expectEqual(log.take().map { [$0.old as? Int, $0.new as? Int] }, [[nil, value], [value, value - 5]])
        stage.removeAllObservers()
        stage.next = nil
    }

    @Test(
        "a path is called for no change that was made in the initial call of another one, whatever its options",
        arguments: ["v", "next.v", "adder"],
        [.initial, [.initial, .new], [.initial, .old, .new], [.initial, .prior]] as [ObservingOptions])
    func initialOptions(key: String, options: ObservingOptions) throws {
        let stage = Stage()
        stage.next = stage
        var calls = 0
        func count(_ body: (KeyValueObservation) -> Void) throws -> Int {
            calls = 0
            let observation = try stage.observe(["w", key], options: options) { change in
                if change.keyPath == "w" { (stage.v, stage.a) = (5, 5) } else if !change.isPrior { calls += 1 }
            }
            body(observation)
            observation.remove()
            (stage.v, stage.a) = (0, 0)
            return calls
        }
        expectEqual(try coalescingChanges { try count { _ in } }, 1)
        let later = try coalescingChanges {
            calls = 0
            try stage.observe(["w", key], options: options) { change in
                if change.keyPath == "w" { (stage.v, stage.a) = (5, 5) } else if !change.isPrior { calls += 1 }
            }
            (stage.v, stage.a) = (6, 6)
            return calls
        }
        expectEqual([later, calls], [1, 2])
        stage.removeAllObservers()
        stage.next = nil
    }

    @Test(
        "a value that is stored after the initial call is told, also if it is equal, or if a function writes it",
        arguments: 0..<4
    )
    func behindInitial(form: Int) throws {
        let (stage, next, other) = (Stage(), Stage(), Stage())
        (stage.next, other.v) = (next, 5)
        stage.whenComputed = { _ in if form == 3 { next.v = 9 } }
        var values: [Int] = []
        try coalescingChanges {
            try stage.observe(["w", "next.v"], options: [.initial, .new]) { change in
                if change.keyPath == "w" { next.v = 5 } else { values.append(change.newValue as! Int) }
            }
            switch form {
            case 0: next.v = 5
            case 1: (next.v, next.v) = (6, 5)
            case 2: stage.next = other
            default:
                stage.$adder.observe { _ in }
                stage.a = 1
            }
        }
        expectEqual(values, form == 3 ? [5, 9] : [5, 5])
        stage.removeAllObservers()
    }

    @Test("late observers of a key that a function writes get the old value that was there when they came")
    func lateWriter() {
        let stage = Stage()
        var (first, second): ([[Int?]], [[Int?]]) = ([], [])
        stage.whenComputed = { _ in }
        stage.$adder.observe { _ in }
        stage.$v.observe(options: [.old, .new]) { first.append([$0.oldValue, $0.newValue]) }
        coalescingChanges {
            stage.v = 1
            stage.$v.observe(options: [.old, .new]) { second.append([$0.oldValue, $0.newValue]) }
            stage.v = 2
            stage.whenComputed = { $0.v = 10 }
            stage.a = 1
        }
        expectEqual(first, [[0, 2], [2, 10]])
        expectEqual(second, [[1, 2], [2, 10]])
        stage.removeAllObservers()
    }

    @Test("and one that shows values is called once for each") func initialValues() {
        let stage = Stage()
        var values: [Int] = []
        coalescingChanges {
            [stage.$w, stage.$v].onValue {
                values.append($0)
                if values.count == 1 { stage.v = 1 }
            }
        }
        expectEqual(values, [0, 1])
        stage.removeAllObservers()
    }

    @Test("a function is not called for an observation that was removed in its prior call") func removedInPriorCall() {
        let (stage, log) = (Stage(), Recorder<Int>())
        stage.$w.observe(options: [.old, .new], log.handler())
        let observation = Shared<KeyValueObservation?>(nil)
        var count = 0
        func read(_ stage: Stage) -> Int {
            count += 1
            return stage.writer
        }
        observation.value = stage.observe(reading: read, options: .prior) { _, _ in observation.value?.remove() }
        let former = count
        stage.w = 1
        #expect(count == former)
        expectEqual(log.take().map { [$0.old, $0.new] }, [[0, 1]])
        withExtendedLifetime(stage) {}
    }
}

private final class Ring: Model {
    @Observed var a = 0
    var readsSecond = false
    @Derived({ (ring: Ring) in ring.a / 2 }) var half: Int
    @Derived({ (ring: Ring) in
        if ring.readsSecond {
            ring.readsSecond = false
            _ = ring.second
        }
        return ring.half + 1
    }) var first: Int
    @Derived({ (ring: Ring) in ring.first + 1 }) var second: Int
}

struct CircleOfReadsTests {
    @Test("values that have read each other in a circle come to an end where none of their sources is another one")
    func isChecked() {
        let (ring, log) = (Ring(), Recorder<Int>())
        ring.$second.observe(options: .new, log.handler())
        ring.readsSecond = true
        for value in 2...4 { ring.a = value }
        expectEqual(log.take().map(\.new), [3, 4])
        withExtendedLifetime(ring) {}
    }
}
