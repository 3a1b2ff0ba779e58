import AutoKVO
import AutoKVOTestSupport
import Testing

/// As code in Foundation's wording is written: class functions instead of arguments of `Key`.
private class Ported: Model {
    @Observed var first = "Ann"
    @Observed var last = "Lee"
    @Observed var silent = 0
    var full: String { "\(first) \(last)" }
    var stored = 0

    override class var schema: Schema {
        Schema(Ported.self, extending: super.schema) {
            Key("full", \.full)
            Key("stored", \.stored)
        }
    }
    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "full" ? ["first", "last"] : super.keyPathsForValuesAffectingValue(forKey: key)
    }
    override class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
        ["silent", "stored"].contains(key) ? false : super.automaticallyNotifiesObservers(forKey: key)
    }
}
private final class PortedSub: Ported {
    @Observed var title = "Dr"
    override var full: String { "\(title) \(super.full)" }
    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        let inherited = super.keyPathsForValuesAffectingValue(forKey: key)
        return key == "full" ? inherited.union(["title"]) : inherited
    }
}
private final class Misspelt: Model {
    @Observed var name = ""
    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "name" ? ["nme"] : []
    }
}

/// Not tracked, and no subclass of anything.
private final class Watcher: ClassicObserver {
    var seen: [String] = []
    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [KeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        seen.append(
            "\(keyPath!) \(change![.newKey] ?? "-") \(object is Ported) \(context.map(Int.init(bitPattern:)) ?? 0)")
    }
}

/// Classes ported from Foundation.
struct PortedClassTests {
    @Test("keyPathsForValuesAffectingValue(forKey:) is affectedBy:, overridden and extended like any class function")
    func derived() throws {
        let object = PortedSub()
        var seen: [String] = []
        try object.observe("full", options: [.old, .new]) { seen.append("\($0.oldValue!), \($0.newValue!)") }
        object.first = "Bob"
        object.title = "Prof"
        expectEqual(seen, ["Dr Ann Lee, Dr Bob Lee", "Dr Bob Lee, Prof Bob Lee"])
        expectEqual(Ported.keyDescriptions.first { $0.name == "full" }?.affectedBy, ["first", "last"])
    }

    @Test("automaticallyNotifiesObservers(forKey:) is notifiesAutomatically:") func silent() throws {
        let object = Ported()
        var seen: [String] = []
        try object.observe(["silent", "stored"], options: .new) { seen.append("\($0.keyPath) \($0.newValue!)") }
        object.silent = 1
        object.stored = 1
        expectEqual(seen, [])
        object.willChangeValue(forKey: "silent")
        object.silent = 2
        object.didChangeValue(forKey: "silent")
        object.withMutation(of: "stored") { object.stored = 2 }
        expectEqual(seen, ["silent 2", "stored 2"])
    }

    @Test("what the functions return is checked like a schema") func checked() {
        #expect(
            "\(faultOfMisspelt())".contains(
                "at key \"name\": it is affected by \"nme\", which is unknown, did you mean \"name\"?"))
    }

    private func faultOfMisspelt() -> String {
        do { try Misspelt.validateSchema() } catch { return "\(error)" }
        return ""
    }

    @Test("any class that has the callback is an observer in Foundation's wording, and its observation ends with it")
    func classic() throws {
        let object = Ported()
        var context = 0
        try withUnsafeMutablePointer(to: &context) { context in
            var watcher: Watcher? = Watcher()
            let observation = try object.addObserver(
                watcher!, forKeyPath: "first", options: .new, context: context)
            object.first = "Cy"
            expectEqual(watcher!.seen, ["first Cy true \(Int(bitPattern: context))"])
            expectEqual(object.removeObserver(watcher!, forKeyPath: "first", context: nil), 0)
            watcher = nil
            object.first = "Di"
            #expect(!observation.isValid)
        }
    }
}
