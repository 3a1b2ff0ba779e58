/// One evaluation of an expression: what it has read so far. On the stack of the thread that evaluates.
///
/// Each read is compared with what the last evaluation read, by its position. As long as it is the same key, nothing is to be done. Another
/// one is looked for, and its source made where it is new; then the positions are compared again, from where it was found on. So an element
/// that joins or leaves a list costs a search, and the others what they cost without that. A source is in the list of its key *before* the
/// value is read, so a change that the read misses finds it. What is left over is taken out at the end.
struct Recorder {
    /// The route of the expression; nil if it is only of interest whether something is read.
    private let route: Borrowed<Route>?
    /// What the last evaluation read, and how much of it has been read again.
    private var former = BorrowedElements<PathLink>()
    private var position = 0
    /// What has been read, once that is not what was read before.
    private var others: Others?
    private let isMoved: Bool
    /// Whether an object was read that is dying.
    fileprivate var hasReadDying = false

    /// Made where it is needed: most evaluations read the same as the one before.
    private struct Others {
        /// In order; one key may come several times.
        var read: [PathLink]
        /// What has been read, where there is no route; with the records, which are kept.
        var keys: [Source: ObjectRecord] = [:]
        /// The index of the first work in the thread's `pathWork` that making links has added and that is still to be done: see
        /// `noteRead(atOffset:)`.
        var firstLeft: Int?
        /// What was read before and was passed over. Some of it may have been read all the same, elsewhere.
        var passed: [PathLink] = []
        /// When many reads have been looked for: all links, by their keys, and where they are in `former`; nil for a new one.
        var places: [Source: (link: PathLink, index: Int?)] = [:]
        var searchCount = 0
        /// Where in `former` the last search found its key.
        var lastIndex: Int?
    }

    struct Source: Hashable {
        let record: Borrowed<ObjectRecord>
        let slot: Int
    }

    /// How far ahead what is read next is looked for, how far back what was read last, and how often in all.
    private static var nearby: Int { 8 }
    private static var maximumSearches: Int { 16 }
    /// How many comparisons cost about what a table of 10,000 does.
    private static var maximumComparisons: Int { 200_000 }

    init(_ route: Borrowed<Route>?, isMoved: Bool) { (self.route, self.isMoved) = (route, isMoved) }

    /// Whether both evaluations have read the same.
    var isSame: Bool { others == nil }

    /// What only the evaluation before has read.
    var dropped: [PathLink] { others?.passed ?? [] }

    /// Evaluates a function, and records what it reads.
    ///
    /// - Parameters:
    ///   - sources: What the last evaluation read, then what this one has, in order; one key may come several times.
    ///   - isFresh: Whether all links are made again: each has what affects its key linked, which another thread may not have done yet.
    mutating func record(_ sources: inout [PathLink], isFresh: Bool, _ function: () -> Any) -> Any {
        if isFresh { (others, sources) = (Others(read: [], passed: sources), []) }
        let value = BorrowedElements.of(sources) { elements in
            former = elements
            defer { if others == nil, position < elements.count { beginReading() } }
            return Recording.into(&self, function)
        }
        if others != nil { finishReading(&sources) }
        return value
    }

    /// What is left of the last evaluation has been read elsewhere, or is not read any more. Each is looked for in what has been read, or, of
    /// many, in a table of that.
    @inline(never)
    private mutating func finishReading(_ sources: inout [PathLink]) {
        // What affects a property was not followed yet when that was read, so a change of it in between may have been missed.
        if let first = others!.firstLeft {
            // A few times, since the function may read another object each time.
            let route = route!.object
            let isAgain = route.expression!.repetitions.add(1, ordering: .relaxed).newValue <= 3
            let work = isAgain ? PathWork.evaluate(route) : .follow(others!.read.last!)
            PathWork.do(work, from: first)
        }
        let (read, left) = (others!.read, others!.passed + sources.dropFirst(position))
        var dropped: [PathLink] = []
        if left.count * read.count <= Recorder.maximumComparisons {
            // One that a loop has read comes again and again.
            for link in left where !dropped.suffix(Recorder.nearby).contains(where: { $0 === link }) {
                if !read.contains(where: { $0 === link }) { dropped.append(link) }
            }
        } else {
            let known = Set(read.map { ObjectIdentifier($0) })
            dropped = left.filter { !known.contains(ObjectIdentifier($0)) }
        }
        (others!.passed, sources) = (dropped, read)
    }

