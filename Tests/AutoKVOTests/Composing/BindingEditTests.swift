import AutoKVO
import AutoKVOTestSupport
import Testing

/// Bindings follow the whole value.
struct BindingEditTests {
    let source = Crate()
    let copy = Crate()

    @Test("after every edit of an array both sides are equal, and nothing is reported") func arrayEdits() {
        let told = messages {
            copy.$items.bind(to: source.$items)
            source.$items.append(1)
            source.$items.append(2)
            expectEqual(copy.items, [1, 2])
            source.$items.remove(at: 0)
            expectEqual(copy.items, [2])
            source.$items.insert(contentsOf: [9, 7, 8], at: 0)
            source.$items[1] = 5
            source.$items.swapAt(0, 3)
            expectEqual(copy.items, source.items)
            source.$items.sort()
            expectEqual(copy.items, [2, 5, 8, 9])
            source.$items.replaceSubrange(1..<3, with: [4])
            expectEqual(copy.items, [2, 4, 9])
            source.$items.removeAll()
            expectEqual(copy.items, [])
        }
        expectEqual(told, [])
    }

    @Test("any edits at random leave both sides equal") func randomEdits() {
        var random = SplitMix64(seed: 13)
        copy.$items.bind(to: source.$items)
        for _ in 0..<500 {
            let index = Int.random(in: 0...source.items.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1: source.$items.insert(Int.random(in: 0..<9, using: &random), at: index)
            case 2: source.$items.removeAll { $0 == index }
            case 3: source.$items.replaceSubrange(index..., with: [1, 2])
            case 4: source.$items.sort { $0 > $1 }
            default: source.items = [index]
            }
            expectEqual(copy.items, source.items)
        }
    }

    @Test("sets, by every mutation") func setEdits() {
        copy.$tags.bind(to: source.$tags)
        source.$tags.insert("a")
        source.$tags.formUnion(["b", "c"])
        expectEqual(copy.tags, ["a", "b", "c"])
        source.$tags.remove("a")
        expectEqual(copy.tags, ["b", "c"])
        source.$tags.formIntersection(["b"])
        expectEqual(copy.tags, ["b"])
        source.$tags.formSymmetricDifference(["b", "d"])
        expectEqual(copy.tags, ["d"])
    }

    @Test("bindings by name, through a path and with a transform") func named() throws {
        let outer = Crate()
        outer.inner = source
        let told = try messages {
            try copy.bind("items", to: "inner.items", of: outer)
            try copy.bind("number", to: "items", of: source) { (items: [Int]) in items.reduce(0, +) }
            try copy.bind("maybe", to: "maybe", of: source)
            source.$items.append(contentsOf: [1, 2, 3])
            #expect(copy.items == [1, 2, 3] && copy.number == 6)
            source.$items.remove(at: 0)
            #expect(copy.items == [2, 3] && copy.number == 5)
            source.maybe = ["a"]
            try source.mutableArrayValue(forKey: "maybe").append("b")
            expectEqual(copy.maybe, ["a", "b"])
            try source.mutableArrayValue(forKey: "maybe").remove(at: 0)
            expectEqual(copy.maybe, ["b"])
        }
        expectEqual(told, [])
    }

    @Test("edits by name, through a proxy, reach what is bound") func proxies() throws {
        try copy.bind("items", to: "items", of: source)
        try copy.bind("tags", to: "tags", of: source)
        let items = try source.mutableArrayValue(forKey: "items")
        try items.append(contentsOf: [1, 2, 3])
        expectEqual(copy.items, [1, 2, 3])
        try items.remove(at: 0)
        expectEqual(copy.items, [2, 3])
        let tags = try source.mutableSetValue(forKey: "tags")
        try tags.formUnion(["a", "b"])
        expectEqual(copy.tags, ["a", "b"])
        try tags.subtract(["a"])
        expectEqual(copy.tags, ["b"])
    }

    @Test("nested, coalesced and announced writes leave both sides equal when the outermost returns") func nested()
        throws
    {
        copy.$items.bind(to: source.$items)
        try copy.bind("silent", to: "silent", of: source)
        source.withMutation(of: "items") {
            source.$items.append(1)
            source.$items.append(2)
            source.$items.remove(at: 0)
        }
        expectEqual(copy.items, [2])
        coalescingChanges {
            source.$items.append(3)
            expectEqual(copy.items, [2])
        }
        expectEqual(copy.items, [2, 3])
        coalescingChanges {
            source.items = [7]
            source.$items.append(8)
            source.$items.remove(at: 0)
        }
        expectEqual(copy.items, [8])
        source.willChange(.insertion, valuesAt: 0..<1, forKey: "silent")
        source.silent.insert(1, at: 0)
        source.silent.append(2)
        source.didChange(.insertion, valuesAt: 0..<1, forKey: "silent")
        expectEqual(copy.silent, [1, 2])
    }

    @Test("arrays that are bound to each other, of values that can be compared and of objects") func mutual() {
        copy.$items.bind(to: source.$items)
        source.$items.bind(to: copy.$items)
        source.$items.append(1)
        copy.$items.append(2)
        source.$items.remove(at: 0)
        #expect(source.items == [2] && copy.items == [2])
        copy.$people.bind(to: source.$people)
        source.$people.bind(to: copy.$people)
        let people = [Person("A"), Person("B")]
        source.$people.append(people[0])
        copy.$people.append(people[1])
        source.$people.remove(at: 0)
        #expect(source.people.map(\.firstName) == ["B"] && copy.people.map(\.firstName) == ["B"])
    }

    @Test("a value that a handler corrects arrives before the correction, and the correction last") func corrected()
        throws
    {
        let recorder = Recorder<Any>()
        try source.observe("number") { change in
            let crate = change.target as! Crate
            if crate.number > 3 { crate.number = 3 }
        }
        copy.$number.bind(to: source.$number)
        try copy.observe("number", options: [.new], recorder.handler())
        source.number = 10
        expectEqual(copy.number, 3)
        coalescingChanges { source.number = 11 }
        expectEqual(copy.number, 3)
        expectEqual(recorder.news(Int.self), [10, 3, 11, 3])
    }
}
