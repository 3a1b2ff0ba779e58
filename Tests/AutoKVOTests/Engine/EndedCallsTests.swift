import AutoKVO
import AutoKVOTestSupport
import Testing

/// Several calls for one change, the first of which ends them.
struct EndedCallsTests {
    private final class Box: TrackedObject {
        @Observed var v = 0
        @Derived({ (box: Box) in box.v * 2 }) var double: Int
        @Observed var kids: [Box] = []
        @Observed var tags: Set<Int> = []
    }

    @Test("elements") func elements() {
        let box = Box()
        var (calls, observation) = (0, nil as KeyValueObservation?)
        observation = box.$kids.observeElements(added: { _ in
            calls += 1
            observation?.remove()
        })
        box.kids = [Box(), Box(), Box()]
        expectEqual(calls, 1)
        observation = box.$tags.observeElements(added: { [unowned box] _ in
            calls += 1
            // What is left is called before this is stored.
            if box.tags.count > 1 { box.tags = [] }
            observation?.remove()
        })
        box.tags = [1, 2, 3]
        #expect(calls == 4 && box.tags == [])
    }

    @Test("the call at the registration, by the getter whose value is for it", arguments: ["v", "v|last"])
    func atRegistration(path: String) throws {
        final class Ending: TrackedObject {
            @Observed var last = 1
            var v: Int {
                removeAllObservers()
                return last
            }
            override class var schema: Schema {
                Schema(Ending.self, extending: super.schema) { Key("v", \.v, affectedBy: "last") }
            }
        }
        let ending = Ending()
        var calls = 0
        let observation = try ending.observe(path, options: [.initial, .new]) { _ in calls += 1 }
        #expect(calls == 0 && !observation.isValid)
        ending.last = 2
        expectEqual(calls, 0)
    }

    @Test("the call with the value, by the getter that computes it", arguments: [false, true]) func onValue(
        isForObserver: Bool
    ) {
        final class Ending: Model {
            @Observed var last = 1
            var isEnding = false
            var v: Int {
                if isEnding { removeAllObservers() }
                return last
            }
            override class var schema: Schema {
                Schema(Ending.self, extending: super.schema) { Key("v", \.v, affectedBy: "last") }
            }
        }
        let (ending, log) = (Ending(), MessageLog())
        let path = try! ending.path("v", as: Int.self)
        if isForObserver {
            path.onValue(for: ending) { _, value in log.add("\(value!)") }
        } else {
            path.onValue { log.add("\($0!)") }
        }
        ending.isEnding = true
        ending.last = 2
        expectEqual(log.messages, ["1"])
    }

    @Test("one element whose comparison removes the observation") func oneElement() {
        final class Comparison { var body = {} }
        struct Tag: Hashable {
            let number: Int
            let comparison = Comparison()
            static func == (left: Tag, right: Tag) -> Bool { left.number == right.number }
            func hash(into hasher: inout Hasher) {
                comparison.body()
                hasher.combine(number)
            }
        }
        final class Tagged: Model { @Observed var tags = [Tag(number: 1), Tag(number: 2)] }
        let tagged = Tagged()
        var calls = 0
        let observation = tagged.$tags.observeElements(added: { _ in calls += 1 })
        tagged.tags[0].comparison.body = { observation.remove() }
        tagged.tags = tagged.tags + [Tag(number: 3)]
        #expect(calls == 0 && !observation.isValid)
    }

    @Test("elements, and handlers of one path, that are removed of one target among others") func oneOfSeveral() throws
    {
        let (boxes, observer) = ([Box(), Box()], Box())
        var calls = 0
        boxes.map(\.$tags).observeElements(
            for: observer,
            added: { [unowned box = boxes[0]] observer, _ in
                calls += 1
                box.removeObserver(observer)
            })
        for box in boxes { box.tags = [1, 2, 3] }
        expectEqual(calls, 1 + 3)
        var (told, observation) = ("", nil as KeyValueObservation?)
        observation = try boxes[0].observe([
            "v": { _ in
                told += "a"
                observation?.remove(keyPath: "v")
            }, "v": { _ in told += "b" }, "tags": { _ in told += "c" },
        ])
        boxes[0].v = 1
        boxes[0].tags = []
        expectEqual(told, "ac")
    }

    @Test("elements, of which an observation that is made once gets all") func once() {
        let box = Box()
        var calls = 0
        box.$kids.observeElements(options: .once, added: { _ in calls += 1 })
        box.kids = [Box(), Box()]
        box.kids = []
        box.kids = [Box()]
        expectEqual(calls, 2)
    }

    @Test("several handlers of one observation") func handlers() throws {
        let box = Box()
        var (calls, observation) = ([Int](), nil as KeyValueObservation?)
        observation = try box.observe([
            "v": { _ in
                calls.append(1)
                observation?.remove()
            }, "v": { _ in calls.append(2) },
        ])
        box.v = 1
        expectEqual(calls, [1])
    }

    @Test("a trace") func traces() {
        let box = Box()
        box.$double.observe { _ in }
        var (told, trace) = ([String](), nil as ScopedObservation?)
        trace = Diagnostics.trace(box) { change in
            told.append(change.key)
            trace?.remove()
        }
        box.v = 1
        expectEqual(told, ["v"])
        var second: ScopedObservation?
        told = []
        trace = Diagnostics.trace(box) { _ in second?.remove() }
        second = Diagnostics.trace(box) { told.append($0.key) }
        box.v = 2
        box.v = 3
        expectEqual(told, ["v"])
        trace?.remove()
    }
}
