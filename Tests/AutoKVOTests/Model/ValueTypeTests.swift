import AutoKVO
import AutoKVOTestSupport
import Testing

/// Options, kinds, change keys, paths and errors as values.
struct ValueTypeTests {
    @Test("kinds of changes and of set mutations have Foundation's raw values") func rawValues() {
        expectEqual((0...5).map { ChangeKind(rawValue: $0) }, [nil, .setting, .insertion, .removal, .replacement, nil])
        expectEqual((0...5).map { SetMutationKind(rawValue: $0) }, [nil, .union, .minus, .intersect, .set, nil])
    }

    @Test("a change key is its text") func changeKeys() {
        let keys: [KeyValueChangeKey] = [.kindKey, .newKey, .oldKey, .indexesKey, .notificationIsPriorKey]
        expectEqual(keys.map(\.rawValue), ["kind", "new", "old", "indexes", "notificationIsPrior"])
        expectEqual(keys.map { KeyValueChangeKey(rawValue: $0.rawValue) }, keys)
        expectEqual(Set(keys).count, keys.count)
    }

    @Test("each option has a bit of its own, and Foundation's four the bits that they have there") func options() {
        let all: [ObservingOptions] = [
            .new, .old, .initial, .prior, .unregisterManually, .distinct, .once, .retainsTarget,
        ]
        #expect(all.allSatisfy { $0.rawValue.nonzeroBitCount == 1 })
        expectEqual(ObservingOptions(all).rawValue.nonzeroBitCount, all.count)
        expectEqual(ObservingOptions(rawValue: ObservingOptions.prior.rawValue), .prior)
        expectEqual(ObservingOptions([.once, .new]).description, "[.new, .once]")
        expectEqual(ObservingOptions().description, "[]")
    }

    @Test("bits that are no options do nothing", arguments: [1 << 14, 1 << 15, 0xFE00]) func otherBits(bits: UInt16) {
        let person = Person("Ann")
        var names: [String] = []
        let known: ObservingOptions = [.old, .new, .unregisterAutomatically]
        person.$firstName.observe(options: ObservingOptions(rawValue: known.rawValue | bits)) {
            names.append($0.newValue!)
        }
        person.firstName = "Eve"
        expectEqual(names, ["Eve"])
    }

    @Test("a string is one path or several between |, a list is the paths of its strings, a set the sorted ones")
    func keyPathSets() {
        expectEqual("address.city".keyPaths, ["address.city"])
        expectEqual(" a | b.c ".keyPaths, ["a", "b.c"])
        expectEqual(["b", "a|c"].keyPaths, ["b", "a", "c"])
        expectEqual(["b", "a", "c"].dropFirst().keyPaths, ["a", "c"])
        expectEqual((["b", "a"] as Set).keyPaths, ["a", "b"])
    }

    @Test("errors are equal, and have equal hashes, if reason, class, key and path are") func errors() {
        let error = KeyValueError(.readOnlyKey, className: "Person", key: "age", keyPath: "spouse.age")
        let same = KeyValueError(.readOnlyKey, className: "Person", key: "age", keyPath: "spouse.age")
        #expect(error == same && Set([error, same]).count == 1)
        let others = [
            KeyValueError(.malformedPath, className: "Person", key: "age", keyPath: "spouse.age"),
            KeyValueError(.readOnlyKey, className: "Pet", key: "age", keyPath: "spouse.age"),
            KeyValueError(.readOnlyKey, className: "Person", key: "name", keyPath: "spouse.age"),
            KeyValueError(.readOnlyKey, className: "Person", key: "age"),
        ]
        expectEqual(Set(others + [error]).count, 5)
        expectEqual(others.last?.keyPath, "age", "without a path the key is the path")
    }
}
