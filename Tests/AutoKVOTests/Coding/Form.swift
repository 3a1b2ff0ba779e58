import AutoKVO
import AutoKVOTestSupport

/// Properties of every kind that coding has to tell apart.
final class Form: TrackedObject {
    enum Mood: String { case calm, cross }
    enum Level: UInt8 {
        case low = 1
        case high = 200
    }

    @Observed var mood = Mood.calm
    @Observed var maybeMood: Mood?
    @Observed var level = Level.low
    @Observed var int8: Int8 = 0
    @Observed var int64: Int64 = 0
    @Observed var uint16: UInt16 = 0
    @Observed var uint64: UInt64 = 0
    @Observed var float: Float = 0
    @Observed var double = 0.0
    @Observed var maybeInt: Int?
    @Observed var flag = false
    @Observed var text = ""
    @Observed var capped = 0
    @Observed var any: Any = 0
    @Observed var object: AnyObject?
    @Observed var tags: Set<String> = []
    @Observed var straße = ""
    @ObservedWeak var owner: Person?
    @Observed var silent = 0
    /// Not `@Observed`.
    var plain = 0
    var plainReference: Person?
    /// Computed over two observed properties, with a setter.
    var pair: String {
        get { "\(text)|\(int64)" }
        set {
            let parts = newValue.split(separator: "|")
            text = String(parts[0])
            int64 = Int64(parts[1])!
        }
    }
    /// Alters what it is given.
    var clamped: Int {
        get { capped }
        set { capped = min(newValue, 10) }
    }
    let constant = 7
    var computed: Int { 3 }

    override class var schema: Schema {
        Schema(Form.self, extending: super.schema) {
            Key("mood", \.mood)
            Key("maybeMood", \.maybeMood)
            Key("level", \.level)
            Key("int8", \.int8)
            Key("int64", \.int64)
            Key("uint16", \.uint16)
            Key("uint64", \.uint64)
            Key("float", \.float)
            Key("double", \.double)
            Key("maybeInt", \.maybeInt)
            Key("flag", \.flag)
            Key("text", \.text)
            Key("capped", \.capped)
            Key("any", \.any)
            Key("object", \.object)
            Key("tags", \.tags)
            Key("straße", \.straße)
            Key("owner", \.owner)
            Key("silent", \.silent, notifiesAutomatically: false)
            // Affected by a key that is left alone, so that only a write by name announces it.
            Key("plain", \.plain, affectedBy: "silent")
            Key("plainReference", \.plainReference, notifiesAutomatically: false)
            Key("pair", \.pair, affectedBy: "text", "int64")
            Key("clamped", \.clamped, affectedBy: "capped")
            Key("constant", \.constant, notifiesAutomatically: false)
            Key("computed", \.computed, notifiesAutomatically: false)
        }
    }
}

/// What a throwing call throws, as its reason.
func reason(_ body: () throws -> Void) -> KeyValueError.Reason? {
    do {
        try body()
        return nil
    } catch { return (error as? KeyValueError)?.reason }
}
