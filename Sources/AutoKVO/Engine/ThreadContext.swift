internal import CDeallocHook
import Synchronization

/// The changes under way on one thread, and the pools of what they need. Made at the thread's first change, freed when the thread
/// ends.
///
/// A pool keeps at most `poolLimit` objects, an array that is emptied that capacity: what one large change took is given back.
///
/// Only its own thread uses it, so it has no lock. It is memory behind a pointer, not an object: every delivery reads it, and would
/// retain and release a reference.
struct ThreadContext {
    /// As many changes as are made inside each other, or subjects of one change, without an allocation: with 700 bytes for a
    /// subject and its values, 90 KB for each thread.
    static let poolLimit = 128
    /// Change contexts that no handler kept, subjects and transactions, for the next delivery and the next change.
    private(set) var spareContexts = Pool<ChangeContext>()
    fileprivate(set) var spareSubjects = Pool<Subject>()
    private(set) var spareTransactions = Pool<Transaction>()
    /// Subjects with observers that are still to be called, the outermost delivery's first.
    private(set) var pending = MemberList<Subject>()
    /// The same by their topics, each with its number. Nil until many are searched: few are looked through.
    private var pendingTopics: [Subject.Identity: [UInt: Subject]]?
    /// The changes that have begun and not ended on this thread, the outermost first. Retained, as the spare ones are.
    var openTransactions = MemberList<Transaction>()
    /// The changes that have ended, and whose derived values are being computed.
    var settling: [Borrowed<Transaction>] = []
    /// The one of which observers are being called; as long as a `coalescingChanges` is delivered, that.
    var delivering: Borrowed<Transaction>?
    /// What stands for a change that is two edits, as long as they are made.
    var twoEdits: Borrowed<Transaction>?
    /// The token that this thread made last.
    private(set) var lastToken: UInt = 0
    /// While Observation is called: the tokens of the change for which it is.
    var announcing: ClosedRange<UInt>?
    private static let tokenBlocks = Atomic<UInt>(0)
    /// The transaction of the outermost `coalescingChanges` under way, if any.
    var coalescing: Borrowed<Transaction>?
    /// Routes to start or to end, in this order; and whether this thread is doing that.
    var pathWork: [PathWork] = []
    var doesPathWork = false
    /// Where what it does begins in that: what is before is left for later.
    var pathWorkStart = 0
    /// Links behind which keys are to be raised when the routes are started.
    var raisingLinks: [PathLink] = []
    /// How often a weak property, or a kept value, was read whose object was dying, before its observers were told of that.
    var dyingReferents: UInt = 0
    /// How many functions of derived properties are being called for reads, inside each other; and from `uncheckedDepth` on which, by the
    /// addresses of their storage.
    var computingDepth = 0
    var computing: [UInt: (object: TrackedObject, offset: Int, depth: Int)] = [:]
    static let uncheckedDepth = 64
    /// How often a function on this thread has changed what it reads itself.
    var ownMarks = 0
    /// How many derived values are being evaluated, inside each other.
    var evaluationDepth = 0
    /// Whether what one of them read before is computed first. Not once that has needed one of those which wait for it.
    var looksAhead = true
    /// Of the walk under way through what a change concerns: the keys of other objects that it has found.
    var affectedKeys: [AffectedLists.KeysOfOtherObjects.Element] = []
    /// Those that need not have changed, and come behind the others.
    var uncertainKeys: [AffectedLists.KeysOfOtherObjects.Element] = []
    /// The lists that it has visited, where it needs them. Of a key that has an expression it does not: it stamps the expression.
    var affectedLists: Set<InPlace<ObserverList>> = []
    /// Room for the links of paths that a walk finds.
    var affectedLinks: [Borrowed<PathLink>] = []
    /// Room for the expressions that wait for those that they read.
    var checkedExpressions: [Expression.Checked] = []
    /// The expressions that a change of this thread has marked, and that are to be refreshed.
    var marked: [Transaction.Marked] = []
    var markedRoom: [Transaction.Marked] = []
    /// How many expressions wait in the open and the settling transactions of this thread (`Transaction.marked`), so that a change need not
    /// look there if none does.
    var waitingCount = 0
    /// The first observers and links of keys, while what these need is computed for them. They have no value yet, so changes that functions make
    /// meanwhile do not concern them. The number is that of the observation; 0 for a link: then all observers of the list were added later.
    var starting: [(list: InPlace<ObserverList>, sequence: UInt64, link: ObjectIdentifier?)] = []
    /// The changes of traced objects that are being delivered, the outermost first.
    var traced: [TracedCalls] = []
    #if DEBUG
        /// The actions that tests run when this thread reaches a point.
        var testPoints: [TestPoint: () -> Void] = [:]
    #endif

