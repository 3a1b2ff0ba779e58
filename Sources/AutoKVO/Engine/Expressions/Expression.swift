import Synchronization

/// A function, and the keys that its last evaluation read: its *sources*. A derived key has one while somebody needs it, and so
/// does each observation of a closure. Its route says where it leads: to an observation, or to the key.
///
/// **Marks.** Right behind a store a change marks the expressions that have the property as a source *dirty*, and those that read derived keys of
/// which it is a source *to be checked*. Whoever needs the value refreshes it: a dirty one is evaluated, one to be checked refreshes the derived
/// keys among its sources, until one of them has another value, which makes it dirty; otherwise it becomes clean. A result that is equal to the
/// kept one is no change, and makes nothing dirty. Neither marking nor refreshing is recursive, but a function that reads a dirty value is.
///
/// **Threads.** The function is user code, so no lock is held while it runs, and two threads may evaluate at once:
///
///     one sets a                                 another sets b
///     evaluation 1: reads a, reads b
///                                                marks it dirty
///                                                evaluation 2: takes over, reads a, reads b
///     keeps its value and its sources, until
///     the one that runs is over, and tells
///                                                keeps the value, takes those sources out, and tells
///
/// What is kept is of the newest evaluation that is over: its value is the old one of the next change, and changes find the expression by its
/// sources while another evaluation has not read anything yet. That has them, too, to compare each read; a thread that takes over has no former sources. The
/// lock of the route's root guards the state. Model: docs/model/derived.pml.
final class Expression: @unchecked Sendable {
    /// Owned: who refreshes an expression may be the last to have it, when the route ends on another thread.
    let root: ObjectRecord
    /// The route that owns this, until it ends it. Only who knows that it has not ended may use it.
    let route: Borrowed<Route>
    let function: Function
    /// Used under the lock.
    @exclusivity(unchecked) private var state = State()
    /// Greater than those of all derived keys that it reads. It only says in which order observers are called.
    let atomicHeight: Atomic<Int>
    /// Of the last walk that has found it. Only who has a stamp uses it.
    @exclusivity(unchecked) var stamp: UInt = 0

    /// Set without the lock, but cleared under it: where an evaluation begins or turns out not to be needed.
    private let mark = Atomic(ExpressionMark(.dirty))
    /// The thread of the last evaluation, if that is not over. Changed under the lock.
    private let evaluator = Atomic<UInt>(0)
    /// Of a property that may be overridden: whether the last evaluation knew the getter.
    let usesGetter = Atomic(false)
    /// How many evaluations in a row have read what the one before had not, and were to be repeated for that.
    let repetitions = Atomic(0)

    init(_ function: Function, _ route: Route, _ root: ObjectRecord) {
        // A route that is kept for `rearm()` reads nothing until then.
        (self.function, self.route, self.root, state.isEnded) = (function, .to(route), root, route.isDeactivated)
        atomicHeight = Atomic(max(1, route.keyHeight))
    }

    @inline(__always)
    private func underLock<Result>(_ body: (inout State) -> Result) -> Result { root.lock.withLock { body(&state) } }

    /// Nil once it has ended.
    var liveRoute: Route? { underLock { $0.isEnded ? nil : route.object } }

    // MARK: The value

    /// The value, computed if a source may have changed. Nil if it cannot be: the object is dying. While this thread evaluates it, the
    /// one from before. Where other threads change its sources again and again it is computed for this read, and not kept.
    func value() -> Any? {
        if let kept = refreshedValue() ?? (isEvaluatingHere ? keptValue : nil) { return kept }
        return root.object(as: AnyObject.self).map { object in Recording.suspended { function.body(object) } }
    }

    /// The kept value, computed if a source may have changed; nil if nothing that is kept is the value of now: this thread is computing it, or
    /// others change its sources again and again. An expression that reads it calls the function itself then, and so depends on what that reads:
    /// a link to this one would tell it of changes of what is kept only.
    ///
    /// - Parameter isRead: Whether the program reads it, not an expression.
    func refreshedValue(isRead: Bool = false) -> Any? {
        if let kept = keptIfClean(isRead) { return kept }
        if isEvaluatingHere {
            ThreadContext.current.value.looksAhead = false
            return nil
        }
        refresh()
        return keptIfClean(isRead)
    }

    /// The value that was computed last, whether a source has changed since or not.
    var keptValue: Any? { opened(underLock { $0.isKept ? $0.kept : nil }) }

    private func keptIfClean(_ isRead: Bool) -> Any? {
        opened(
            underLock {
                guard isClean, $0.isKept else { return nil }
                if isRead { $0.isRead = true }
                return $0.kept
            })
    }

