import CDeallocHook
import Testing

struct Teardown {
    let thing = Thing()
    let key = Key()
    let log = Log()

    @Test func anUnknownObjectIsIgnored() {
        thing.tearDown()
        thing.tearDown()
        #expect(!thing.isDying)
        #expect(thing.associate(Value("a", log), for: key) == CDH_OK)
        thing.tearDown()
    }

    @Test func firstValuesGoBeforeLastOnesWhicheverCameFirst() {
        let keys = (0..<20).map { _ in Key() }
        for (i, key) in keys.enumerated() {
            let isLast = i % 2 == 0
            _ = thing.associate(Value(isLast ? "last" : "first", log), for: key, order: isLast ? CDH_LAST : CDH_FIRST)
        }
        thing.tearDown()
        let expected = Array(repeating: "released first", count: 10) + Array(repeating: "released last", count: 10)
        #expect(log.take() == expected)
    }

    @Test func whileDyingTheObjectRefusesAdditionsAndChangesNothing() {
        _ = thing.associate(Value("a", log), for: key)
        thing.onTeardown("c", log) { [thing, key, log] _ in
            #expect(thing.isDying)
            #expect(thing.associate(Value("new", log), for: Key()) == CDH_DYING)
            #expect(thing.associate(Value("instead", log), for: key) == CDH_DYING)
            var result = CDH_OK
            #expect(thing.onTeardown("never", log, result: &result) == nil)
            #expect(result == CDH_DYING)
            #expect(thing.value(for: key) == "a")
        }
        thing.tearDown()
        #expect(log.take() == ["c ran", "c's context released", "released a"])
    }

    @Test func theReleaseOfAValueIsRefusedAdditionsToo() {
        let value = Value("a", log) { [thing, key, log] in
            #expect(thing.isDying)
            #expect(thing.associate(Value("b", log), for: key) == CDH_DYING)
        }
        _ = thing.associate(value, for: key)
        thing.tearDown()
        #expect(!thing.isDying)
        #expect(log.take() == ["released a"])
    }

    @Test func valuesNotYetReleasedAreFoundWhileDying() {
        let last = Key(), third = Key()
        let first = Value("first", log) { [thing, key, last] in
            #expect(thing.value(for: key) == nil)
            #expect(thing.value(for: last) == "last")
        }
        let lastValue = Value("last", log) { [thing, last] in #expect(thing.value(for: last) == nil) }
        _ = thing.associate(lastValue, for: last, order: CDH_LAST)
        _ = thing.associate(first, for: key)
        thing.onTeardown("c", log) { [thing, key, last, third] _ in
            #expect(thing.value(for: key) == "first")
            #expect(thing.value(for: last) == "last")
            #expect(thing.value(for: third) == nil)
        }
        thing.tearDown()
        #expect(log.take() == ["c ran", "c's context released", "released first", "released last"])
    }

    @Test func aCallbackMayRemoveValuesOfTheDyingObject() {
        let keys = (0..<10).map { _ in Key() }
        for (i, key) in keys.enumerated() { _ = thing.associate(Value("\(i)", log), for: key) }
        thing.onTeardown("c", log) { [thing] _ in
            for key in keys[0..<5] { #expect(thing.dissociate(key)) }
            for key in keys[0..<5] { #expect(!thing.dissociate(key)) }
            for (i, key) in keys.enumerated() { #expect(thing.value(for: key) == (i < 5 ? nil : "\(i)")) }
        }
        thing.tearDown()
        let released = log.take().filter { $0.hasPrefix("released") }
        #expect(released[0..<5] == ["released 0", "released 1", "released 2", "released 3", "released 4"])
        #expect(Set(released) == Set((0..<10).map { "released \($0)" }) && released.count == 10)
    }

    @Test func aSecondTeardownFromWithinIsIgnored() {
        thing.onTeardown("a", log) { [thing] _ in
            thing.tearDown()
            #expect(thing.isDying)
        }
        thing.onTeardown("b", log)
        thing.tearDown()
        #expect(log.take() == ["a ran", "a's context released", "b ran", "b's context released"])
    }

    @Test func nothingIsLeftUnderAnAddressThatIsUsedAgain() {
        for round in 0..<50 {
            #expect(thing.value(for: key) == nil)
            #expect(!thing.isDying)
            #expect(thing.associate(Value("\(round)", log), for: key) == CDH_OK)
            thing.onTeardown("c", log)
            #expect(thing.value(for: key) == "\(round)")
            thing.tearDown()
            #expect(log.take() == ["c ran", "c's context released", "released \(round)"])
        }
    }

    @Test func aChainOfObjectsThatReleaseEachOtherIsTornDown() {
        let things = (0..<300).map { _ in Thing() }
        for i in 0..<299 {
            _ = things[i].associate(Value("\(i)", log) { things[i + 1].tearDown() }, for: key)
        }
        _ = things[299].associate(Value("299", log), for: key)
        things[0].tearDown()
        #expect(log.take() == (0..<300).map { "released \($0)" })
    }

    @Test func onlyTheDyingObjectIsDying() {
        let other = Thing()
        other.onTeardown("other", log)
        thing.onTeardown("a", log) { [other] object in
            #expect(cdh_is_dying(object))
            #expect(!other.isDying)
        }
        thing.tearDown()
        other.tearDown()
    }

    @Test func nothingIsLeftAfterAllOfThese() async {
        await #expect(processExitsWith: .success) {
            Teardown().anUnknownObjectIsIgnored()
            Teardown().firstValuesGoBeforeLastOnesWhicheverCameFirst()
            Teardown().whileDyingTheObjectRefusesAdditionsAndChangesNothing()
            Teardown().theReleaseOfAValueIsRefusedAdditionsToo()
            Teardown().valuesNotYetReleasedAreFoundWhileDying()
            Teardown().aCallbackMayRemoveValuesOfTheDyingObject()
            Teardown().aSecondTeardownFromWithinIsIgnored()
            Teardown().nothingIsLeftUnderAnAddressThatIsUsedAgain()
            Teardown().aChainOfObjectsThatReleaseEachOtherIsTornDown()
            Teardown().onlyTheDyingObjectIsDying()
            #expect(cdh_live_entries() == 0)
        }
    }

    @Test func theDyingEntryIsCountedUntilItsTeardownIsOver() async {
        await #expect(processExitsWith: .success) {
            let thing = Thing(), log = Log(), key = Key()
            thing.onTeardown("a", log) { _ in #expect(cdh_live_entries() == 1) }
            _ = thing.associate(Value("v", log) { #expect(cdh_live_entries() == 1) }, for: key)
            thing.tearDown()
            #expect(cdh_live_entries() == 0)
        }
    }
}