    @inline(__always)
    static var current: InPlace<ThreadContext> {
        if let pointer = cdh_thread_value() { return InPlace(pointer.assumingMemoryBound(to: ThreadContext.self)) }
        return makeCurrent()
    }

    @inline(never)
    private static func makeCurrent() -> InPlace<ThreadContext> {
        let state = InPlace.allocate(ThreadContext())
        let stored = cdh_set_thread_value(state.pointer) { pointer in
            guard let state = pointer.map({ InPlace($0.assumingMemoryBound(to: ThreadContext.self)) }) else { return }
            while let transaction = state.value.openTransactions.last {
                transaction.object.drop(state, threadEnds: true)
            }
            state.value.spareContexts.releaseAll()
            state.value.spareSubjects.releaseAll()
            state.value.spareTransactions.releaseAll()
            state.deallocate()
        }
        requireUsage(stored, "AutoKVO could not get memory for the state of a thread.")
        return state
    }

    @inline(__always)
    mutating func takeContext(for event: InPlace<ChangeEvent>) -> Borrowed<ChangeContext> {
        guard let context = spareContexts.take() else { return .retaining(ChangeContext(event)) }
        context.use {
            assert($0.isBlank)
            $0.event = event
        }
        return context
    }

    /// Returns a context to the pool. No handler refers to it.
    @inline(__always)
    mutating func giveBack(_ context: Borrowed<ChangeContext>) {
        context.use { $0.observation = nil }
        spareContexts.giveBack(context)
    }

    // MARK: Subjects and transactions

    @inline(__always)
    mutating func takeSubject() -> Borrowed<Subject> {
        let subject = spareSubjects.take() ?? Borrowed.retaining(Subject())
        assert(subject.use { $0.isBlank })
        return subject
    }

    /// A transaction that the caller gives back.
    mutating func takeTransaction() -> Borrowed<Transaction> {
        let transaction = spareTransactions.take() ?? .retaining(Transaction())
        transaction.use {
            ($0.token, $0.raisedHeights) = (makeToken(), Transaction.raisedHeights.load(ordering: .acquiring))
        }
        return transaction
    }

    /// Puts a transaction into the pool, whose subjects have been given back.
    mutating func giveBack(_ transaction: Borrowed<Transaction>) {
        transaction.use { $0.clear() }
        spareTransactions.giveBack(transaction)
    }

    @inline(__always)
    mutating func appendPending(_ subject: Subject) {
        pending.append(.to(subject))
        if pendingTopics != nil { filePending(subject) }
    }

    @inline(__always)
    mutating func removePending(_ subject: Subject) {
        guard subject.isPending else { return }
        pending.remove(subject)
        if pendingTopics != nil { filePending(subject) }
    }

    /// Puts a subject into the table, or takes one out that is pending no more.
    @inline(never)
    private mutating func filePending(_ subject: Subject) {
        if subject.isPending { subject.pendingNumber = makeToken() }
        for topic in subject.wideTopics {
            pendingTopics![topic, default: [:]][subject.pendingNumber] = subject.isPending ? subject : nil
            if pendingTopics![topic]!.isEmpty { pendingTopics![topic] = nil }
        }
        if pending.isEmpty { pendingTopics = nil }
    }

