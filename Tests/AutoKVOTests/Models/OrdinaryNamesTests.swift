import AutoKVO
import AutoKVOTestSupport
import Testing

/// A model may want any ordinary name for itself: as a property, a type's property, a method or a type in it.
private final class Ordinary: TrackedObject {
    @Observed var keys = ["a"]
    @Observed var key = "k"
    @Observed var observe = 1
    @Observed var observer: Ordinary?
    @Observed var observers: [Ordinary] = []
    @Observed var observable = true
    @Observed var observed = true
    @Observed var isObserved = 1.5
    @Observed var observation = 1
    @Observed var observations = [1]
    @Observed var schema = "s"
    @Observed var bind = 1
    @Observed var binding = 1
    @Observed var unbind = 1
    @Observed var depend = 1
    @Observed var value = 1
    @Observed var values = [1]
    @Observed var change = 1
    @Observed var changes = [1]
    @Observed var path = "p"
    @Observed var keyPath = "p"
    @Observed var name = "n"
    @Observed var record = 1
    @Observed var state = 1
    @Observed var stateWord = 1
    @Observed var target: Ordinary?
    @Observed var object: Ordinary?
    @Observed var scope = 1
    @Observed var slot = 1
    @Observed var write = 1
    @Observed var edit = 1
    @Observed var editable = 1
    @Observed var validate = 1
    @Observed var kind = 1
    @Observed var lock = 1
    @Observed var old = 1
    @Observed var new = 1
    @Observed var owner = 1
    @Observed var context = 1
    @Observed var handler = 1
    @Observed var options = 1
    @Observed var userInfo = 1
    @Observed var onChange = 1
    @Observed var onDeinit = 1
    @Observed var isDeinitializing = false
    @Observed var stopObserving = 1
    @Observed var valueType = 1
    @Observed var transaction = 1
    @Observed var announcing = 1
    @Observed var getter = 1
    @Observed var validationErrors = ["a"]
    @Observed var errors = ["a"]
    @Observed var didRead = false
    @Observed var tracking = 1
    @Observed var derived = 1
    @Observed var dependencies = [1]
    @Observed var update = 1
    @Observed var removeObserver = 1
    @Observed var removeAllObservers = 1
    @Observed var withMutation = 1
    @Observed var mutation = 1
    @Observed var undo = 1
    @Observed var history = [1]
    @Observed var isValid = true
    @Observed var targets = [1]
    @Observed var initial = 1
    @Observed var prior = 1
    @Observed var scheduler = 1

    static let keys = 88
    static let key = "k"
    static let observe = 1
    static let observations = 1
    static let values = [1]
    static let value = 1
    static let record = 1
    static let name = "n"
    static let properties = [1]
    static let changes = 1
    static let bind = 1
    static let validate = 1
    static let valueType = 1
    static let `default` = 1
    static let all = [1]
}

/// The same as methods, of instances and of the class, and as types.
private final class OrdinaryMethods: TrackedObject {
    @Observed var age = 1
    struct Record {}
    enum State {}
    struct Observation {}
    struct Path {}
    func keys() -> [String] { [] }
    func observe() {}
    func observations(of name: String) -> [Int] { [] }
    func bind() {}
    func unbind() {}
    func depend() {}
    func value() -> Int { 1 }
    func values() -> [Int] { [] }
    func changes() -> [Int] { [] }
    func change() {}
    func record() {}
    func state() -> Int { 1 }
    func write(_ text: String) {}
    func edit() {}
    func validate() -> Bool { true }
    func slot() -> Int { 1 }
    func announce() {}
    func removeObserver() {}
    func stop() {}
    func reset() {}
    func path(_ name: String) -> String { name }
    func didRead(_ page: Int) {}
    func didRead() {}
    func validationErrors() -> [String] { [] }
    func observable() -> Bool { true }
    func onDeinit() {}
    func onChange(_ action: () -> Void) { action() }
    func observeEach() {}
    func observeElements() {}
    func willChange() {}
    func didChange() {}
    func mutableArray() {}
    func value(at index: Int) -> Int { index }
    func values(of year: Int) -> [Int] { [year] }
    func changes(of year: Int) -> [Int] { [year] }
    func key(of name: String) -> String { name }
    func makeRecord() -> Record { Record() }
    func inTransaction(_ body: () -> Void) { body() }
    static func keys() -> Int { 88 }
    static func values() -> Int { 1 }
    static func observe() {}
    static func validate() -> Bool { true }
    static func record() {}
    static func of(_ age: Int) -> OrdinaryMethods { OrdinaryMethods() }
}

/// An observer that is no tracked object.
private final class OrdinaryObserver: KeyValueObserver {
    var observe = 1
    var depend = 1
    var stopObserving = 1
    var observer = 1
    var keys = 1
    var log: [String] = []
    static let observe = 1
}

/// Ordinary names in a model.
struct OrdinaryNamesTests {
    @Test("the library takes none of them, and each is a key") func names() throws {
        let object = Ordinary()
        let names = Ordinary.keyDescriptions.map(\.name)
        #expect(names.count == 68 && names.first == "keys" && Ordinary.keys == 88)
        try Ordinary.validateSchema()
        for name in names { _ = try object.value(forKey: name) }

        var seen: [String] = []
        try object.observe("keys|observe|record") { seen.append($0.keyPath) }
        object.$observe.observe { seen.append("$" + $0.keyPath) }
        object.observe(\.$state) { seen.append("\\" + $1.keyPath) }
        let panel = OrdinaryObserver()
        try panel.observe("observations", of: object) { panel, change in panel.log.append(change.keyPath) }
        (object.keys, object.observe, object.record, object.state, object.observations) = (["b"], 2, 3, 4, [5])
        #expect(seen == ["keys", "observe", "$observe", "record", "\\state"] && panel.log == ["observations"])
        expectEqual(panel.stopObserving(of: object), 1)
        expectEqual(object.removeAllObservers(), 3)
    }

    @Test("nor as methods and types") func methods() {
        let methods = OrdinaryMethods()
        var count = 0
        methods.$age.observe { _ in count += 1 }
        methods.age = 2
        methods.observe()
        #expect(count == 1 && OrdinaryMethods.keys() == 88 && methods.observations().count == 1)
        methods.removeAllObservers()
    }
}
