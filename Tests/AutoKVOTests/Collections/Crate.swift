import AutoKVO
import AutoKVOTestSupport

/// Collections of every kind that a key can have.
class Crate: TrackedObject {
    @Observed var items: [Int] = []
    @Observed var tags: Set<String> = []
    @Observed var people: [Person] = []
    @Observed var maybe: [String]?
    @Observed var maybeTags: Set<Int>?
    @Observed var holes: [Int?] = []
    @Observed var dense: ContiguousArray<Int> = []
    @Observed var silent: [Int] = []
    @Observed var silentTags: Set<String> = []
    @Observed var number = 0
    @Observed var still = 0
    @Observed var inner: Crate?
    @Observed var table: [String: Int] = [:]
    /// Stored, and not `@Observed`.
    var plain: [Int] = []
    /// Computed and settable, and not `@Observed`.
    var hidden: [Int] = []
    var computed: [Int] {
        get { hidden }
        set { hidden = newValue }
    }
    var hiddenTags: Set<Int> = []
    var computedTags: Set<Int> {
        get { hiddenTags }
        set { hiddenTags = newValue }
    }
    /// Computed over an `@Observed` property, from which it is derived.
    var view: [Int] {
        get { items }
        set { items = newValue }
    }
    /// Its setter leaves out what is over 100.
    var picky: [Int] {
        get { hidden }
        set { hidden = newValue.filter { $0 <= 100 } }
    }
    var readOnly: [Int] { items }
    var readOnlyTags: Set<String> { tags }

    override class var schema: Schema {
        Schema(Crate.self, extending: super.schema) {
            Key("items", \.items)
            Key("tags", \.tags)
            Key("people", \.people)
            Key("maybe", \.maybe)
            Key("maybeTags", \.maybeTags)
            Key("holes", \.holes)
            Key("dense", \.dense)
            Key("silent", \.silent, notifiesAutomatically: false)
            Key("silentTags", \.silentTags, notifiesAutomatically: false)
            Key("number", \.number)
            Key("inner", \.inner)
            Key("table", \.table)
            // Affected by a key that is left alone, so that only proxies and writes by name announce them.
            Key("still", \.still)
            Key("plain", \.plain, affectedBy: "still")
            Key("computed", \.computed, affectedBy: "still")
            Key("computedTags", \.computedTags, affectedBy: "still")
            Key("view", \.view, affectedBy: "items")
            Key("picky", \.picky, affectedBy: "still")
            Key("readOnly", \.readOnly, affectedBy: "items")
            Key("readOnlyTags", \.readOnlyTags, affectedBy: "tags")
        }
    }
}

extension Recorder {
    /// Kind, indexes, old and new of each entry, as one line; `…` where the change did not carry the value.
    var lines: [String] {
        entries.map { entry in
            func text(_ value: Value?) -> String {
                guard let value else { return "…" }
                if let set = value as? Set<String> { return "\(set.sorted())" }
                if let set = value as? Set<Int> { return "\(set.sorted())" }
                return "\(value)"
            }
            let indexes = entry.indexes.map {
                " " + $0.ranges.map { "\($0.lowerBound)..<\($0.upperBound)" }.joined(separator: ",")
            }
            return
                "\(entry.isPrior ? "prior " : "")\(entry.kind)\(indexes ?? "") \(text(entry.old)) > \(text(entry.new))"
        }
    }
}

func indexes(_ ranges: Range<Int>...) -> RangeSet<Int> { RangeSet(ranges) }
