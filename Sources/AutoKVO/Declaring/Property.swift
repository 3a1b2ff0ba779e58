/// One property of one object, as `$name` gives it: what the compiler checks where a string would be looked up.
///
/// It keeps the object alive. It is made for an expression and thrown away; it costs no allocation.
public struct Property<Value> {
    let object: TrackedObject
    /// The property's storage in the object.
    private let place: UnsafeMutableRawPointer
    private let readPlace: (UnsafeMutableRawPointer) -> Value
    let slot: Int

    init<Storage>(
        _ object: TrackedObject, place: UnsafeMutablePointer<Storage>, read: @escaping (UnsafeMutableRawPointer) -> Value
    ) {
        self.object = object
        self.place = UnsafeMutableRawPointer(place)
        readPlace = read
        let schema: ClassSchema
        do throws(KeyValueError) {
            schema = try ClassSchema.of(type(of: object))
        } catch {
            preconditionFailure("\(error)")
        }
        let offset = self.place - UnsafeMutableRawPointer(Unmanaged.passUnretained(object).toOpaque())
        slot = schema.slot(atOffset: offset)
        precondition(
            slot >= 0,
            "A property of \(schema.className) is observed through its $ handle but has no Key of its name in the class's schema.")
    }

    /// The key of the property.
    public var key: String { resolved.name }

    /// The value now.
    public var value: Value { readPlace(place) }

    var resolved: ResolvedKey { record.schema!.keys[slot] }

    var record: ObjectRecord {
        // Made for a live object, so it is there unless the object is in its deinit.
        if let record = try? object.makeRecord() { return record }
        preconditionFailure("A property handle of \(type(of: object)) was used while the object was being deinitialized.")
    }

    /// Announces a change of the property around a closure that makes it.
    @discardableResult
    public func withMutation<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let (record, slot) = (record, slot)
        Delivery.begin(record, slot)
        defer { Delivery.end(record, slot) }
        return try body()
    }
}
