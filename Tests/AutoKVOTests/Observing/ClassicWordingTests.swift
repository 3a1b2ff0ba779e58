import AutoKVO
import AutoKVOTestSupport
import Testing

/// An observer as one writes it for Foundation.
private final class ClassicObserver: TrackedObject {
    struct Call {
        let keyPath: String?
        let object: ObjectIdentifier?
        let change: [KeyValueChangeKey: Any]
        let context: UnsafeMutableRawPointer?
    }

    var calls: [Call] = []
    var passesOn = false

    override func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [KeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        if passesOn {
            return super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
        }
        calls.append(
            Call(
                keyPath: keyPath, object: (object as? TrackedObject).map(ObjectIdentifier.init), change: change ?? [:],
                context: context))
    }
}

/// Foundation's wording.
struct ClassicWordingTests {
    let person = Person()
    private let observer = ClassicObserver()
    private var context: UnsafeMutableRawPointer { UnsafeMutableRawPointer(bitPattern: 8)! }

    @Test("a change arrives in observeValue with path, object, dictionary and context") func arrives() throws {
        try person.addObserver(observer, forKeyPath: "age", options: [.old, .new], context: context)
        person.age = 3
        let call = try #require(observer.calls.first)
        expectEqual(observer.calls.count, 1)
        expectEqual(call.keyPath, "age")
        expectEqual(call.object, ObjectIdentifier(person))
        expectEqual(call.change[.kindKey] as? UInt, ChangeKind.setting.rawValue)
        expectEqual(call.change[.oldKey] as? Int, 0)
        expectEqual(call.change[.newKey] as? Int, 3)
        #expect(call.change[.indexesKey] == nil && call.change[.notificationIsPriorKey] == nil)
        expectEqual(call.context, context)
    }

    @Test("the dictionary has what the options asked for, and indexes and priors where there are any") func dictionary()
        throws
    {
        try person.addObserver(observer, forKeyPath: "scores", options: [.prior, .new], context: nil)
        person.$scores.append(5)
        expectEqual(observer.calls.count, 2)
        expectEqual(observer.calls[0].change[.notificationIsPriorKey] as? Bool, true)
        expectEqual(observer.calls[1].change[.newKey] as? [Int], [5])
        expectEqual(observer.calls[1].change[.indexesKey] as? RangeSet<Int>, RangeSet(0..<1))
        #expect(observer.calls[1].change[.oldKey] == nil)
        #expect(observer.calls[1].context == nil)
    }

    @Test("it is removed with its context, or with the life of either side") func removal() throws {
        try person.addObserver(observer, forKeyPath: "age", context: context)
        try person.addObserver(observer, forKeyPath: "age", context: nil)
        expectEqual(person.removeObserver(observer, forKeyPath: "age", context: context), 1)
        person.age = 1
        expectEqual(observer.calls.map(\.context), [nil])
        do { try person.addObserver(ClassicObserver(), forKeyPath: "age", context: nil) }
        expectEqual(person.observations().count, 1)
    }

    @Test("a change that nobody takes is reported") func nobody() throws {
        observer.passesOn = true
        try person.addObserver(observer, forKeyPath: "age", context: nil)
        let told = messages { person.age = 1 }
        expectEqual(told.count, 1)
        expectEqual(told.first?.contains("age"), true)
    }
}
