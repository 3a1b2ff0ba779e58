import CDeallocHook
import Testing

struct Callbacks {
    let thing = Thing()
    let key = Key()
    let log = Log()

    @Test func callbacksRunInTheOrderOfTheirRegistration() {
        for i in 0..<10 { #expect(thing.onTeardown("\(i)", log) != nil) }
        thing.tearDown()
        #expect(log.take() == (0..<10).flatMap { ["\($0) ran", "\($0)'s context released"] })
    }

    @Test func cancellationKeepsTheOrderOfTheOthers() {
        var tokens: [UInt64] = []
        for i in 0..<40 { tokens.append(thing.onTeardown("\(i)", log)!) }
        for i in 0..<40 where i % 4 != 0 { #expect(thing.cancel(tokens[i])) }
        for i in 40..<50 { #expect(thing.onTeardown("\(i)", log) != nil) }
        _ = log.take()
        thing.tearDown()
        let expected = Array(stride(from: 0, to: 40, by: 4)) + Array(40..<50)
        #expect(log.take().filter { $0.hasSuffix(" ran") } == expected.map { "\($0) ran" })
    }

    @Test func aCallbackGetsTheAddressOfTheObject() {
        var seen: UnsafeRawPointer?
        thing.onTeardown("a", log) { seen = $0 }
        thing.tearDown()
        #expect(seen == thing.address)
    }

    @Test func aCancelledCallbackDoesNotRunAndItsContextIsReleasedOnce() {
        let token = thing.onTeardown("a", log)!
        #expect(thing.cancel(token))
        #expect(log.take() == ["a's context released"])
        #expect(!thing.cancel(token))
        thing.tearDown()
        #expect(log.take() == [])
    }

    @Test func aContextIsReleasedAfterItsCallbackRan() {
        let token = thing.onTeardown("a", log)!
        thing.tearDown()
        #expect(log.take() == ["a ran", "a's context released"])
        #expect(!thing.cancel(token))
        #expect(log.take() == [])
    }

    @Test func tokensAreNotZeroAndNotUsedAgainAtTheSameAddress() {
        var tokens = Set<UInt64>()
        for _ in 0..<100 {
            let token = thing.onTeardown("a", log)!
            #expect(token != 0)
            #expect(tokens.insert(token).inserted)
            thing.tearDown()
        }
    }

    @Test func anOldTokenDoesNotCancelTheCallbackOfALaterObject() {
        let old = thing.onTeardown("old", log)!
        thing.tearDown()
        thing.onTeardown("new", log)
        #expect(!thing.cancel(old))
        _ = log.take()
        thing.tearDown()
        #expect(log.take().first == "new ran")
    }

    @Test func aTokenNamesNothingUnderAnotherObject() {
        let others = (0..<200).map { _ in Thing() }
        for other in others { other.onTeardown("other", log) }
        let tokens = (0..<20).map { _ in thing.onTeardown("a", log)! }
        thing.tearDown()
        for token in tokens { #expect(!thing.cancel(token)) }
        _ = log.take()
        for other in others { other.tearDown() }
        #expect(log.take().count == 400)
    }

    @Test func aCallbackMayCancelALaterOne() {
        var later: UInt64 = 0
        thing.onTeardown("a", log) { [thing, log] _ in
            #expect(thing.cancel(later))
            log("cancelled")
        }
        later = thing.onTeardown("b", log)!
        thing.onTeardown("c", log)
        thing.tearDown()
        #expect(
            log.take() == [
                "a ran", "b's context released", "cancelled", "a's context released", "c ran", "c's context released",
            ])
    }

    @Test func aCallbackCannotCancelItselfNorAnEarlierOne() {
        let earlier = thing.onTeardown("a", log)!
        var own: UInt64 = 0
        own = thing.onTeardown("b", log) { [thing] _ in
            #expect(!thing.cancel(earlier))
            #expect(!thing.cancel(own))
        }!
        thing.tearDown()
        #expect(log.take().filter { $0.hasSuffix("released") } == ["a's context released", "b's context released"])
    }

    @Test func aCallbackMayCancelManyOfManyLaterOnes() {
        var tokens: [UInt64] = []
        thing.onTeardown("a", log) { [thing] _ in for token in tokens.reversed() { #expect(thing.cancel(token)) } }
        for i in 0..<100 { tokens.append(thing.onTeardown("\(i)", log)!) }
        thing.tearDown()
        #expect(log.take().filter { $0.hasSuffix(" ran") } == ["a ran"])
    }

    @Test func aCallbackMayAddToAndTearDownAnotherObject() {
        let other = Thing()
        other.onTeardown("other", log)
        thing.onTeardown("a", log) { [other, log] _ in
            #expect(other.onTeardown("added", log) != nil)
            other.tearDown()
            #expect(!other.isDying)
        }
        thing.tearDown()
        #expect(log.take().filter { $0.hasSuffix(" ran") } == ["a ran", "other ran", "added ran"])
    }

    @Test func anObjectCanHaveCallbacksAndValuesInAnyOrderOfArrival() {
        let second = Key()
        thing.onTeardown("a", log)
        _ = thing.associate(Value("1", log), for: key, order: CDH_LAST)
        thing.onTeardown("b", log)
        _ = thing.associate(Value("2", log), for: second)
        thing.tearDown()
        #expect(
            log.take() == [
                "a ran", "a's context released", "b ran", "b's context released", "released 2", "released 1",
            ])
    }

    @Test func nothingIsLeftAfterAllOfThese() async {
        await #expect(processExitsWith: .success) {
            Callbacks().callbacksRunInTheOrderOfTheirRegistration()
            Callbacks().cancellationKeepsTheOrderOfTheOthers()
            Callbacks().aCallbackGetsTheAddressOfTheObject()
            Callbacks().aCancelledCallbackDoesNotRunAndItsContextIsReleasedOnce()
            Callbacks().aContextIsReleasedAfterItsCallbackRan()
            Callbacks().tokensAreNotZeroAndNotUsedAgainAtTheSameAddress()
            Callbacks().anOldTokenDoesNotCancelTheCallbackOfALaterObject()
            Callbacks().aTokenNamesNothingUnderAnotherObject()
            Callbacks().aCallbackMayCancelALaterOne()
            Callbacks().aCallbackCannotCancelItselfNorAnEarlierOne()
            Callbacks().aCallbackMayCancelManyOfManyLaterOnes()
            Callbacks().aCallbackMayAddToAndTearDownAnotherObject()
            Callbacks().anObjectCanHaveCallbacksAndValuesInAnyOrderOfArrival()
            #expect(cdh_live_entries() == 0)
        }
    }
}
