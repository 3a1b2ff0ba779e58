import CDeallocHook
import Testing

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// In processes of their own, so that nothing else takes part in the times or the counts.
@Suite(.serialized) struct Scale {
    /// The processor time that this thread takes, in seconds.
    static func time(_ body: () -> Void) -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let start = now()
        body()
        return now() - start
    }

    static func buildAndTearDown(_ count: Int) {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: count * 48, alignment: 16)
        let key = Key()
        for i in 0..<count {
            demand(cdh_associate(memory + i * 48, key.address, memory, nil, CDH_LAST) == CDH_OK)
        }
        demand(cdh_live_entries() == count)
        for i in 0..<count { cdh_teardown(memory + i * 48) }
        demand(cdh_live_entries() == 0)
        memory.deallocate()
    }

    // Four times as many objects take about four times as long, more where they leave the caches; sixteen times would be
    // a table that is searched from end to end.
    @Test func aMillionObjectsAreBuiltAndTornDownInLinearTime() async {
        await #expect(processExitsWith: .success) {
            Scale.buildAndTearDown(250_000)
            let quarter = (0..<3).map { _ in Scale.time { Scale.buildAndTearDown(250_000) } }.min()!
            let whole = Scale.time { Scale.buildAndTearDown(1_000_000) }
            #expect(whole < 12 * quarter, "\(quarter) s for 250,000, \(whole) s for 1,000,000")
        }
    }

    // Entries come and go in no order, so that the table grows and shrinks.
    @Test func entriesThatComeAndGoInNoOrderAreFoundAndLeaveNothing() async {
        await #expect(processExitsWith: .success) {
            let count = 40_000
            let memory = UnsafeMutableRawPointer.allocate(byteCount: count * 48, alignment: 16)
            let key = Key()
            var isStored = [Bool](repeating: false, count: count)
            var seed: UInt64 = 1
            for step in 0..<600_000 {
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let i = Int(seed >> 33) % count
                // More are stored than removed at first, then fewer.
                let stores = Int(seed >> 20) % 10 < (step < 300_000 ? 8 : 2)
                if stores {
                    demand(cdh_associate(memory + i * 48, key.address, memory + i, nil, CDH_LAST) == CDH_OK)
                } else {
                    demand(cdh_dissociate(memory + i * 48, key.address) == isStored[i])
                }
                isStored[i] = stores
            }
            demand(cdh_live_entries() == isStored.count { $0 })
            for i in 0..<count {
                demand(cdh_associated(memory + i * 48, key.address, nil) == (isStored[i] ? memory + i : nil))
                cdh_teardown(memory + i * 48)
                demand(cdh_associated(memory + i * 48, key.address, nil) == nil)
            }
            demand(cdh_live_entries() == 0)
            memory.deallocate()
        }
    }

    @Test func callbacksOfOneObjectAreAddedAndCancelledInLessThanQuadraticTime() async {
        await #expect(processExitsWith: .success) {
            func run(_ count: Int) {
                let memory = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 16)
                var tokens = [UInt64](repeating: 0, count: count)
                for i in 0..<count {
                    demand(cdh_on_teardown(memory, { _, _ in }, nil, nil, &tokens[i]) == CDH_OK)
                }
                for token in tokens.reversed() { demand(cdh_cancel(memory, token)) }
                demand(cdh_live_entries() == 0)
                memory.deallocate()
            }
            // Sixteen times as many take 16 times as long, or 256 times if it were quadratic. The larger run leaves the caches,
            // and other programs may be running, so the line is drawn in between.
            run(25_000)
            let few = (0..<3).map { _ in Scale.time { run(25_000) } }.min()!
            let many = (0..<2).map { _ in Scale.time { run(400_000) } }.min()!
            #expect(many < 100 * few, "\(few) s for 25,000, \(many) s for 400,000")
        }
    }

    @Test func keysOfOneObjectAreAddedAndRemovedInLessThanQuadraticTime() async {
        await #expect(processExitsWith: .success) {
            func run(_ count: Int) {
                let memory = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
                for i in 0..<count { demand(cdh_associate(memory, memory + i, memory, nil, CDH_FIRST) == CDH_OK) }
                for i in 0..<count { demand(cdh_dissociate(memory, memory + i)) }
                demand(cdh_live_entries() == 0)
                memory.deallocate()
            }
            // Sixteen times as many take 16 times as long, or 256 times if it were quadratic. The larger run leaves the caches,
            // and other programs may be running, so the line is drawn in between.
            run(25_000)
            let few = (0..<3).map { _ in Scale.time { run(25_000) } }.min()!
            let many = (0..<2).map { _ in Scale.time { run(400_000) } }.min()!
            #expect(many < 100 * few, "\(few) s for 25,000, \(many) s for 400,000")
        }
    }
}