    /// How many different values have been kept, and the last one that the program has read and that is none any more.
    var changes: (all: Int, lastRead: Int) { root.lock.withLock { changesUnderLock } }
    var changesUnderLock: (all: Int, lastRead: Int) { (state.changes, state.lastRead) }

    /// Whether nothing has to be done before the kept value is used.
    var isClean: Bool { mark.load(ordering: .acquiring).kind == .clean && evaluator.load(ordering: .acquiring) == 0 }

    /// What says whether it is clean, and how often it has become so.
    var currentMark: ExpressionMark { mark.load(ordering: .acquiring) }
    var isEvaluatingHere: Bool { evaluator.load(ordering: .relaxed) == thisThread() }

    /// The name of the one key that the last evaluation read; empty if it was not one.
    var onlyKey: String { underLock { $0.nameOfOnlyKey } }

    /// What the last evaluation read; nothing while one is under way.
    var sources: [PathLink] { underLock { $0.sources } }
    /// Read under the lock: the same, and whether it has ended.
    var sourcesUnderLock: [PathLink] { state.sources }
    var hasEnded: Bool { state.isEnded }

    /// Whether the last evaluation is over, nothing has changed since, and all that it read is dead. Not of one that has ended.
    func readsNothing() -> Bool {
        underLock { state in
            if state.isEnded || !isClean { return false }
            state.deadCount += state.sources[state.deadCount...].prefix { $0.record.isDeinitializing }.count
            return state.deadCount == state.sources.count
        }
    }

    // MARK: Marking and refreshing

    /// A source has changed: for certain, or if it is a derived key whose value has.
    ///
    /// - Returns: The mark from before.
    @discardableResult func mark(isCertain: Bool) -> ExpressionMark { mark.add(isCertain: isCertain) }

    /// Whether it has to be evaluated, and not by what this thread is evaluating.
    private var isDirty: Bool { mark.load(ordering: .acquiring).kind == .dirty && !isEvaluatingHere }

    /// What is to be done before the value is known: nothing, or nothing here; to evaluate; or to refresh a source first.
    private enum Step {
        case done, evaluate
        case refresh(Borrowed<Expression>)
    }

    /// - Parameter isDeep: Whether the known sources of a dirty one are refreshed first, too.
    @inline(__always)
    private func nextStep(_ checked: inout Checked, isDeep: Bool) -> Step {
        while true {
            if isDirty, !isDeep { return .evaluate }
            let step: Step? = underLock { state in
                let evaluator = evaluator.load(ordering: .relaxed)
                // Another thread that evaluates may have read what has changed since.
                if evaluator != 0 { return evaluator == thisThread() ? .done : .evaluate }
                let known = mark.load(ordering: .acquiring)
                if known.kind == .clean { return .done }
                // Marked by another thread: what it read before need not be read any more.
                if known.kind == .dirty, !isDeep { return .evaluate }
                if known != checked.mark { (checked.mark, checked.count) = (known, 0) }
                let isDirty = known.kind == .dirty
                let source = Expression.nextMarked(of: state.sources, from: &checked.count, isDirty: isDirty)
                return source.map { .refresh($0) } ?? (isDirty ? .evaluate : nil)
            }
            if let step { return step }
            if mark.replace(checked.mark, by: .clean) { return .done }
        }
    }

    /// Computes the value if a source has changed: refreshes derived keys that it read, those that they read, and so on.
    ///
    /// Where many dirty ones wait for each other, what they read before is refreshed first: a chain of them must not take the stack. One that
    /// reads what waits for it need not have been computed yet: from then on nothing is computed but what is read.
    func refresh() {
        if isClean { return }
        let thread = ThreadContext.current
        let isDeep = thread.value.evaluationDepth > ThreadContext.uncheckedDepth && thread.value.looksAhead
        if isDirty, !isDeep {
            _ = evaluate(thread)
            return
        }
        var stack: [Checked] = []
        swap(&stack, &thread.value.checkedExpressions)
        defer {
            if stack.capacity > 2 * ThreadContext.poolLimit { stack = [] }
            swap(&stack, &thread.value.checkedExpressions)
        }
        stack.append(Checked(expression: .retaining(self)))
        while let top = stack.last?.expression {
            TestPoint.checking.reach()
            var step = top.use { $0.nextStep(&stack[stack.count - 1], isDeep: isDeep) }
            // A circle of which none is computed repeats itself here, so one comparison for each source finds it: then this one is.
            if case .refresh(let source) = step, stack[(stack.count - 1) / 2].expression == source {
                source.release()
                step = .evaluate
            }
            if case .refresh(let source) = step {
                stack.append(Checked(expression: source))
                if !source.use({ $0.isEvaluatingHere }) { continue }
                // A dirty one on the way need not read it any more: the last one of these is computed. Else it is a circle: all on the way stay
                // marked, and who reads one of them computes it, and traps.
                while let last = stack.last?.expression, !last.use({ $0.isDirty }) {
                    last.release()
                    stack.removeLast()
                }
                step = .evaluate
            }
            guard let last = stack.popLast()?.expression else { return }
            var isGivenUp = false
            if case .evaluate = step { isGivenUp = last.use({ !$0.evaluate(thread) }) }
            last.release()
            if isGivenUp { while let last = stack.popLast() { last.expression.release() } }
        }
    }

