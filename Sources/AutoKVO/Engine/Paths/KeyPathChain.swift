/// The links along the keys of one path, from one object on, and behind an operator one chain for each element that is
/// a tracked object. Elements that are plain collections have no links: they are part of the property's value, and the
/// chains behind them are those of the objects in them, however deep.
///
/// **Relinking.** When the property of a link changes, the links behind it are removed, and new ones are made along the objects
/// that are there now. Reading a property is user code, so no lock is held from one object to the next, and two threads may
/// relink one chain at once:
///
///     one sets a.b                            another sets b.c
///     removes the links behind level 0
///     links b2, reads b2.c
///                                             takes over: from the lower of both levels
///     finds a higher version, stops
///                                             links b2 again, c3, …
///
/// The last thread does the work of all, from the lowest level that any of them began at (`pending`). A link is added to its
/// list *before* its property is read, so a change that the read misses finds the link.
///
/// The lock of the route's root guards the state. The model is docs/model/relink.pml.
final class KeyPathChain: @unchecked Sendable {
    let path: ParsedKeyPath
    let base: ObjectRecord
    unowned(unsafe) let route: Route
    /// The record of the route's root, which the route owns.
    private let root: Borrowed<ObjectRecord>
    /// Used under the lock.
    @exclusivity(unchecked) private var state: State

    private struct State {
        var links: [PathLink?]
        /// Behind an operator, by the element's address. An element that is in the collection twice has one chain.
        var elements: [UnsafeRawPointer: KeyPathChain] = [:]
        var version = 0
        var pending = Int.max
        var isEnded = false
    }

    /// Read under the lock.
    var isEnded: Bool { state.isEnded }

    /// Whether the route led somewhere else before, or to fewer elements.
    private let isMoved: Bool

    init(_ path: ParsedKeyPath, base: ObjectRecord, route: Route, isMoved: Bool = false) {
        self.isMoved = isMoved
        self.path = path
        self.base = base
        self.route = route
        root = .to(route.root)
        state = State(links: Array(repeating: nil, count: path.keys.count))
    }

    @inline(__always)
    private func underLock<Result>(_ body: (inout State) -> Result) -> Result {
        root.use { $0.lock.withLock { body(&state) } }
    }

    /// Replaces the links from a level on.
    ///
    /// - Complexity: O(*n*) for *n* components behind the level; behind an operator, O(*m*) for *m* elements.
    func relink(from level: Int) {
        var stale = TinyArray<PathLink>()
        var start = 0
        var previous: PathLink?
        let mine: Int? = underLock { state in
            guard !state.isEnded else { return nil }
            state.pending = min(state.pending, level)
            state.version += 1
            start = state.pending
            if start > 0 { previous = state.links[start - 1] }
            for index in start..<max(start, state.links.count) {
                if let link = state.links[index].take() { stale.append(link) }
            }
            return state.version
        }
        guard let mine else { return }
        stale.forEach { $0.cancel() }
        TestPoint.relinking.reach()

        // Not `links.count`: without the lock another thread may be replacing the array's storage.
        let count = path.keys.count
        if start < count {
            var object = start == 0 ? base.trackedObject : previous?.readObject()
            for index in start..<count {
                guard let current = object else { break }
                guard let link = link(current, at: index, version: mine) else { return }
                object = index < count - 1 ? link?.readObject() : nil
            }
        }
        if path.tail?.objectPath != nil {
            guard syncElements(version: mine) else { return }
        }
        underLock { if $0.version == mine { $0.pending = .max } }
    }

    /// Makes the link of a level and adds it to the object's list. The outer nil says that another thread took over, the inner
    /// one that the object cannot be linked.
    private func link(_ object: TrackedObject, at index: Int, version wanted: Int) -> PathLink?? {
        guard let record = try? object.makeRecord() else { return .some(nil) }
        guard let slot = path.slot(of: index, in: record.unmanagedSchema!) else {
            let error = record.schema!.unknownKey(path.keys[index], in: route.path.text)
            Diagnostics.report("A key path leads to an object it does not fit: \(error)")
            return .some(nil)
        }
        let link = PathLink(self, level: index, isMoved: isMoved || wanted > 1, record: record, slot: slot)
        let isCurrent = underLock { state in
            guard state.version == wanted, !state.isEnded else { return false }
            state.links[index] = link
            return true
        }
        guard isCurrent else { return nil }
        let isLinked = record.link(link)
        link.noteMove()
        TestPoint.linked.reach()
        return isLinked ? .some(link) : .some(nil)
    }

    /// Makes chains for new elements, and ends those of former ones, behind an operator. False if another thread took over.
    private func syncElements(version wanted: Int) -> Bool {
        let last = underLock { $0.links.last ?? nil }
        var wantedRecords: [UnsafeRawPointer: ObjectRecord] = [:]
        for element in last?.readElements() ?? [] {
            if let record = try? element.makeRecord() { wantedRecords[record.address] = record }
        }
        var gone: [KeyPathChain] = []
        var come: [KeyPathChain] = []
        let isCurrent = underLock { state in
            guard state.version == wanted, !state.isEnded else { return false }
            for (address, chain) in state.elements where wantedRecords[address] == nil {
                gone.append(chain)
                state.elements[address] = nil
            }
            for (address, record) in wantedRecords where state.elements[address] == nil {
                let chain = KeyPathChain(
                    path.tail!.objectPath!, base: record, route: route, isMoved: isMoved || wanted > 1)
                state.elements[address] = chain
                come.append(chain)
            }
            return true
        }
        for chain in gone { chain.end() }
        for chain in come { chain.relink(from: 0) }
        return isCurrent
    }

    func end() {
        var ended = State(links: [], isEnded: true)
        underLock {
            ended.version = $0.version + 1
            swap(&ended, &$0)
        }
        for link in ended.links { link?.cancel() }
        for chain in ended.elements.values { chain.end() }
    }
}

extension PathLink {
    fileprivate func readObject() -> TrackedObject? {
        record.trackedObject.flatMap { object in
            record.layout!.value.declaration(slot).use { $0.readObject(object) }
        }
    }

    fileprivate func readElements() -> [TrackedObject] {
        guard let collection = record.readValue(slot).flatMap(unwrapped) as? any KeyValueCollection else {
            return []
        }
        var found: [TrackedObject] = []
        var open = collection.elements
        while let value = open.popLast() {
            if let object = value as? TrackedObject {
                found.append(object)
            } else if let inner = unwrapped(value) as? any KeyValueCollection {
                open += inner.elements
            }
        }
        return found
    }
}
