import CDeallocHook
import Testing

struct Associations {
    let thing = Thing()
    let key = Key()
    let log = Log()

    @Test func aValueIsFoundUnderItsKeyAndObjectOnly() {
        let other = Thing(), otherKey = Key()
        #expect(thing.associate(Value("a", log), for: key) == CDH_OK)
        #expect(thing.value(for: key) == "a")
        #expect(thing.value(for: otherKey) == nil)
        #expect(other.value(for: key) == nil)
        thing.tearDown()
    }

    @Test func anUnknownObjectHasNothing() {
        #expect(thing.value(for: key) == nil)
        #expect(!thing.dissociate(key))
        #expect(!thing.cancel(1))
        #expect(!thing.isDying)
    }

    @Test func replacementReleasesTheOldValue() {
        _ = thing.associate(Value("a", log), for: key)
        #expect(log.take() == [])
        #expect(thing.associate(Value("b", log), for: key) == CDH_OK)
        #expect(log.take() == ["released a"])
        #expect(thing.value(for: key) == "b")
        thing.tearDown()
        #expect(log.take() == ["released b"])
    }

    @Test func replacementTakesTheOrderOfTheNewValue() {
        let second = Key()
        _ = thing.associate(Value("a", log), for: key, order: CDH_FIRST)
        _ = thing.associate(Value("b", log), for: second, order: CDH_LAST)
        _ = thing.associate(Value("A", log), for: key, order: CDH_LAST)
        _ = thing.associate(Value("B", log), for: second, order: CDH_FIRST)
        _ = log.take()
        thing.tearDown()
        #expect(log.take() == ["released B", "released A"])
    }

    @Test func theReleaseOfAReplacedValueSeesTheNewOne() {
        var seen: String?
        withExtendedLifetime(thing) {
            _ = thing.associate(Value("a", log) { [thing, key] in seen = thing.value(for: key) }, for: key)
            _ = thing.associate(Value("b", log), for: key)
        }
        #expect(seen == "b")
        thing.tearDown()
    }

    @Test func removalReleasesTheValueOnce() {
        _ = thing.associate(Value("a", log), for: key)
        #expect(thing.dissociate(key))
        #expect(!thing.dissociate(key))
        #expect(thing.value(for: key) == nil)
        thing.tearDown()
        #expect(log.take() == ["released a"])
    }

    @Test func aReleaseFunctionMayUseTheTableForTheSameObject() {
        let second = Key()
        let value = Value("a", log) { [thing, key, second, log] in
            #expect(thing.associate(Value("b", log), for: second) == CDH_OK)
            #expect(!thing.dissociate(key))
        }
        _ = thing.associate(value, for: key)
        #expect(thing.dissociate(key))
        #expect(thing.value(for: second) == "b")
        thing.tearDown()
    }

    @Test func aValueNeedsNoReleaseFunction() {
        #expect(
            cdh_associate(thing.address, key.address, UnsafeMutableRawPointer(bitPattern: 1)!, nil, CDH_LAST) == CDH_OK)
        #expect(cdh_associated(thing.address, key.address, nil) == UnsafeMutableRawPointer(bitPattern: 1))
        thing.tearDown()
        #expect(cdh_associated(thing.address, key.address, nil) == nil)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 17, 300])
    func manyKeysOfOneObjectAreKeptApart(count: Int) {
        let keys = (0..<count).map { _ in Key() }
        for (i, key) in keys.enumerated() { #expect(thing.associate(Value("\(i)", log), for: key) == CDH_OK) }
        for (i, key) in keys.enumerated() { #expect(thing.value(for: key) == "\(i)") }
        for key in keys.enumerated().filter({ $0.offset % 3 == 0 }) { #expect(thing.dissociate(key.element)) }
        for (i, key) in keys.enumerated() { #expect(thing.value(for: key) == (i % 3 == 0 ? nil : "\(i)")) }
        thing.tearDown()
        #expect(Set(log.take()) == Set((0..<count).map { "released \($0)" }))
    }

    @Test func manyObjectsAreKeptApart() {
        let things = (0..<2000).map { _ in Thing() }
        for (i, thing) in things.enumerated() { #expect(thing.associate(Value("\(i)", log), for: key) == CDH_OK) }
        for thing in things.enumerated().filter({ $0.offset % 2 == 0 }) { thing.element.tearDown() }
        for (i, thing) in things.enumerated() { #expect(thing.value(for: key) == (i % 2 == 0 ? nil : "\(i)")) }
        for thing in things { thing.tearDown() }
        #expect(log.take().count == 2000)
    }

    @Test func neighbouringBytesAreDifferentObjects() {
        let base = thing.address
        for i in 0..<16 {
            #expect(
                cdh_associate(base + i, key.address, UnsafeMutableRawPointer(bitPattern: i + 1)!, nil, CDH_FIRST)
                    == CDH_OK)
        }
        for i in 0..<16 {
            #expect(cdh_associated(base + i, key.address, nil) == UnsafeMutableRawPointer(bitPattern: i + 1))
            cdh_teardown(base + i)
        }
    }

    @Test func nothingIsLeftAfterAllOfThese() async {
        await #expect(processExitsWith: .success) {
            Associations().aValueIsFoundUnderItsKeyAndObjectOnly()
            Associations().anUnknownObjectHasNothing()
            Associations().replacementReleasesTheOldValue()
            Associations().replacementTakesTheOrderOfTheNewValue()
            Associations().theReleaseOfAReplacedValueSeesTheNewOne()
            Associations().removalReleasesTheValueOnce()
            Associations().aReleaseFunctionMayUseTheTableForTheSameObject()
            Associations().aValueNeedsNoReleaseFunction()
            Associations().manyKeysOfOneObjectAreKeptApart(count: 300)
            Associations().manyObjectsAreKeptApart()
            Associations().neighbouringBytesAreDifferentObjects()
            #expect(cdh_live_entries() == 0)
        }
    }

    @Test func anEntryIsCountedWhileItHoldsSomething() async {
        await #expect(processExitsWith: .success) {
            let first = Thing(), second = Thing(), key = Key(), otherKey = Key(), log = Log()
            #expect(cdh_live_entries() == 0)
            _ = first.associate(Value("a", log), for: key)
            _ = first.associate(Value("b", log), for: otherKey)
            #expect(cdh_live_entries() == 1)
            let token = second.onTeardown("c", log)!
            #expect(cdh_live_entries() == 2)
            _ = first.dissociate(key)
            #expect(cdh_live_entries() == 2)
            _ = first.dissociate(otherKey)
            #expect(cdh_live_entries() == 1)
            #expect(second.cancel(token))
            #expect(cdh_live_entries() == 0)
        }
    }
}
