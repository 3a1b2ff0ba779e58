import AutoKVO
import AutoKVOTestSupport
import Testing

private class Worker: TrackedObject {
    @Observed var age = 1
    @Observed var height = 100
    @Observed var tools: [String] = []
    @Observed var boss: Worker?
}

private actor Store {
    private(set) var ages: [Int] = []

    nonisolated func follow(_ workers: [Worker]) {
        workers.map(\.$age).observe(options: .new, on: self) { store, change in store.ages.append(change.newValue!) }
    }
}

/// What one handle has, an array of handles has.
@Suite(.needs(.blankObject)) struct HandleArrayTests {
    private let workers = [Worker(), Worker()]
    private let panel = PlainObserver()

    @Test("it is one observation, and each change says of which object and key it is") func one() {
        var seen: [String] = []
        let handles = [workers[0].$age, workers[0].$height, workers[1].$age]
        let observation = handles.observe(options: [.old, .new], userInfo: 7) { [unowned first = workers[0]] change in
            let index = change.target === first ? 0 : 1
            seen.append("\(index).\(change.keyPath) \(change.oldValue!) \(change.newValue!) \(change.userInfo!)")
        }
        workers[0].age = 2
        workers[0].height = 101
        workers[1].age = 3
        workers[1].height = 4
        expectEqual(seen, ["0.age 1 2 7", "0.height 100 101 7", "1.age 1 3 7"])
        #expect(observation.targets.count == 2 && observation.keyPaths == ["age", "height"])
        #expect(observation.remove(keyPath: "age"))
        workers[1].age = 4
        workers[0].height = 102
        expectEqual(seen.count, 4)
        #expect(panel.log.isEmpty)
    }

    @Test("paths, and values of each object at the beginning") func paths() {
        workers[0].boss = Worker()
        var values: [Int?] = []
        let observation = workers.map(\.$boss.$age).onValue { values.append($0) }
        expectEqual(values, [1, nil])
        workers[0].boss?.age = 5
        workers[1].boss = workers[0]
        expectEqual(values, [1, nil, 5, 1])
        observation.remove()
        workers[0].age = 6
        expectEqual(values.count, 4)
    }

    @Test("names that were made handles") func names() throws {
        try workers.map { try $0.path("boss.age", as: Int.self) }.addObserver(panel, options: .new) { panel, change in
            panel.log.append("\(change.newValue!)")
        }
        workers[1].boss = Worker()
        workers[1].boss?.age = 8
        expectEqual(panel.log, ["1", "8"])
        #expect(panel.log.count == 2 && workers[0].observations().count == 1)
    }

    @Test("elements of all collections") func elements() {
        var lines: [String] = []
        workers.map(\.$tools).observeElements(
            options: .initial, added: { lines.append("+" + $0) }, removed: { lines.append("-" + $0) })
        workers[0].$tools.append("saw")
        workers[1].tools = ["saw", "file"]
        workers[0].$tools.removeAll()
        expectEqual(lines, ["+saw", "+saw", "+file", "-saw"])
    }

    @Test("it goes on when one dies, and ends with the last, or with the observer") func deaths() {
        var living: [Worker?] = [Worker(), Worker()]
        let ended = living.map { $0!.$age }.observe { _ in }
        living[0] = nil
        #expect(ended.isValid && ended.targets.count == 1)
        living[1] = nil
        #expect(!ended.isValid)
        var panel: PlainObserver? = PlainObserver()
        let other = workers.map(\.$age).observe(for: panel!) { _, _ in }
        panel = nil
        #expect(!other.isValid)
    }

    @Test("that of no handle has ended") func none() {
        let observation = [Property<Int>]().observe { _ in }
        #expect(!observation.isValid && observation.targets.isEmpty && observation.keyPaths.isEmpty)
        var hasEnded = false
        observation.onEnd { _ in hasEnded = true }
        #expect(hasEnded)
    }

    @Test("a handle that is there twice is observed once") func twice() {
        var calls = 0
        [workers[0].$age, workers[0].$age].observe { _ in calls += 1 }
        workers[0].age = 2
        expectEqual(calls, 1)
    }

    @Test("on an actor") func actor() async {
        let store = Store()
        store.follow(workers)
        workers[0].age = 7
        workers[1].age = 8
        while await store.ages.count < 2 { await Task.yield() }
        await expectEqual(store.ages, [7, 8])
    }
}
