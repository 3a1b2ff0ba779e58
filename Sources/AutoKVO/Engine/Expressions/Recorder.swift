/// One evaluation of an expression: what it has read so far. On the stack of the thread that evaluates.
///
/// Each read is compared with what the last evaluation read, by its position. As long as it is the same key, nothing is to be done. From
/// the first other one on, sources are looked up by their key, and made where they are new. A source is in the list of its key
/// *before* the value is read, so a change that the read misses finds it. What is left over is taken out at the end.
struct Recorder {
    /// The route of the expression; nil if it is only of interest whether something is read.
    private let route: Borrowed<Route>?
    /// What the last evaluation read, and how much of it has been read again.
    private let former: [PathLink]
    private var position = 0
    /// What has been read, once that is not what was read before; and all sources by their keys.
    private var others: (read: [PathLink], known: [Source: PathLink])?
    private let isMoved: Bool
    /// What has been read, where there is no route.
    private var keys: Set<Source> = []

    private struct Source: Hashable {
        let record: Borrowed<ObjectRecord>
        let slot: Int
    }

    private init(_ route: Borrowed<Route>?, _ former: [PathLink], isMoved: Bool) {
        (self.route, self.former, self.isMoved) = (route, former, isMoved)
    }

    /// What an evaluation has found.
    struct Result {
        var value: Any
        /// What it has read, in order; one key may come several times.
        let sources: [PathLink]
        /// What only the evaluation before it had read.
        let dropped: [PathLink]
        let isSame: Bool
    }

    /// Evaluates a function, and records what it reads.
    static func record(
        _ route: Borrowed<Route>, _ former: [PathLink], isMoved: Bool, _ function: () -> Any
    ) -> Result {
        var recorder = Recorder(route, former, isMoved: isMoved)
        let value = Recording.into(&recorder, function)
        let (sources, dropped) = recorder.finish()
        return Result(
            value: value, sources: sources, dropped: dropped, isSame: recorder.others == nil && dropped.isEmpty)
    }

    /// What a function reads that is observed.
    static func keys(readBy function: () -> Void) -> [(record: Borrowed<ObjectRecord>, slot: Int)] {
        var recorder = Recorder(nil, [], isMoved: false)
        Recording.into(&recorder, function)
        return recorder.keys.map { ($0.record, $0.slot) }
    }

    mutating func note(_ record: Borrowed<ObjectRecord>, _ slot: Int) {
        guard let route else {
            keys.insert(Source(record: record, slot: slot))
            return
        }
        if others == nil {
            if position < former.count, former[position].isOf(record, slot) {
                position += 1
                return
            }
            if position > 0, former[position - 1].isOf(record, slot) { return }
            lookUp()
        } else if others!.read.last?.isOf(record, slot) ?? false {
            return
        }
        let source = Source(record: record, slot: slot)
        let link = others!.known[source] ?? makeLink(route, record, slot)
        others!.known[source] = link
        others!.read.append(link)
    }

    /// A read was not the one that was expected.
    private mutating func lookUp() {
        var known: [Source: PathLink] = [:]
        for link in former { known[Source(record: .to(link.record), slot: link.slot)] = link }
        others = (Array(former[..<position]), known)
    }

    private func makeLink(_ route: Borrowed<Route>, _ record: Borrowed<ObjectRecord>, _ slot: Int) -> PathLink {
        let link = PathLink(sourceOf: route, isMoved: isMoved, record: record.object, slot: slot)
        // The getter of a weak property, or of another derived key, may be called: what it reads is not read by this expression.
        Recording.suspended {
            _ = record.use { $0.link(link) }
            link.noteMove()
        }
        TestPoint.linked.reach()
        return link
    }

    private func finish() -> (sources: [PathLink], dropped: [PathLink]) {
        if others == nil, position == former.count { return (former, []) }
        let sources = others?.read ?? Array(former[..<position])
        let read = Set(sources.map { ObjectIdentifier($0) })
        var dropped = former.filter { !read.contains(ObjectIdentifier($0)) }
        if dropped.count > 1 {
            var seen: Set<ObjectIdentifier> = []
            dropped = dropped.filter { seen.insert(ObjectIdentifier($0)).inserted }
        }
        return (sources, dropped)
    }
}

