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
/// list *before* its property is read, so a change that the read misses finds the link. That holds for a property. A key that depends on others
/// has links elsewhere, which may be made or moved later: then what is behind the link is looked at again (`correct`).
///
/// **Owners.** A chain owns its first link, a link the one behind it, and each of them its chain, until the chain ends. The lists only refer
/// to links: one is taken out of its list, for good, before it is released.
///
/// The lock of the route's root guards the state. The model is docs/model/relink.pml.
class KeyPathChain: @unchecked Sendable {
    final let path: ParsedKeyPath
    final let base: ObjectRecord
    /// The route; nil if it is this chain itself.
    private let owner: Route?
    /// The record of the route's root, whose lock guards the state.
    private let root: ObjectRecord
    /// Whether the route led somewhere else before, or to fewer elements.
    private let isMoved: Bool
    /// Used under the lock.
    @exclusivity(unchecked) private final var state = State()

    private struct State {
        /// The link of the first level, which owns those behind it.
        var first: PathLink?
        /// Behind an operator.
        var elements = ElementChains()
        var version = 0
        var pending = Int.max
        var isEnded = false

        /// Nil if the path is shorter at the moment.
        func link(_ level: Int) -> PathLink? {
            var link = first
            for _ in 0..<level { link = link?.behind }
            return link
        }
    }

    /// Read under the lock.
    final var hasEnded: Bool { state.isEnded }

    /// - Parameter owner: Nil for a route.
    init(_ path: ParsedKeyPath, base: ObjectRecord, owner: Route? = nil, isMoved: Bool = false) {
        self.path = path
        self.base = base
        self.owner = owner
        self.isMoved = isMoved
        root = owner?.base ?? base
    }

    final var route: Route { owner ?? known(self, as: Route.self) }

    @inline(__always)
    private final func underLock<Result>(_ body: (inout State) -> Result) -> Result {
        root.lock.withLock { body(&state) }
    }

    /// Moves the links behind derived values on the way to the objects that are there now.
    final func followDerivedValues() {
        // While links are moved, a change behind them is missed: so only those that are not there.
        for level in path.keys.indices {
            guard let link = underLock({ $0.link(level) }), !link.isLeaf else { continue }
            if link.record.layout!.value[link.slot].isRecorded { _ = correct(behind: link) }
        }
    }

    /// Replaces the links from a level on.
    ///
    /// - Returns: Whether elements have come or gone behind an operator, or another thread has taken over.
    /// - Complexity: O(*n*) for *n* components; behind an operator, O(*m*) for *m* elements.
    @discardableResult final func relink(from level: Int) -> Bool {
        var (version, start) = (0, 0)
        var (previous, stale): (PathLink?, PathLink?) = (nil, nil)
        underLock { state in
            if state.isEnded { return }
            state.pending = min(state.pending, level)
            state.version += 1
            (version, start) = (state.version, state.pending)
            previous = start > 0 ? state.link(start - 1) : nil
            stale = start > 0 ? previous?.behind.take() : state.first.take()
        }
        if version == 0 { return false }
        // What only the former objects need ends behind the links to the new ones, which may need it, too.
        let left = ThreadContext.current.value.pathWork.count
        if stale != nil { PathWork.leaving(true) { cancel(stale) } }
        defer { PathWork.doLeft(from: left) }
        TestPoint.relinking.reach()

        for level in start..<max(start, path.keys.count) {
            let object = level == 0 ? base.trackedObject : next(behind: previous)
            guard let record = object.flatMap(record),
                let slot = orReport(misfit, try path.requireSlot(of: level, in: record.unmanagedSchema!))
            else { break }
            let link = PathLink(self, level: level, isMoved: isMoved || version > 1, record: record, slot: slot)
            let isCurrent = underLock { state in
                guard state.version == version else { return false }
                if let previous { previous.behind = link } else { state.first = link }
                return true
            }
            guard isCurrent else { return true }
            _ = record.link(link)
            if link.isFollowed, !record.layout!.value[slot].isIndependent { PathWork.followLater(link) }
            TestPoint.linked.reach()
            previous = link
        }
        var haveMoved = false
        if path.elementPath != nil {
            guard let moved = syncElements(version: version) else { return true }
            haveMoved = !moved.come.isEmpty || !moved.gone.isEmpty
        }
        underLock { if $0.version == version { $0.pending = .max } }
        return haveMoved
    }

