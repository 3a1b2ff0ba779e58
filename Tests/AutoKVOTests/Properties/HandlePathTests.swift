import AutoKVO
import AutoKVOTestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// Handles that go on through objects.
struct HandlePathTests {
    let resident = Resident()
    let tracker = LifetimeTracker()

    @Test("the whole name is there at once, also behind objects that are nil", .needs(.blankObject)) func names() {
        expectEqual(resident.$home.$street.keyPath, "home.street")
        expectEqual(resident.$office.$street.keyPath, "office.street")
        expectEqual(resident.$maybe.$street.keyPath, "maybe.street")
        expectEqual(resident.$boss.$home.$rooms.keyPath, "boss.home.rooms")
        expectEqual(resident.$partner.$home.$owner.$name.keyPath, "partner.home.owner.name")
        expectEqual(resident.$name.keyPath, "name")
        #expect(resident.$boss.$boss.object === resident)
        // Of another module, with an inherited property.
        let employee = Employee()
        expectEqual(employee.$department.$manager.$address.$city.keyPath, "department.manager.address.city")
        expectEqual(Department().$manager.$firstName.keyPath, "manager.firstName")
    }

    @Test("an object that is there is enough for a name") func namesOfLiveObjects() {
        resident.home = Villa()
        expectEqual(resident.$home.$street.keyPath, "home.street")
        expectEqual(resident.$office.$rooms.keyPath, "office.rooms")
    }

    @Test("a path reads the value that it leads to, or nil") func value() {
        expectEqual(resident.$office.$street.value, "Office")
        resident.home = House("Graben")
        expectEqual(resident.$home.$street.value, "Graben")
        expectEqual(resident.$home.$number.value, .some(nil))
        resident.home!.number = 4
        expectEqual(resident.$home.$number.value, 4)
    }

    @Test("behind a nil object there is no value", .needs(.blankObject)) func nilValue() {
        #expect(resident.$home.$street.value == nil)
        #expect(resident.$boss.$boss.$name.value == nil)
    }

    @Test("an optional property that is nil and an object that is nil are different values", .needs(.blankObject))
    func nilProperty() async {
        final class Shelf: Model {
            @Observed var any: Any?
            @Observed var shelf: Shelf?
            @ObservedWeak var weak: Shelf?
            @Observed var layers: Int?? = .some(nil)
        }
        /// How many optionals there are around the innermost nil, or value.
        func layers<Value>(_ value: Value??) -> Int { value.map { $0 == nil ? 1 : 2 } ?? 0 }
        let shelf = Shelf()
        expectEqual([layers(shelf.$shelf.$any.value), layers(shelf.$weak.$weak.value)], [0, 0])
        #expect(layers(shelf.$shelf.$shelf.value) == 0 && shelf.$shelf.$layers.value == nil)
        let inner = Shelf()
        (shelf.shelf, shelf.weak) = (inner, inner)
        expectEqual([layers(shelf.$shelf.$any.value), layers(shelf.$weak.$weak.value)], [1, 1])
        expectEqual(layers(shelf.$shelf.$shelf.value), 1)
        expectEqual(shelf.$shelf.$layers.value, .some(.some(nil)))
        inner.layers = .none
        expectEqual(shelf.$shelf.$layers.value, .some(.none))
        // The same for what follows the path.
        let (number, other) = (Shelf(), Resident())
        var log: [Int??] = []
        other.$home.$number.onValue { log.append($0) }
        let stream = other.$home.$number.values
        number.$layers.bind(to: other.$home.$number)
        expectEqual(number.layers, .none)
        other.home = House()
        expectEqual(number.layers, .some(nil))
        other.home!.number = 4
        expectEqual(number.layers, 4)
        other.home = nil
        expectEqual(number.layers, .none)
        expectEqual(log, [.none, .some(nil), 4, .none])
        other.removeAllObservers()
        var values: [Int??] = []
        for await value in stream { values.append(value) }
        expectEqual(values, [.some(nil), 4, .none])
    }

    @Test("it is the same observation as the string path's", .needs(.blankObject)) func sameAsString() throws {
        let (typed, named) = (Recorder<String>(), Recorder<Any>())
        let observation = resident.$home.$street.observe(options: [.old, .new], typed.handler())
        try resident.observe("home.street", options: [.old, .new], named.handler())
        resident.home = House("A")
        resident.home!.street = "B"
        resident.home = Villa("C")
        resident.home = nil
        expectEqual(typed.paths, Array(repeating: "home.street", count: 4))
        expectEqual(typed.entries.map(\.old), [nil, "A", "B", "C"])
        expectEqual(typed.entries.map(\.new), ["A", "B", "C", nil])
        expectEqual(named.news(String.self), ["A", "B", "C", nil])
        expectEqual(observation.keyPaths, ["home.street"])
        expectEqual(resident.removeAllObservers(forKeyPath: "home.street"), 2)
    }

