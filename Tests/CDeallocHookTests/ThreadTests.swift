import CDeallocHook
import Testing

struct Threads {
    static let rounds = isSlow ? 500 : 5000

    @Test func aCallbackThatRunsCannotBeCancelledFromAnotherThreadButALaterOneCan() {
        let thing = Thing(), log = Log()
        let started = Gate(), mayEnd = Gate()
        let first = thing.onTeardown("a", log) { _ in
            started.open()
            mayEnd.wait()
        }!
        let second = thing.onTeardown("b", log)!
        let teardown = Thread { thing.tearDown() }
        started.wait()
        #expect(!thing.cancel(first))
        #expect(thing.cancel(second))
        #expect(!thing.cancel(second))
        #expect(log.take() == ["a ran", "b's context released"])
        mayEnd.open()
        teardown.join()
        #expect(log.take() == ["a's context released"])
    }

    @Test func anotherThreadIsRefusedAdditionsAndFindsValuesWhileATeardownIsUnderWay() {
        let thing = Thing(), log = Log(), key = Key(), otherKey = Key()
        let started = Gate(), mayEnd = Gate()
        thing.onTeardown("a", log) { _ in
            started.open()
            mayEnd.wait()
        }
        _ = thing.associate(Value("v", log), for: key)
        let teardown = Thread { thing.tearDown() }
        started.wait()
        #expect(thing.isDying)
        #expect(thing.value(for: key) == "v")
        #expect(thing.associate(Value("w", log), for: otherKey) == CDH_DYING)
        #expect(thing.associate(Value("w", log), for: key) == CDH_DYING)
        var result = CDH_OK
        #expect(thing.onTeardown("b", log, result: &result) == nil)
        #expect(result == CDH_DYING)
        thing.tearDown()  // ignored, and does not wait
        mayEnd.open()
        teardown.join()
        #expect(!thing.isDying)
        #expect(log.take() == ["a ran", "a's context released", "released v"])
    }

    @Test func aValueThatAnotherThreadRemovesDuringATeardownIsReleasedOnce() {
        let thing = Thing(), log = Log(), key = Key()
        let started = Gate(), mayEnd = Gate()
        thing.onTeardown("a", log) { _ in
            started.open()
            mayEnd.wait()
        }
        _ = thing.associate(Value("v", log), for: key)
        let teardown = Thread { thing.tearDown() }
        started.wait()
        #expect(thing.dissociate(key))
        #expect(log.take() == ["a ran", "released v"])
        mayEnd.open()
        teardown.join()
        #expect(log.take() == ["a's context released"])
    }

    @Test func aCallbackMayWaitForAnotherThreadThatUsesTheSameObject() {
        let thing = Thing(), log = Log(), key = Key()
        _ = thing.associate(Value("v", log), for: key)
        thing.onTeardown("a", log) { [thing, key] _ in
            Thread { #expect(thing.value(for: key) == "v") }.join()
        }
        thing.tearDown()
        #expect(log.take() == ["a ran", "a's context released", "released v"])
    }

    @Test func twoThreadsOnNeighbouringAddressesDoNotDisturbEachOther() {
        let base = UnsafeMutableRawPointer.allocate(byteCount: 64 * 32, alignment: 16)
        nonisolated(unsafe) let memory = UnsafeRawPointer(base)
        let key = Key()
        let threads = (0..<2).map { half in
            Thread {
                for i in 0..<Self.rounds {
                    let object = memory + (i % 64) * 32 + half * 16
                    let value = UnsafeMutableRawPointer(bitPattern: i + 1)!
                    #expect(cdh_associate(object, key.address, value, nil, CDH_FIRST) == CDH_OK)
                    #expect(cdh_associated(object, key.address, nil) == value)
                    if i % 5 != 0 { cdh_teardown(object) }
                }
                for i in 0..<64 { cdh_teardown(memory + i * 32 + half * 16) }
            }
        }
        for thread in threads { thread.join() }
        for i in 0..<128 { #expect(cdh_associated(memory + i * 16, key.address, nil) == nil) }
        base.deallocate()
    }

    @Test func whatTwoThreadsAssociateWithOneObjectIsReleasedAsOftenAsItWasStored() {
        let thing = Thing(), log = Log(), key = Key()
        let threads = (0..<2).map { half in
            Thread {
                for i in 0..<Self.rounds {
                    let result = thing.associate(Value("\(half)", log), for: key)
                    #expect(result == CDH_OK)
                    if i % 3 == 0 { _ = thing.dissociate(key) }
                    _ = thing.value(for: key)
                }
            }
        }
        for thread in threads { thread.join() }
        thing.tearDown()
        let released = log.take()
        #expect(released.filter { $0 == "released 0" }.count == Self.rounds)
        #expect(released.filter { $0 == "released 1" }.count == Self.rounds)
    }

    @Test func whatRacesATeardownIsStoredAndReleasedOrRefused() {
        let key = Key()
        for _ in 0..<Self.rounds / 10 {
            let thing = Thing(), log = Log()
            _ = thing.associate(Value("v", log), for: key)
            let token = thing.onTeardown("a", log)!
            let other = Thread { if thing.cancel(token) { log("cancelled") } }
            thing.tearDown()
            other.join()
            let lines = log.take()
            #expect(lines.filter { $0 == "a's context released" }.count == 1)
            #expect(lines.filter { $0 == "released v" }.count == 1)
            #expect(lines.contains("a ran") != lines.contains("cancelled"))
        }
    }

    @Test func manyThreadsThatBuildAndTearDownTheirOwnObjectsLeaveNothing() async {
        await #expect(processExitsWith: .success) {
            let key = Key(), log = Log()
            let threads = (0..<6).map { _ in
                Thread {
                    for _ in 0..<(Threads.rounds / 100) {
                        let things = (0..<50).map { _ in Thing() }
                        for thing in things { _ = thing.associate(Value("v", log), for: key) }
                        for thing in things { thing.onTeardown("a", log) }
                        for thing in things { thing.tearDown() }
                    }
                }
            }
            for thread in threads { thread.join() }
            #expect(log.take().count == 6 * (Threads.rounds / 100) * 50 * 3)
            #expect(cdh_live_entries() == 0)
        }
    }

    @Test func nothingIsLeftAfterAllOfThese() async {
        await #expect(processExitsWith: .success) {
            Threads().aCallbackThatRunsCannotBeCancelledFromAnotherThreadButALaterOneCan()
            Threads().anotherThreadIsRefusedAdditionsAndFindsValuesWhileATeardownIsUnderWay()
            Threads().aValueThatAnotherThreadRemovesDuringATeardownIsReleasedOnce()
            Threads().aCallbackMayWaitForAnotherThreadThatUsesTheSameObject()
            Threads().twoThreadsOnNeighbouringAddressesDoNotDisturbEachOther()
            Threads().whatTwoThreadsAssociateWithOneObjectIsReleasedAsOftenAsItWasStored()
            Threads().whatRacesATeardownIsStoredAndReleasedOrRefused()
            #expect(cdh_live_entries() == 0)
        }
    }
}