    /// Leads the links behind one to where the path leads now, if they are not there, or are being moved; and what is behind an operator.
    ///
    /// - Returns: Whether anything was not there.
    final func correct(behind link: PathLink) -> Bool {
        var last = link
        let isMoving = underLock { $0.pending != .max }
        while !isMoving, last.level + 1 < path.keys.count {
            // One that is not linked any more is being cancelled, without the lock.
            let (isLinked, behind) = underLock { $0.link(last.level) === last ? (true, last.behind) : (false, nil) }
            if !isLinked || next(behind: last) !== behind?.record.trackedObject { break }
            guard let behind else { return false }
            last = behind
        }
        let isThere = last.level + 1 == path.keys.count
        if isThere, last !== link { return false }
        return relink(from: last.level + 1) || !isThere
    }

    /// The object that the key of a link holds now.
    private final func next(behind link: PathLink?) -> TrackedObject? {
        guard let link, let object = link.record.trackedObject else { return nil }
        let key = link.record.layout!.value[link.slot]
        // What is kept is no read of the program.
        if key.isRecorded, let kept = link.record.expression(link.slot)?.refreshedValue() {
            guard let value = unwrapped(kept) else { return nil }
            if let next = value as? TrackedObject { return next }
        }
        return orReport(misfit, try path.readObject(key.declaration, of: .to(object)))
    }

    /// The record of an object on the way. Nil if it is dying, or the schema of its class has a fault.
    private final func record(of object: TrackedObject) -> ObjectRecord? { orReport(misfit, try object.makeRecord()) }

    private final var misfit: String { "A key path leads to an object it does not fit" }

    /// Cancels links that nothing else leads to any more, one after the other: a path may be long.
    private final func cancel(_ first: PathLink?) {
        var next = first
        while let link = next {
            link.cancel()
            next = link.behind.take()
        }
    }

    /// Makes chains for new elements, and ends those of former ones, behind an operator. Nil if another thread took over.
    private final func syncElements(version wanted: Int) -> ElementChains.Moved? {
        let last = underLock { $0.link(path.keys.count - 1) }
        let read = last.flatMap { $0.record.readComparing($0.slot) }
        let elements = ElementList(of: read?.value, areStored: read?.isStored ?? false, record)
        let moved = underLock { state in
            state.version == wanted
                ? state.elements.update(to: elements) { chain(for: $0, isMoved: isMoved || wanted > 1) } : nil
        }
        moved.map(finish)
        return moved
    }

    /// Follows an edit of the collection behind the operator, which has just been made, without reading all elements.
    ///
    /// - Returns: False if it is not sure that the edit is all that has happened to the elements that are known: the value is not what
    ///   the property stores, another link is there now, or a thread is moving the links. Then `relink` is to be called.
    final func follow(_ edit: CollectionChange, of link: PathLink) -> Bool {
        guard path.elementPath != nil, link.level == path.keys.count - 1,
            let (value, isStored) = link.record.readComparing(link.slot), isStored,
            let collection = unwrapped(value) as? any KeyValueCollection
        else { return false }
        let (removed, count) = (ElementList(of: edit.removed, record), collection.elementCount)
        let inserted = ElementList(
            of: edit.kind == .removal ? nil : edit.indexes.flatMap { pickElements($0, of: value) } ?? edit.inserted,
            record)
        let moved = underLock { state in
            state.pending == .max && state.link(link.level) === link
                ? state.elements.follow(edit, removed, inserted, count: count) { chain(for: $0, isMoved: true) } : nil
        }
        moved.map(finish)
        return moved != nil
    }

    private final func chain(for element: ObjectRecord, isMoved: Bool) -> KeyPathChain {
        KeyPathChain(path.elementPath!, base: element, owner: route, isMoved: isMoved)
    }

    /// Links and ends the chains of elements that have moved, without the lock.
    private final func finish(_ moved: ElementChains.Moved) {
        for chain in moved.come { chain.relink(from: 0) }
        for chain in moved.gone { chain.end() }
    }

    /// Removes all links, for good.
    func end() {
        var ended = State(isEnded: true)
        underLock {
            ended.version = $0.version + 1
            swap(&ended, &$0)
        }
        cancel(ended.first)
        for chain in ended.elements.all { chain.end() }
    }
}
