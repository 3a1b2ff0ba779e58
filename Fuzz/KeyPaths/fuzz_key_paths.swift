import AutoKVO

/// A class with a key of each kind. Nothing but its keys can be reached, whatever the bytes say.
final class Thing: TrackedObject {
    @Observed var n = 0
    @Observed var text = "text"
    @Observed var perhaps: Double?
    @Observed var next: Thing?
    @Observed var items: [Thing] = []
    @Observed var rows: [[Thing]] = []
    @Observed var anyRows: [Any] = []
    @Observed var numbers: [Int] = [3, 1, 2]
    @Observed var names: Set<String> = ["a"]
    @ObservedWeak var up: Thing?
    @Observed var anything: AnyObject?
    let fixed = 1
    var derived: Int { n + (next?.n ?? 0) }

    override class var schema: Schema {
        Schema(Thing.self, extending: super.schema) {
            Key("n", \.n)
            Key("text", \.text)
            Key("perhaps", \.perhaps)
            Key("next", \.next)
            Key("items", \.items)
            Key("rows", \.rows)
            Key("anyRows", \.anyRows)
            Key("numbers", \.numbers)
            Key("names", \.names)
            Key("up", \.up)
            Key("anything", \.anything)
            Key("fixed", \.fixed, notifiesAutomatically: false)
            Key("derived", \.derived, affectedBy: "n", "next.n")
        }
    }
}

/// Half of the inputs spell paths out of words that mean something, the others are taken as they are.
func path(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    guard let first = bytes.first, first & 1 == 0 else { return String(decoding: bytes, as: UTF8.self) }
    let words = [
        "n", "text", "perhaps", "next", "items", "numbers", "names", "up", "anything", "fixed", "derived", "@count",
        "@sum",
        "@avg", "@min", "@max", "@unionOfObjects", "@distinctUnionOfObjects", "@unionOfArrays",
        "@distinctUnionOfArrays",
        "@distinctUnionOfSets", "self", "", "@", "é", "nope", "rows", "anyRows",
    ]
    return bytes.dropFirst().map { words[Int($0) % words.count] }.joined(separator: ".")
}

/// What does not fit only at run time is reported and not thrown; here nobody reads it.
private let isQuiet: Void = { Diagnostics.handler = { _ in } }()

/// Reads, writes and observes by a path: each must come back with a value or a `KeyValueError`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzKeyPaths(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    isQuiet
    let path = path(UnsafeBufferPointer(start: bytes, count: count))
    let thing = Thing()
    let other = Thing()
    thing.next = other
    thing.items = [other, other]
    thing.rows = [[other], [], [other, other]]
    thing.anyRows = [[other], 1, [[other] as [Any]] as [Any]]
    thing.up = other
    thing.anything = other
    other.items = [Thing()]
    let values: [Any] = [1, "x", 2.5, [1], Set(["b"]), Any?.none as Any]
    var isReadable = true
    do { _ = try thing.value(forKeyPath: path) } catch { isReadable = false }
    for value in values {
        do {
            try thing.setValue(value, forKeyPath: path)
            precondition(isReadable, "\(path) could be set and not read")
        } catch {}
    }
    _ = try? thing.value(forKey: path)
    var calls = 0
    if let observation = try? thing.observe(path, options: [.initial, .old, .new], { _ in calls += 1 }) {
        precondition(calls >= 1, "the initial call of \(path) is missing")
        other.n += 1
        thing.next = nil
        thing.items = []
        thing.rows = [[other]]
        thing.anyRows = []
        thing.text += "."
        observation.remove()
        let last = calls
        other.n += 1
        thing.n += 1
        precondition(calls == last, "\(path) was called after its end")
    }
    precondition(thing.observations().isEmpty)
    return 0
}