    /// What a function reads that is observed; and whether that is all, since none of what it reads is dying.
    static func keys(readBy function: () -> Void) -> (read: [Source: ObjectRecord], areAll: Bool) {
        var recorder = Recorder(nil, isMoved: false)
        Recording.into(&recorder, function)
        return (recorder.others?.keys ?? [:], !recorder.hasReadDying)
    }

    /// Notes a read of what is stored in an object, if the last evaluation has read that here. Its link then.
    @inline(__always)
    mutating func noteNext(_ object: TrackedObject, atOffset offset: Int) -> Borrowed<PathLink>? {
        guard others == nil else { return nil }
        if position < former.count {
            let next = former[position]
            if next.use({ $0.isOf(object, offset) }) {
                position &+= 1
                return next
            }
        }
        if position > 0 {
            let last = former[position &- 1]
            if last.use({ $0.isOf(object, offset) }) { return last }
        }
        return nil
    }

    /// The same for any other read.
    @inline(never)
    mutating func noteOther(_ object: TrackedObject, atOffset offset: Int) {
        if object.isDeinitializing { hasReadDying = true }
        guard let record = object.recordForReading(), let slot = object.slot(atOffset: offset) else { return }
        let key = record.use { $0.layout!.value[slot] }
        // What an override's getter reads of the property that it overrides.
        if key.isOverridden, let expression = record.use({ $0.expression(slot) }), expression.route == route { return }
        if key.isRecorded { return note(record, slot, atOffset: offset) }
        PathWork.leaving(true) { note(record, slot, atOffset: offset) }
    }

    mutating func note(_ record: Borrowed<ObjectRecord>, _ slot: Int, atOffset offset: Int = -1) {
        let key = Source(record: record, slot: slot)
        guard let route else {
            if others == nil { beginReading() }
            others!.keys[key] = record.object
            return
        }
        if position < former.count, former[position].use({ $0.key == key }) {
            others?.read.append(former[position].object)
            position += 1
            return
        }
        if others == nil, position > 0, former[position - 1].use({ $0.key == key }) { return }
        if others == nil { beginReading() }
        if others!.read.last?.key == key { return }
        others!.read.append(find(key) ?? makeLink(route, key, atOffset: offset))
    }

    /// A read was not the one that was expected, or the last ones did not come.
    private mutating func beginReading() { others = Others(read: (0..<position).map { former[$0].object }) }

    /// The link of a key that is not the next one. If it comes soon behind that, or if the one before has been found just before it, what
    /// follows it is expected next: elements have left a list.
    ///
    /// - Complexity: O(1), but for `maximumSearches` times O(*n*) in an evaluation.
    private mutating func find(_ key: Source) -> PathLink? {
        // A loop may read it again and again.
        if let link = others!.read.suffix(Recorder.nearby).last(where: { $0.key == key }) { return link }
        var index = index(of: key, before: position + Recorder.nearby)
        if let index { return moveOn(to: index) }
        var link: PathLink?
        if others!.searchCount < Recorder.maximumSearches {
            index = self.index(of: key, before: former.count)
            link = index.map { former[$0].object } ?? others!.read.last { $0.key == key }
            others!.searchCount += 1
            if others!.searchCount == Recorder.maximumSearches {
                for link in others!.read { others!.places[link.key] = (link, nil) }
                for link in (0..<former.count).map({ (former[$0].object, $0) }) { others!.places[link.0.key] = link }
            }
        } else if let place = others!.places[key] {
            (link, index) = place
        }
        defer { others!.lastIndex = index }
        guard let index, index >= position, index - 1 == others!.lastIndex else { return link }
        return moveOn(to: index)
    }