    /// The pending subjects that a change of these lists and routes concerns, or that are of these records, the outermost first.
    mutating func pending(of topics: Set<Subject.Identity>) -> [Subject] {
        if !pending.isLonger(than: Transaction.searchedCount) {
            return pending.members.lazy.map(\.object).filter { !topics.isDisjoint(with: $0.wideTopics) }
        }
        if pendingTopics == nil {
            pendingTopics = [:]
            pending.forEach { filePending($0) }
        }
        let found = topics.reduce(into: [:]) { $0.merge(pendingTopics![$1] ?? [:]) { subject, _ in subject } }
        return found.inOrder { $0.key < $1.key }.map(\.value)
    }

    // MARK: Open transactions

    /// Whether observers are to be told later of changes that have been made.
    var holdsChanges: Bool { coalescing != nil || !openTransactions.isEmpty }

    func openTransaction(_ target: ObjectIdentifier, _ slot: Int) -> Borrowed<Transaction>? {
        openTransactions.last { $0.isOf(target, slot) }
    }

    /// A token that no other change of the process has. A thread takes them in blocks of 65,536, which no other thread has.
    mutating func makeToken() -> UInt {
        if lastToken & 0xFFFF == 0 { lastToken = Self.tokenBlocks.wrappingAdd(1, ordering: .relaxed).newValue << 16 }
        lastToken += 1
        return lastToken
    }

    /// Traps, in a debug build, if the open changes do not agree about what they share: each subject counts all changes that it waits for, and each
    /// open change has it once. Mutating, since the context would be copied for it else.
    mutating func checkInvariants() {
        #if DEBUG
            let all = (openTransactions.members + (coalescing.map { [$0] } ?? [])).map(\.object)
            if all.count > 40 { return }
            let waiting = (all + settling.map(\.object)).reduce(0) { $0 + $1.marked.count }
            precondition(waiting == waitingCount, "The thread does not count all expressions that wait.")
            let lists = all.map(\.subjects).filter { $0.count <= 40 }
            precondition(lists.allSatisfy { Set($0).count == $0.count }, "An open change has one subject twice.")
            let subjects = Dictionary(grouping: lists.joined()) { $0 }
            let isCounted = subjects.allSatisfy { subject, users in subject.object.openCount >= users.count }
            precondition(isCounted, "A subject does not count all changes that it waits for.")
        #endif
    }
}

extension InPlace where Value == ThreadContext {
    /// Drops the changes of objects that died after the changes had begun, on whatever thread: no call can end them any more. The search
    /// for an open change follows, which takes as long. The values that a change had read are released: user code runs.
    func dropDeadTransactions() {
        while let transaction = value.openTransactions.last(where: { $0.isOfDead }) { transaction.object.drop(self) }
    }

    /// The open change, or the `coalescingChanges` under way, that has a subject. Not a method of the context, which would be copied.
    @inline(__always)
    func holder(of identity: Subject.Identity) -> Borrowed<Transaction>? {
        if let coalescing = value.coalescing, coalescing.use({ $0.has(identity) }) { return coalescing }
        return value.openTransactions.members.first { $0.use { $0.has(identity) } }
    }

    /// Calls a function with the subjects that the open changes of the thread have of a topic. It may get one several times.
    @inline(never)
    func forEachOpen(_ identity: Subject.Identity, _ body: (Subject) -> Void) {
        for transaction in value.openTransactions.members + value.settling + [value.coalescing].compactMap({ $0 }) {
            transaction.object.forEach(of: identity, body)
        }
    }

    /// Whether other threads have some of a topic's `count` known open subjects.
    func isOpenElsewhere(_ identity: Subject.Identity, _ count: Int32) -> Bool {
        var own: Set<ObjectIdentifier> = []
        forEachOpen(identity) { if $0.toldBefore != nil { own.insert(ObjectIdentifier($0)) } }
        return count > own.count
    }

    /// Returns a subject to the pool. Its values and its topic are released: user code runs.
    @inline(__always)
    func giveBack(_ subject: Borrowed<Subject>) {
        subject.use { $0.clear() }
        value.spareSubjects.giveBack(subject)
    }
}