extension TrackedObject {
    /// Notes, if this thread records, that the property whose storage is at an offset is about to be read.
    @usableFromInline @inline(never) @_effects(releasenone)
    final func noteRead(atOffset offset: Int) {
        guard let recorder = Recording.current(as: Recorder.self) else { return }
        guard let record = recordForReading(), let slot = slot(atOffset: offset) else { return }
        recorder.value.note(record, slot)
    }

    /// The same for a key.
    final func noteRead(of slot: Int) {
        guard let recorder = Recording.current(as: Recorder.self), let record = recordForReading() else { return }
        recorder.value.note(record, slot)
    }

    /// Finds out, when a key that depends on what it reads is first read or observed by name, that it reads something, and that it is
    /// not an `@Observed` property with another name than its own.
    final func checkReads(of slot: Int, _ schema: ClassSchema) throws(KeyValueError) {
        let key = schema.keys[slot]
        guard key.isRecorded, !key.isDerivedProperty, !key.readsSomething.load(ordering: .relaxed) else { return }
        var value: Any = ()
        let read = Recorder.keys { value = key.declared.read(self) }
        var isProperty = false
        if read.count == 1, read[0].record == unmanagedRecord, key.declared.write != nil {
            let other = schema.keys[read[0].slot]
            isProperty =
                other.storageType?.valueType == key.declared.valueType && other.observed!.stores(value, in: self)
        }
        if read.isEmpty || isProperty {
            throw .schemaFault(ClassSchema.problem(ofSilent: key, schema.keys), of: type(of: self), key: key.name)
        }
        key.readsSomething.store(true, ordering: .relaxed)
    }

    /// The value of a key. Where this thread records, the key is what is read, and not what its getter reads.
    @inline(__always)
    final func valueOfKey(_ slot: Int, of schema: ClassSchema) -> Any {
        if isRecording { noteRead(of: slot) }
        return Recording.suspended { schema.keys[slot].declared.read(self) }
    }

    /// Nil if the object's deinit has begun: it does not change any more.
    private final func recordForReading() -> Borrowed<ObjectRecord>? {
        do throws(KeyValueError) { return try makeUnmanagedRecord() } catch { fatalMisuse("\(error)") }
    }

    /// A property is about to be written. In the function of an expression that is reported, and done.
    @inline(__always)
    final func checkWrite(of slot: Int) { if isRecording { reportWrite(of: slot) } }

    @inline(never)
    private final func reportWrite(of slot: Int) {
        guard let schema = record?.schema else { return }
        Diagnostics.report(
            "\(schema.className).\(schema.keys[slot].name) was written while a derived value was computed: a function that computes "
                + "a value should only read")
    }

    /// Says, in the getter of a property that announces its changes by hand, that the property is read: an expression that reads it
    /// depends on the key.
    ///
    ///     var token: String {
    ///         didRead("token")
    ///         return storage.token
    ///     }
    ///
    /// A name that the class does not declare is reported to `Diagnostics`.
    ///
    /// - Complexity: O(1). Where nothing records it is one load and one branch.
    @export(implementation)
    public final func didRead(_ key: String) { if isRecording { noteRead(ofKey: key) } }

    @usableFromInline
    final func noteRead(ofKey key: String) {
        do throws(KeyValueError) {
            noteRead(of: try ClassSchema.of(type(of: self)).requireSlot(of: key, in: key))
        } catch {
            Diagnostics.report("didRead: \(error)")
        }
    }
}

/// Reads without depending on what is read: in the function of a `@Derived` property, or in a closure for `observe(reading:)`.
///
/// - Returns: What the closure returns.
/// - Throws: What the closure throws.
public func withoutTracking<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    try Recording.suspended(body)
}