    private func index(of key: Source, before end: Int) -> Int? {
        (position..<min(end, former.count)).first { former[$0].use { $0.key == key } }
    }

    private mutating func moveOn(to index: Int) -> PathLink {
        for passed in position..<index { others!.passed.append(former[passed].object) }
        position = index + 1
        return former[index].object
    }

    private mutating func makeLink(_ route: Borrowed<Route>, _ key: Source, atOffset offset: Int) -> PathLink {
        let link = PathLink(route.object, isMoved: isMoved, record: key.record.object, slot: key.slot)
        let left = link.record.link(link)
        link.setSource(atOffset: offset)
        others!.firstLeft = others!.firstLeft ?? left
        if others!.searchCount >= Recorder.maximumSearches { others!.places[key] = (link, nil) }
        TestPoint.linked.reach()
        return link
    }
}

extension TrackedObject {
    /// Notes, if this thread records, that the property whose storage is at an offset is about to be read.
    ///
    /// `@_effects(releasenone)` promises the optimizer that this call releases no object. Without it a loop that reads a property of many
    /// objects would retain and release each of them. The promise holds because no code of the program runs here that could release them:
    /// what affects a property with `affectedBy:` is computed and followed when the function that reads the property has returned. There are
    /// two exceptions: the `schema` of a class, once, and the handler of `Diagnostics`, if that schema has a fault.
    @usableFromInline @inline(never) @_effects(releasenone)
    final func noteRead(atOffset offset: Int) {
        // What has one value only never changes.
        guard offset >= 0, let recorder = Recording.current(as: Recorder.self) else { return }
        if recorder.value.noteNext(self, atOffset: offset) == nil { recorder.value.noteOther(self, atOffset: offset) }
    }

    /// The same for a key.
    final func noteRead(of slot: Int) {
        guard let recorder = Recording.current(as: Recorder.self) else { return }
        if isDeinitializing { recorder.value.hasReadDying = true }
        if let record = recordForReading() { recorder.value.note(record, slot) }
    }

    /// The value of a key. Where this thread records, the key is what is read, and not what its getter reads: so it is the kept value.
    @inline(__always)
    final func valueOfKey(_ slot: Int, of schema: ClassSchema) -> Any {
        if isRecording {
            noteRead(of: slot)
            Recording.suspended { record?.followDerivedValues(onPathsOf: slot) }
            if let kept = record?.expression(slot) {
                return kept.refreshedValue() ?? schema.keys[slot].declared.read(self)
            }
        } else if schema.keys[slot].isRecorded, TransactionsOfTasks.mayHoldChanges || record?.isOpen(slot) ?? false {
            // The getter is called all the same.
            TransactionsOfTasks.visiting {
                if let kept = record?.expression(slot), !kept.isEvaluatingHere { _ = kept.refreshedValue(isRead: true) }
            }
        }
        return Recording.suspended { schema.keys[slot].declared.read(self) }
    }

    /// Nil if the object's deinit has begun: it does not change any more. And, with a report, if the schema of its class has a fault.
    fileprivate final func recordForReading() -> Borrowed<ObjectRecord>? {
        orReport("\(type(of: self)) was read, and cannot be followed", try makeUnmanagedRecord())
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
    /// A name that the class does not declare is reported to `Diagnostics`, where an expression reads it.
    ///
    /// - Complexity: O(1). Where nothing records it is one load and one branch.
    @export(implementation) public final func didRead(_ key: String) { if isRecording { noteRead(ofKey: key) } }

    @usableFromInline final func noteRead(ofKey key: String) {
        if let slot = orReport("didRead", try requireSchema().requireOwnSlot(of: key)) { noteRead(of: slot) }
    }
}

/// Reads without depending on what is read: in the function of a `@Derived` property, or in a closure for `observe(reading:)`.
///
/// - Returns: What the closure returns.
/// - Throws: What the closure throws.
public func withoutTracking<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    try Recording.suspended(body)
}
