/// One property of one object, as `$name` gives it: what the compiler checks where a string would be looked up.
///
/// It keeps the object alive. It is made for an expression and thrown away; it is three words and costs no allocation.
///
/// Where the property is an array or a set, the handle reads like it, and edits it in a way that tells observers what
/// moved: see `append(_:)`, `insert(_:)` and their neighbours. Like the property itself, a handle is used by one thread
/// at a time, and edits of one property by several threads are the caller's to serialise. Whoever can read the property
/// can write it through its handle, from any module: `private(set)` keeps nobody from `object.$age.value = 1`.
public struct Property<Value> {
    /// The object whose property this is.
    public let object: TrackedObject
    /// The property's storage in the object. It begins with the value, unless `indirect` says otherwise.
    @usableFromInline let place: UnsafeMutableRawPointer
    /// How a property is read and written whose storage does not hold the value itself.
    @usableFromInline let indirect: IndirectStorage<Value>.Type?

    /// The handle of the property whose storage is at a place in an object.
    @inlinable
    init(_ object: TrackedObject, place: UnsafeMutableRawPointer, indirect: IndirectStorage<Value>.Type? = nil) {
        self.object = object
        self.place = place
        self.indirect = indirect
    }

    /// The key of the property.
    ///
    /// The class's schema has to declare it; anything else is a mistake in code and traps.
    public var key: String { resolved.name }

    var resolved: ResolvedKey { schema().keys[slot] }

    /// The index of the property's key in the schema of the object's class.
    var slot: Int { slot(nil) }

    /// The same for a call that knows where it stands.
    func slot(_ site: CallSite?) -> Int {
        let schema = schema(site)
        let offset = place - UnsafeMutableRawPointer(Borrowed.to(object).address)
        let slot = schema.slot(atOffset: offset)
        demand(slot >= 0, schema.complaint(aboutPropertyAt: offset) + (site.map { " At \($0.description)." } ?? ""))
        return slot
    }

    private func schema(_ site: CallSite? = nil) -> ClassSchema {
        if let schema = object.record?.schema { return schema }
        do throws(KeyValueError) { return try ClassSchema.of(type(of: object)) } catch {
            misuse("\(error)" + (site.map { ", at \($0.description)" } ?? ""))
        }
    }

    var record: ObjectRecord {
        // Made for a live object, so it is there unless the object is in its deinit.
        if let record = try? object.makeRecord() { return record }
        misuse(
            "A property handle of \(type(of: object)) was used while the object was being deinitialized.")
    }

    /// Announces a change of the property around a closure that makes it, also if the closure throws.
    ///
    /// Whatever is done to the property inside is part of this one change, which is a `.setting`.
    @discardableResult
    public func withMutation<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let (record, slot) = (record, slot)
        Transaction.begin(record, slot)
        defer { Transaction.end(record, slot) }
        return try body()
    }
}

/// Reads and writes a property whose storage is more than its value. A class, so that it is one word to a `Property`.
@usableFromInline
class IndirectStorage<Value> {
    @usableFromInline class func read(_ place: UnsafeMutableRawPointer) -> Value { preconditionFailure() }
    /// Writes the property, and tells its observers.
    @usableFromInline class func write(_ value: Value, _ object: TrackedObject, _ place: UnsafeMutableRawPointer) {}
}
