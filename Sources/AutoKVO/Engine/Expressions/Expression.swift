import Synchronization

/// A function, and the keys that its last evaluation read: its *sources*. A derived key has one while somebody needs it, and so
/// does each observation of a closure. Its route says where it leads: to an observation, or to the key.
///
/// **Marks.** Right behind a store a change marks the expressions that have the property as a source *dirty*, and those that read derived
/// keys of which it is a source *to be checked*. Whoever needs the value refreshes it: a dirty one is evaluated; one to be checked
/// refreshes the derived keys among its sources, until one of them has another value, which makes it dirty, and else is clean. A result
/// that is equal to the kept one is no change, and makes nothing dirty. Neither marking nor refreshing is recursive, but a function that
/// reads a dirty value is.
///
/// **Threads.** The function is user code, so no lock is held while it runs, and two threads may evaluate at once:
///
///     one sets a                                 another sets b
///     evaluation 1: reads a, reads b
///                                                marks it dirty
///                                                evaluation 2: takes over, reads a, reads b
///     finds another version: takes its own
///     sources out, keeps nothing
///                                                keeps the value, and calls the observers
///
/// A thread that only reads the value meanwhile computes one for itself. The evaluation that runs has the sources, so that each read is
/// compared without a lock; a thread that takes over begins without any. The lock of the route's root guards the state.
final class Expression: @unchecked Sendable {
    private let root: Borrowed<ObjectRecord>
    /// The route that owns this.
    private let route: Borrowed<Route>
    let function: Function
    /// Used under the lock.
    @exclusivity(unchecked) private var state = State()
    /// Greater than those of all derived keys that it reads. It only says in which order observers are called.
    private let atomicHeight = Atomic<Int>(1)
    /// Of the last walk that has found it. Only who has a stamp uses it.
    @exclusivity(unchecked) private var stamp: UInt = 0

    struct Function {
        let body: (AnyObject) -> Any
        /// Whether the value is a tracked object or an optional one, which is not kept alive.
        let holdsObject: Bool
        /// Whether the object that the function is given is what is observed, and not the observer.
        var isOfTarget = true
        /// For messages.
        let label: () -> String
    }

    private enum Mark: Int { case clean, check, dirty }

    private enum Kept {
        case nothing
        case value(Any)
        case object(PinnedReference<TrackedObject>)

        var value: Any? {
            switch self {
            case .nothing: nil
            case .value(let value): value
            case .object(let object): object.object
            }
        }
    }

    private struct State {
        /// Empty while an evaluation has them.
        var sources: [PathLink] = []
        var kept = Kept.nothing
        var mark = Mark.dirty
        /// Counts evaluations.
        var version = 0
        /// The thread of the last evaluation, if that is not over.
        var evaluator: UInt = 0
        var isEnded = false
    }

    init(_ function: Function, _ route: Borrowed<Route>, _ root: Borrowed<ObjectRecord>) {
        (self.function, self.route, self.root) = (function, route, root)
    }

    @inline(__always)
    private func underLock<Result>(_ body: (inout State) -> Result) -> Result {
        root.use { $0.lock.withLock { body(&state) } }
    }

    // MARK: The value

    /// The value, computed if a source may have changed. Nil if it cannot be: the object is dying. While this thread evaluates it, the
    /// one from before.
    func value() -> Any? {
        if let kept = keptIfClean() { return kept }
        refresh()
        if let kept = keptIfClean() ?? (isEvaluatingHere ? keptValue : nil) { return kept }
        return root.use { $0.object(as: AnyObject.self) }.map { object in Recording.suspended { function.body(object) }
        }
    }

    /// The value that was computed last, whether a source has changed since or not.
    var keptValue: Any? { underLock { $0.kept }.value }

    private func keptIfClean() -> Any? {
        underLock { $0.mark == .clean && $0.evaluator == 0 ? $0.kept : .nothing }.value
    }

    var isEvaluatingHere: Bool { underLock { $0.evaluator == thisThread() } }

    var height: Int { atomicHeight.load(ordering: .relaxed) }

    /// Whether a walk through what a change concerns finds it for the first time.
    func isNew(to walk: UInt) -> Bool {
        if stamp == walk { return false }
        stamp = walk
        return true
    }

    /// Whether the last evaluation read anything.
    var hasSources: Bool { underLock { !$0.sources.isEmpty } }

    /// The name of the one key that the last evaluation read; empty if it was not one.
    var onlyKey: String {
        let sources = underLock { $0.sources }
        guard let first = sources.first, sources.allSatisfy({ $0.isOf(.to(first.record), first.slot) }) else {
            return ""
        }
        return first.record.schema!.keys[first.slot].name
    }

    // MARK: Marking and refreshing

    /// A source has changed: for certain, or if it is a derived key whose value has.
    ///
    /// - Returns: Whether nothing had marked it.
    func mark(isCertain: Bool) -> Bool {
        underLock { state in
            if state.isEnded { return false }
            let wasClean = state.mark == .clean
            if isCertain { state.mark = .dirty } else if wasClean { state.mark = .check }
            return wasClean
        }
    }

