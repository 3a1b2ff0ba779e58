import CDeallocHook
import Synchronization
import Testing

/// The allocator belongs to the whole table, so each of these runs in a process of its own.
@Suite(.serialized) struct MemoryFailures {
    /// Hands out memory until `remaining` is zero, fails once, and then goes on.
    enum FailingAllocator {
        static let remaining = Atomic(Int.max)
        static let outstanding = Atomic(0)
        static let failures = Atomic(0)

        static func install() {
            var allocator = cdh_allocator(
                allocate: { bytes in
                    if FailingAllocator.remaining.subtract(1, ordering: .relaxed).oldValue == 0 {
                        FailingAllocator.failures.add(1, ordering: .relaxed)
                        return nil
                    }
                    FailingAllocator.outstanding.add(1, ordering: .relaxed)
                    return UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 16)
                },
                deallocate: { memory in
                    guard let memory else { return }
                    FailingAllocator.outstanding.subtract(1, ordering: .relaxed)
                    memory.deallocate()
                })
            cdh_set_allocator(&allocator)
        }

        /// Calls `body` with no failure, then with the first allocation failing, then with the second, until none is left.
        static func failAtEachPoint(_ body: () -> Void) {
            install()
            var point = 0
            repeat {
                failures.store(0, ordering: .relaxed)
                remaining.store(point, ordering: .relaxed)
                body()
                #expect(cdh_live_entries() == 0)
                #expect(outstanding.load(ordering: .relaxed) == 0)
                point += 1
            } while failures.load(ordering: .relaxed) > 0
            #expect(point > 1)
            cdh_set_allocator(nil)
        }