    @Test("weak and read-only heads are passed through, and their deaths are changes", .needs(.blankObject))
    func weakHeads() {
        var log: [String?] = []
        resident.$boss.$partner.$home.$street.onValue { log.append($0) }
        do {
            let (boss, partner) = (tracker.track(Resident()), tracker.track(Resident()))
            resident.boss = boss
            partner.home = House("P")
            boss.marry(partner)
            partner.home!.street = "Q"
        }
        expectEqual(log, [nil, nil, "P", "Q", nil])
        tracker.expectNoLeaks()
        resident.removeAllObservers()
    }

    @Test("a path with an observer, as a token, elsewhere, and by key path") func forms() async {
        resident.home = House("A")
        let panel = PlainObserver()
        resident.$home.$street.addObserver(panel, options: [.new]) { panel, change in
            panel.log.append("1 \(change.newValue!)")
        }
        var log: [String] = []
        let token = resident.$home.$street.onChange(options: [.new]) { log.append("2 \($0.newValue!)") }
        resident.observe(\.$home.$street, options: [.new]) { resident, change in
            log.append("3 \(change.newValue!) \(resident.name)")
        }
        let sent = Shared<[String]>([])
        resident.$home.$street.observe(options: [.new], on: InlineScheduler()) { sent.value.append($0.newValue!) }
        resident.home!.street = "B"
        expectEqual(panel.log, ["1 B"])
        expectEqual(log, ["2 B", "3 B Ann"])
        expectEqual(sent.value, ["B"])
        withExtendedLifetime(token) {}
    }

    @Test("by its key path it is the same path, also when an object on the way is gone") func byKeyPath() {
        resident.home = House("A")
        var log: [String] = []
        resident.observe(\.$home.$street, options: .new) { log.append("\($1.keyPath) \($1.newValue ?? "nil")") }
        resident.home!.street = "B"
        resident.home = nil
        expectEqual(log, ["home.street B", "home.street nil"])
    }

    @Test("neither the object at the beginning nor one on the way is kept") func keepsNothing() {
        var root: Resident? = tracker.track(Resident())
        root!.home = tracker.track(House("A"))
        let observation = root!.$home.$street.observe { _ in Issue.record("called") }
        root!.$home.$street.onValue { _ in }
        root = nil
        #expect(!observation.isValid)
        tracker.expectNoLeaks()
    }

    @Test("a property of an object that is never initialised is found, whatever it holds", .needs(.blankObject))
    func anyClass() {
        final class Wide: Model {
            @Observed var any: Any = 1
            @Observed var text = "t"
            @Observed var pair: (Int, String) = (1, "")
            @ObservedReadOnly var last: any Equatable = 2
        }
        final class Owner<Held: TrackedObject>: Model {
            @Observed var held: Held?
        }
        let owner = Owner<Owner<Wide>>()
        expectEqual(owner.$held.$held.$any.keyPath, "held.held.any")
        expectEqual(owner.$held.$held.$text.keyPath, "held.held.text")
        expectEqual(owner.$held.$held.$pair.keyPath, "held.held.pair")
        expectEqual(owner.$held.$held.$last.keyPath, "held.held.last")
    }

    @Test("a computed property that returns the handle of another object is no component", .needs(.blankObject))
    func computedTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let resident = Resident()
            _ = resident.$boss.neighbourName
        }
        expectEqual(missing("is not the $ of a property of Resident", in: result), [])
    }

    @Test(
        "a hidden key is no component, since a path goes by names, and is observed by its own handle",
        .needs(.blankObject))
    func hiddenTraps() async {
        final class Safe: Model {
            @Observed var code = House()
            @Observed var inner: Safe?
            override class var schema: Schema {
                Schema(Safe.self, extending: super.schema) { Hidden("code") }
            }
        }
        var count = 0
        Safe().$code.onValue { _ in count += 1 }
        expectEqual(count, 1)
        let last = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Safe().$inner.$code
        }
        expectEqual(missing("Safe.$code", "\"code\" is hidden", in: last), [])
        let first = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Safe().$code.$street
        }
        expectEqual(missing("Safe.$code", "\"code\" is hidden", in: first), [])
    }

    #if DEBUG
        @Test("where no blank object can be made, a nil object is a sentence that says what to write")
        func noBlankObjectTraps() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                setenv("AUTOKVO_FAIL_PROBES", "blankObject", 1)
                let resident = Resident()
                expectEqual(resident.$office.$street.keyPath, "office.street")
                _ = resident.$home.$street
            }
            expectEqual(missing("write the path as a string", RuntimeAssumption.blankObject.sentence, in: result), [])
        }
    #endif
}