    /// One of the derived keys that it read has another value.
    private func turnDirty() { underLock { if $0.mark == .check { $0.mark = .dirty } } }

    private enum Step {
        case done, evaluate
        case check([PathLink], version: Int)
    }

    private var nextStep: Step {
        underLock { state in
            if state.isEnded || state.evaluator == thisThread() { return .done }
            switch state.mark {
            // Another thread evaluates, and may have read what has changed since.
            case .clean: return state.evaluator == 0 ? .done : .evaluate
            case .dirty: return .evaluate
            case .check: return state.evaluator == 0 ? .check(state.sources, version: state.version) : .evaluate
            }
        }
    }

    /// Computes the value if a source has changed.
    func refresh() {
        guard case .evaluate = nextStep else { return check() }
        evaluate()
    }

    /// Refreshes derived keys that it read, those that they read, and so on.
    private func check() {
        var stack: [(expression: Expression, checked: Int)] = [(self, 0)]
        while let (top, checked) = stack.last {
            switch top.nextStep {
            case .done: stack.removeLast()
            case .evaluate:
                stack.removeLast()
                top.evaluate()
            case .check(let sources, let version):
                var next = checked
                var marked: Expression?
                while marked == nil, next < sources.count {
                    if let source = sources[next].derivedSource, source.isMarked { marked = source }
                    next += 1
                }
                stack[stack.count - 1].checked = next
                if let marked {
                    stack.append((marked, 0))
                } else {
                    top.underLock { if $0.mark == .check, $0.version == version { $0.mark = .clean } }
                    stack.removeLast()
                }
            }
        }
    }

    /// Whether it has to be looked at before its value is known to be unchanged.
    private var isMarked: Bool {
        if case .done = nextStep { return false }
        return true
    }

    // MARK: Evaluating

    private func evaluate() {
        var rounds = 1
        while evaluateOnce() {
            rounds += 1
            requireUsage(
                rounds <= 100,
                "\(function.label()) writes what it reads: it was evaluated 100 times, and each time a source changed.")
        }
    }

    /// - Returns: Whether a source has changed meanwhile, so that it has to be evaluated again by this thread.
    private func evaluateOnce() -> Bool {
        guard let object = root.use({ $0.object(as: AnyObject.self) }) else { return false }
        var former: [PathLink] = []
        let begun: (version: Int, kept: Kept)? = underLock { state in
            if state.isEnded { return nil }
            state.version += 1
            state.mark = .clean
            state.evaluator = thisThread()
            swap(&former, &state.sources)
            return (state.version, state.kept)
        }
        guard let (version, before) = begun else { return false }
        TestPoint.evaluating.reach()
        let result = Recorder.record(route, former, isMoved: version > 1) { function.body(object) }
        let old = before.value
        let isChanged = old.map { !areEqual($0, result.value) } ?? true
        let height = result.isSame ? nil : 1 + (result.sources.lazy.compactMap { $0.derivedSource?.height }.max() ?? 0)
        let new = isChanged ? keep(result.value) : before
        TestPoint.evaluated.reach()
        let (isCurrent, isMarked) = underLock { state in
            guard state.version == version else { return (false, false) }
            state.sources = result.sources
            state.evaluator = 0
            state.kept = new
            return (true, state.mark != .clean)
        }
        for link in isCurrent ? result.dropped : result.sources + result.dropped { link.cancel() }
        if isCurrent, let height { atomicHeight.store(height, ordering: .relaxed) }
        if isCurrent, isChanged { markReaders() }
        withExtendedLifetime((before, old, former, object)) {}
        return isMarked
    }

    private func keep(_ value: Any) -> Kept {
        if function.holdsObject, let object = unwrapped(value) as? TrackedObject {
            return .object(PinnedReference(object))
        }
        return .value(value)
    }

    /// The value has changed: those that read it have to be evaluated.
    private func markReaders() {
        guard let (root, slot) = route.use({ $0.derivedKey }) else { return }
        var readers = TinyArray<PathLink>()
        root.lock.withLock { root.list(slot)?.value.forEachLink { if $0.expression != nil { readers.append($0) } } }
        readers.forEach { $0.expression?.turnDirty() }
    }

    /// Takes all sources out, for good.
    func end() {
        var ended = State(isEnded: true)
        underLock {
            ended.version = $0.version + 1
            swap(&ended, &$0)
        }
        for link in ended.sources { link.cancel() }
        withExtendedLifetime(ended) {}
    }
}

extension PathLink {
    func isOf(_ record: Borrowed<ObjectRecord>, _ slot: Int) -> Bool { self.slot == slot && .to(self.record) == record }

    /// The expression that reads the link's key.
    var expression: Expression? { unmanagedExpression?.object }

    /// The expression of the key, if that is a derived one.
    fileprivate var derivedSource: Expression? { record.expression(slot) }
}

extension ObjectRecord {
    /// The expression of a derived key that somebody needs.
    @inline(__always)
    func expression(_ slot: Int) -> Expression? {
        guard layout!.value[slot].isRecorded, let list = list(slot) else { return nil }
        return lock.withLock { list.value.expression?.object }
    }
}