        /// Whether a call that adds something now is refused: its first block is for what it adds, and without a second, to
        /// grow, the table serves as well.
        static var refusesNext: Bool { remaining.load(ordering: .relaxed) == 0 }
        static var failureCount: Int { failures.load(ordering: .relaxed) }
    }

    @Test func aRefusedAssociationChangesNothingAtAnyKeyCount() async {
        await #expect(processExitsWith: .success) {
            FailingAllocator.failAtEachPoint {
                let thing = Thing(), log = Log()
                let keys = (0..<30).map { _ in Key() }
                var stored: [Int] = []
                for (i, key) in keys.enumerated() {
                    let isRefused = FailingAllocator.refusesNext
                    let result = thing.associate(Value("\(i)", log), for: key)
                    #expect(result == (isRefused ? CDH_NO_MEMORY : CDH_OK))
                    if result == CDH_OK { stored.append(i) }
                    #expect((0..<30).filter { thing.value(for: keys[$0]) != nil } == stored)
                }
                #expect(log.take() == [])
                thing.tearDown()
                #expect(Set(log.take()) == Set(stored.map { "released \($0)" }))
            }
        }
    }

    @Test func aRefusedCallbackNeverRunsAndTheOthersDo() async {
        await #expect(processExitsWith: .success) {
            FailingAllocator.failAtEachPoint {
                let thing = Thing(), log = Log()
                var expected: [String] = []
                for i in 0..<40 {
                    let isRefused = FailingAllocator.refusesNext
                    var result = CDH_OK
                    let token = thing.onTeardown("\(i)", log, result: &result)
                    #expect(result == (isRefused ? CDH_NO_MEMORY : CDH_OK))
                    if token != nil { expected.append("\(i) ran") }
                }
                thing.tearDown()
                #expect(log.take().filter { $0.hasSuffix(" ran") } == expected)
            }
        }
    }

    @Test func aRefusedObjectIsUnknownAndTheOthersAreKept() async {
        await #expect(processExitsWith: .success) {
            FailingAllocator.failAtEachPoint {
                let things = (0..<1500).map { _ in Thing() }
                let log = Log(), key = Key()
                let stored = things.map { $0.associate(Value("v", log), for: key) == CDH_OK }
                let known = things.map { $0.value(for: key) != nil }
                #expect(known == stored)
                #expect(cdh_live_entries() == stored.filter { $0 }.count)
                for thing in things { thing.tearDown() }
                #expect(log.take().count == stored.filter { $0 }.count)
            }
        }
    }

    @Test func replacementNeedsNoMemory() async {
        await #expect(processExitsWith: .success) {
            FailingAllocator.install()
            let thing = Thing(), log = Log()
            let keys = (0..<10).map { _ in Key() }
            for key in keys { #expect(thing.associate(Value("a", log), for: key) == CDH_OK) }
            for key in keys {
                FailingAllocator.remaining.store(0, ordering: .relaxed)
                #expect(thing.associate(Value("b", log), for: key) == CDH_OK)
                #expect(FailingAllocator.failureCount == 0)
            }
            thing.tearDown()
            cdh_set_allocator(nil)
        }
    }

    @Test func teardownAndRemovalSucceedWithoutMemory() async {
        await #expect(processExitsWith: .success) {
            FailingAllocator.install()
            let things = (0..<3000).map { _ in Thing() }
            let log = Log(), key = Key(), second = Key()
            for thing in things {
                #expect(thing.associate(Value("v", log), for: key) == CDH_OK)
                #expect(thing.associate(Value("w", log), for: second) == CDH_OK)
                thing.onTeardown("a", log)
            }
            for (i, thing) in things.enumerated() {
                FailingAllocator.remaining.store(0, ordering: .relaxed)  // not even to make the table smaller
                if i % 3 == 0 { #expect(thing.dissociate(key)) }
                thing.tearDown()
                #expect(thing.value(for: key) == nil)
            }
            #expect(log.take().count == 3000 * 4)
            #expect(cdh_live_entries() == 0)
            #expect(FailingAllocator.outstanding.load(ordering: .relaxed) == 0)
            cdh_set_allocator(nil)
        }
    }

    @Test func memoryGoesBackAsObjectsGo() async {
        await #expect(processExitsWith: .success) {
            FailingAllocator.install()
            let things = (0..<2000).map { _ in Thing() }
            let log = Log(), key = Key(), second = Key()
            for thing in things { _ = thing.associate(Value("v", log), for: key) }
            for thing in things { _ = thing.associate(Value("w", log), for: second) }
            let tokens = things.map { $0.onTeardown("a", log)! }
            // One block for each, and one for the trees of each of the 64 stripes.
            let all = FailingAllocator.outstanding.load(ordering: .relaxed)
            #expect((6000...6064).contains(all))
            for (thing, token) in zip(things, tokens) { #expect(thing.cancel(token)) }
            for thing in things { #expect(thing.dissociate(second)) }
            #expect(FailingAllocator.outstanding.load(ordering: .relaxed) == all - 4000)
            for thing in things { #expect(thing.dissociate(key)) }
            #expect(FailingAllocator.outstanding.load(ordering: .relaxed) == 0)
            cdh_set_allocator(nil)
        }
    }

    @Test func theTableWorksWithoutMemoryToGrow() async {
        await #expect(processExitsWith: .success) {
            FailingAllocator.install()
            let things = (0..<500).map { _ in Thing() }
            let log = Log(), key = Key()
            // An association takes one block; every other allocation is one with which the table would grow, and fails.
            for thing in things {
                FailingAllocator.remaining.store(1, ordering: .relaxed)
                #expect(thing.associate(Value("v", log), for: key) == CDH_OK)
            }
            #expect(FailingAllocator.failureCount > 0)
            #expect(FailingAllocator.outstanding.load(ordering: .relaxed) == 500)
            for thing in things { #expect(thing.value(for: key) == "v") }
            for thing in things { thing.tearDown() }
            #expect(log.take().count == 500)
            #expect(FailingAllocator.outstanding.load(ordering: .relaxed) == 0)
            cdh_set_allocator(nil)
        }
    }

    @Test func membershipAndTeardownWithoutHooksNeedNoMemory() async {
        await #expect(processExitsWith: .success) {
            FailingAllocator.install()
            FailingAllocator.remaining.store(0, ordering: .relaxed)
            let member = UnsafeMutablePointer<cdh_member>.allocate(capacity: 1)
            member.initialize(to: cdh_member())
            cdh_join(member)
            cdh_leave(member)
            Thing().tearDown()
            #expect(FailingAllocator.failureCount == 0)
            member.deallocate()
            cdh_set_allocator(nil)
        }
    }

    @Test func theAllocatorMustNotChangeWhileThereAreEntries() async {
        await #expect(processExitsWith: .failure) {
            let thing = Thing()
            thing.onTeardown("a", Log())
            cdh_set_allocator(nil)
        }
    }
}