    // MARK: Evaluating

    /// - Returns: False if other threads change what it reads again and again. They will have it refreshed.
    private func evaluate(_ thread: InPlace<ThreadContext>) -> Bool {
        let looksAhead = thread.value.looksAhead
        thread.value.evaluationDepth += 1
        defer {
            (thread.value.evaluationDepth, thread.value.looksAhead) = (thread.value.evaluationDepth - 1, looksAhead)
        }
        // What `==` and `deinit` of its values read is not what another function reads that has read this one.
        let outer = Recording.suspend()
        defer { Recording.resume(outer) }
        var (round, marks) = (1, thread.value.ownMarks)
        while evaluateOnce() {
            if marks == thread.value.ownMarks, round > 8 { return false }
            requireUsage(round < 100, "\(label) writes what it reads: each of 100 evaluations changed a source.")
            (round, marks) = (round + 1, thread.value.ownMarks)
        }
        return true
    }

    /// - Returns: Whether a source has changed meanwhile, so that it has to be evaluated again by this thread.
    private func evaluateOnce() -> Bool {
        guard let object = root.object(as: AnyObject.self) else { return false }
        var (sources, ownRoute, version): ([PathLink], Borrowed<Route>?, Int) = ([], nil, 0)
        underLock { state in
            if state.isEnded { return }
            ownRoute = route.retain()
            if function.label != nil { state.onlyKey = state.nameOfOnlyKey }
            state.version += 1
            version = state.version
            evaluator.store(thisThread(), ordering: .releasing)
            while !mark.replace(mark.load(ordering: .acquiring), by: .clean) {}
            swap(&sources, &state.sources)
        }
        guard let ownRoute else { return false }
        TestPoint.evaluating.reach()
        defer { ownRoute.release() }
        noteGetter()
        var recorder = Recorder(ownRoute, isMoved: version > 1)
        let isFresh = ownRoute.use { $0.isStartedElsewhere }
        let value = recorder.record(&sources, isFresh: isFresh) { function.body(object) }
        if version == 1, sources.isEmpty { reportSilence() }
        if recorder.isSame, repetitions.load(ordering: .relaxed) > 0 { repetitions.store(0, ordering: .relaxed) }
        if !recorder.isSame { setHeight(behind: sources) }
        while !keep(value, &sources, of: version, ownRoute) {}
        for link in sources { link.cancel() }
        if !recorder.isSame { for link in recorder.dropped { link.cancel() } }
        extendLifetime(object)
        return mark.load(ordering: .acquiring).kind != .clean && underLock { $0.version == version }
    }

    /// Keeps what an evaluation has computed, unless a newer one is over.
    ///
    /// - Parameter sources: What it has read; then what is to be taken out.
    /// - Returns: False if the value has been compared with one that another thread has replaced.
    @inline(__always)
    private func keep(_ value: Any, _ sources: inout [PathLink], of version: Int, _ route: Borrowed<Route>) -> Bool {
        let (lastOver, isKept, before) = underLock { ($0.lastOver, $0.isKept, $0.kept) }
        let isChanged = !isKept || !isUnchanged(value, before)
        // An equal object takes the place of the one that was kept: for observers that is no change.
        let isOther = isChanged || function.objects != .noObject && !areSameObjects(opened(before), value)
        var new = isOther ? reference(to: value) : ()
        TestPoint.evaluated.reach()
        return underLock { state in
            if state.isEnded { evaluator.store(0, ordering: .releasing) }
            if state.isEnded || version < state.lastOver { return true }
            guard state.lastOver == lastOver else { return false }
            if isOther, version > 1 { route.use(markReaders) }
            swap(&sources, &state.sources)
            (state.lastOver, state.deadCount) = (version, 0)
            if version == state.version { evaluator.store(0, ordering: .releasing) }
            if isOther { swap(&state.kept, &new) }
            if isChanged {
                if state.isRead { (state.isRead, state.lastRead) = (false, state.changes) }
                state.changes += 1
            }
            return true
        }
    }

    /// Takes all sources out, for good.
    func end() {
        var ended = State(isEnded: true)
        underLock {
            // A `.once` observation ends before it is called.
            if function.label != nil { ended.onlyKey = $0.nameOfOnlyKey }
            swap(&ended, &$0)
        }
        for link in ended.sources { link.cancel() }
        extendLifetime(ended)
    }
}
