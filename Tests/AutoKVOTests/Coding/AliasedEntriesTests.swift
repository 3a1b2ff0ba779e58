import AutoKVO
import AutoKVOTestSupport
import Testing

/// `setValues` where two paths lead to the same property of the same object.
struct AliasedEntriesTests {
    private let ticket = Ticket()

    @Test("an entry that goes through an object which another one replaces by another path goes to the new object")
    func replaced() throws {
        let (old, new) = (Person("Old"), Person("New"))
        ticket.next = ticket
        ticket.holder = old
        defer { ticket.next = nil }
        try ticket.setValues(["holder.age": 7, "next.holder": new])
        #expect(ticket.holder === new && new.age == 7 && old.age == 0)
    }

    @Test("so does one whose way another one changes, and so on") func severalSteps() throws {
        let (old, new, other) = (Person("Old"), Person("New"), Ticket())
        ticket.next = ticket
        ticket.last = other
        ticket.holder = old
        defer { ticket.next = nil }
        // In the order of names each of these goes through what the next one replaces.
        try ticket.setValues(["holder.age": 7, "last.holder": new, "next.last": ticket])
        #expect(ticket.last === ticket && ticket.holder === new && new.age == 7)
        #expect(other.holder == nil && old.age == 0)
    }

    @Test("also where the object was nil, of another class, or no object at all") func wasNil() throws {
        let person = Person()
        ticket.next = ticket
        ticket.anything = 5
        defer {
            ticket.next = nil
            ticket.anything = 0
        }
        try ticket.setValues(["holder.age": 7, "next.holder": person, "anything.price": 4, "next.anything": Ticket()])
        expectEqual(person.age, 7)
        expectEqual((ticket.anything as? Ticket)?.price, 4)
        expectEqual(reason { try ticket.setValues(["holder.age": 8, "next.holder": nil]) }, .noObject)
        #expect(ticket.holder === person && person.age == 7)
    }

    @Test("validations are called once for each entry, on the object that is set") func validating() throws {
        final class Checked: Model {
            static nonisolated(unsafe) var log: [ObjectIdentifier] = []
            @Observed var number = 0
            @Observed var other: Checked?
            @Observed var alias: Checked?
            override class var schema: Schema {
                Schema(Checked.self, extending: super.schema) {
                    Key("number", \.number) { checked, number in
                        log.append(ObjectIdentifier(checked))
                        number += 1
                    }
                    Key("other", \.other)
                    Key("alias", \.alias)
                }
            }
        }
        let (root, old, new) = (Checked(), Checked(), Checked())
        (root.alias, root.other) = (root, old)
        defer { root.alias = nil }
        try root.setValues(["alias.other": new, "other.number": 4, "number": 8], validating: true)
        #expect(new.number == 5 && old.number == 0 && root.number == 9)
        expectEqual(Checked.log, [ObjectIdentifier(root), ObjectIdentifier(new)])
    }

    @Test("entries that go through each other's objects in a circle cannot be set, and nothing is") func circle() throws
    {
        // next is the ticket itself; each of the entries replaces what the other one goes through.
        let other = Ticket()
        ticket.next = ticket
        ticket.last = other
        defer { ticket.next = nil }
        let error = #expect(throws: KeyValueError.self) {
            try ticket.setValues(["next.last": ticket, "last.next": Ticket(), "price": 3])
        }
        guard case .invalidValue(let text) = error?.reason else { throw try #require(error) }
        #expect(text.contains("another entry replaces") && error?.keyPath.isEmpty == false)
        #expect(ticket.next === ticket && ticket.last === other && ticket.price == 0)
        // It hides no other fault, of values and of validation.
        for isValidated in [false, true] {
            let error = #expect(throws: KeyValueError.self) {
                try ticket.setValues(
                    ["next.last": ticket, "last.next": Ticket(), "pricee": 3, "price": isValidated ? -1 : "no"],
                    validating: isValidated)
            }
            expectEqual(Set(error?.errors.map(\.key) ?? []), ["last.next", "pricee", "price"])
        }
        // The same objects as before are no circle.
        try ticket.setValues(["next.last": other, "last.next": ticket, "next.price": 4])
        #expect(ticket.price == 4 && other.next === ticket)
        other.next = nil
    }

    @Test("an entry may replace what its own path goes through, and others set what is there") func own()
        throws
    {
        let other = Ticket()
        (ticket.next, other.next) = (other, ticket)
        defer { other.next = nil }
        // Each of them goes through what the other one sets, to the object that it leads to.
        try ticket.setValues(["next.next": ticket, "next.next.next": other, "price": 2])
        #expect(ticket.next === other && other.next === ticket && ticket.price == 2)
        ticket.next = ticket
        try ticket.setValues(["next.next": other, "price": 3])
        #expect(ticket.next === other && ticket.price == 3)
    }

    @Test("very many entries in circles throw soon") func hostile() throws {
        ticket.next = ticket
        ticket.last = Ticket()
        defer { ticket.next = nil }
        var values: [String: Any?] = ["next.last": ticket, "last.next": Ticket()]
        for depth in 0..<200 { values[String(repeating: "next.", count: depth % 40) + "last.price\(depth)"] = 1 }
        #expect(throws: KeyValueError.self) { try ticket.setValues(values) }
        expectEqual(ticket.price, 0)
    }

    /// The objects of a random graph with many aliases.
    private struct World {
        static let links = ["next", "last", "anything"]
        var random: SplitMix64
        var tickets: [Ticket] = []

        init(seed: UInt64) {
            random = SplitMix64(seed: seed)
            tickets = (0..<4).map { _ in Ticket() }
            for ticket in tickets {
                (ticket.next, ticket.last) = (any, any)
                ticket.anything = any
            }
        }

        var any: Ticket { mutating get { tickets.randomElement(using: &random)! } }

        func end() {
            for ticket in tickets {
                (ticket.next, ticket.last) = (nil, nil)
                ticket.anything = 0
            }
        }
    }

    @Test("at random: each path leads to the value of its entry afterwards", arguments: 1...40 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        var world = World(seed: seed)
        defer { world.end() }
        var (set, circles) = (0, 0)
        for step in 0..<40 {
            let root = world.tickets[0]
            var values: [String: Any?] = [:]
            for _ in 0..<Int.random(in: 1...5, using: &world.random) {
                // No path leads through the property that it sets: it would be another one afterwards.
                let key = (World.links + ["price"]).randomElement(using: &world.random)!
                let way = (0..<Int.random(in: 0...3, using: &world.random)).map { _ in
                    World.links.filter { $0 != key }.randomElement(using: &world.random)!
                }
                let path = (way + [key]).joined(separator: ".")
                values[path] = key == "price" ? step * 10 + values.count : world.any
            }
            do {
                try root.setValues(values)
            } catch {
                guard case .invalidValue = error.reason else {
                    Issue.record("\(error)")
                    continue
                }
                circles += 1
                continue
            }
            set += 1
            for (path, value) in values {
                let found = try root.value(forKeyPath: path)
                if isSame(found, value) { continue }
                // Another entry has set the same property of the same object.
                let place = try self.place(path, root)
                let others = try values.filter { try $0.key != path && self.place($0.key, root) == place }
                #expect(others.contains { isSame($0.value, found) }, "seed \(seed), step \(step): \(path) in \(values)")
            }
        }
        #expect(set > circles)
    }

    private func isSame(_ a: Any?, _ b: Any?) -> Bool {
        if let a = a as? Ticket { return a === b as? Ticket }
        return a as? Int == b as? Int
    }

    /// The object and key that a path ends in.
    private func place(_ path: String, _ root: Ticket) throws -> String {
        let parts = path.split(separator: ".")
        let way = parts.dropLast().joined(separator: ".")
        let object = way.isEmpty ? root : try root.value(forKeyPath: way) as? Ticket
        return "\(ObjectIdentifier(try #require(object))) \(parts.last!)"
    }
}

/// Keys that a subclass declares again.
@Suite(.serialized) struct RedeclaredKeyTests {
    struct Refusal: Error, CustomStringConvertible { let description: String }

    class Base: Model {
        static nonisolated(unsafe) var log: [String] = []
        @Observed var level = 0
        @Observed var name: String? = "a"
        @Observed var silent = 0
        override class var schema: Schema {
            Schema(Base.self, extending: super.schema) {
                Key("level", \.level) { _, level in
                    log.append("Base \(level)")
                    if level < 0 { throw Refusal(description: "negative") }
                    level += 1
                }
                Key("name", \.name)
                Key("silent", \.silent, notifiesAutomatically: false)
            }
        }
    }
    class Middle: Base {
        override class var schema: Schema {
            Schema(Middle.self, extending: super.schema) {
                Key("level", \.level)
                Key("silent", \.silent)
                Key("name", \.name) { _, name in
                    log.append("Middle \(name ?? "nil")")
                    name = name.map { $0 + "!" }
                }
            }
        }
    }
    final class Last: Middle {
        override class var schema: Schema {
            Schema(Last.self, extending: super.schema) {
                Key("level", \.level) { last, level in
                    log.append("Last \(level)")
                    if level > 100 { throw Refusal(description: "too much") }
                    level *= 10
                }
                Key("name", \.name) { _, name in name = name?.uppercased() }
            }
        }
        override func validate(_ value: inout Any?, forKey key: String) throws {
            if key == "level" { Base.log.append("object \(value ?? "nil")") }
            try super.validate(&value, forKey: key)
        }
    }

    private func validated(_ value: Any?, _ key: String, of object: Base) throws -> Any? {
        var value = value
        try object.validateValue(&value, forKey: key)
        return value
    }

    @Test("all validations run, the superclass's first, each with what the one before made of the value") func all()
        throws
    {
        Base.log = []
        let object = Last()
        try expectEqual(validated(4.0, "level", of: object) as? Int, 50)
        expectEqual(Base.log, ["Base 4", "Last 5", "object 50"])
        try expectEqual(validated("x", "name", of: object) as? String, "X!")
        #expect(try validated(nil, "name", of: object) == nil)
        expectEqual(reason { _ = try validated(-1, "level", of: object) }, .invalidValue("negative"))
        expectEqual(reason { _ = try validated(100, "level", of: object) }, .invalidValue("too much"))
        try object.setValues(["level": 1, "name": "y"], validating: true)
        #expect(object.level == 20 && object.name == "Y!")
        expectEqual(reason { try object.setValues(["level": -5], validating: true) }, .invalidValue("negative"))
        Base.log = []
    }

    @Test("a subclass that declares the key without a validation keeps the superclass's") func inherited() throws {
        let object = Middle()
        try expectEqual(validated(1, "level", of: object) as? Int, 2)
        expectEqual(reason { _ = try validated(-1, "level", of: object) }, .invalidValue("negative"))
        expectEqual(
            reason { _ = try validated("x", "level", of: object) }, .wrongType(expected: "Int", actual: "String"))
        Base.log = []
    }

    @Test("what the superclass says is announced by hand is not announced by a subclass's declaration") func silent()
        throws
    {
        let object = Last()
        var count = 0
        try object.observe("silent") { _ in count += 1 }
        object.silent = 1
        expectEqual(count, 0)
        object.withMutation(of: "silent") { object.silent = 2 }
        expectEqual(count, 1)
    }

    private final class Home: TrackedObject {
        @Observed var city = "Ulm"
        override class var schema: Schema { Schema(Home.self, extending: super.schema) { Key("city", \.city) } }
    }

    private final class Tenant: TrackedObject {
        nonisolated(unsafe) static var validations = 0
        @Observed var home: Home? = Home()
        @ObservedWeak var partner: Tenant?
        override class var schema: Schema {
            Schema(Tenant.self, extending: super.schema) {
                Key("home", \.home) { _, home in
                    validations += 1
                    home = Home()
                }
                Key("partner", \.partner)
            }
        }
    }

    @Test("an entry whose path leads through what a validation replaces is set in the replacement") func validated()
        throws
    {
        let tenant = Tenant()
        tenant.partner = tenant
        let given = tenant.home!
        try tenant.setValues(["home.city": "Linz", "partner.home": given], validating: true)
        #expect(tenant.home !== given && tenant.home?.city == "Linz" && given.city == "Ulm")
        #expect(Tenant.validations == 1)
    }

    private class Place: Model {
        @Observed var city = "Ulm"
        override class var schema: Schema { Schema(Place.self, extending: super.schema) { Key("city", \.city) } }
    }

    private final class Strict: Place {
        override func validate(_ value: inout Any?, forKey key: String) throws {
            if key == "city", (value as? String)?.isEmpty ?? true { throw KeyValueError(.invalidValue("empty")) }
        }
    }

    private final class Owner: Model {
        @Observed var home: Place? = Place()
        @ObservedWeak var partner: Owner?
        override class var schema: Schema {
            Schema(Owner.self, extending: super.schema) {
                Key("home", \.home) { _, home in home = home is Strict ? Place() : Strict() }
                Key("partner", \.partner)
            }
        }
    }

    @Test("it is validated in the replacement, and not in what that replaces", arguments: [false, true])
    func validatedInReplacement(isStrict: Bool) throws {
        let owner = Owner()
        owner.partner = owner
        if isStrict { owner.home = Strict() }
        let given = owner.home!
        let values: [String: Any?] = ["home.city": "", "partner.home": given]
        if isStrict {
            try owner.setValues(values, validating: true)
            #expect(owner.home !== given && owner.home!.city.isEmpty)
        } else {
            #expect(throws: KeyValueError.self) { try owner.setValues(values, validating: true) }
            #expect(owner.home === given && given.city == "Ulm")
        }
    }

    private final class Linked: Model {
        @Observed var link: Linked?
        @Observed var me: Linked?
        @Observed var k: Linked?
        @Observed var slot: Linked?
        @Observed var a: Linked?
        @Observed var b: Linked?
        @Observed var next: Linked?
        @Observed var number = 0
        var limit = 100
        var fixed: Linked?

        override class var schema: Schema {
            Schema(Linked.self, extending: super.schema) {
                Key("link", \.link) { node, link in if let fixed = node.fixed { link = fixed } }
                Key("me", \.me)
                Key("k", \.k)
                Key("slot", \.slot)
                Key("a", \.a)
                Key("b", \.b)
                Key("next", \.next)
                Key("number", \.number) { node, number in number = min(number, node.limit) }
            }
        }
    }

    @Test("what another entry's correction has moved to another object is validated by that", arguments: [10, 60])
    func movedByCorrection(limit: Int) throws {
        let (root, former, corrected, held, new) = (Linked(), Linked(), Linked(), Linked(), Linked())
        (root.link, root.me, root.k, root.fixed) = (former, root, corrected, corrected)
        defer { (root.me, root.link, root.k, root.fixed) = (nil, nil, nil, nil) }
        corrected.slot = held
        (new.limit, held.limit) = (limit, 70 - limit)
        try root.setValues(["link.slot": new, "me.link": former, "k.slot.number": 50], validating: true)
        #expect(root.k!.slot === new && new.number == min(limit, 50) && held.number == 0)
    }

    @Test("many entries each of which goes through what the next one sets are no circle") func longChain() throws {
        let root = Linked()
        var leaves: [Linked] = []
        func grow(_ node: Linked, _ path: String) {
            if path.utf8.count == 2 * 7 {
                node.next = leaves.last
                return leaves.append(node)
            }
            (node.a, node.b) = (Linked(), Linked())
            grow(node.a!, path + "a.")
            grow(node.b!, path + "b.")
        }
        grow(root, "")
        func path(_ number: Int) -> String {
            (0..<7).map { number >> (6 - $0) & 1 == 0 ? "a." : "b." }.joined()
        }
        let values = (1..<leaves.count).map { (path($0) + "next.next", Linked()) }
        try root.setValues(Dictionary(uniqueKeysWithValues: values.map { ($0.0, $0.1 as Any?) }))
        for (path, value) in values { #expect(try root.value(forKeyPath: path) as? Linked === value) }
    }

    @Test(
        "what an entry sets depends on where it comes: one that overtakes from the wrong place need not do so from the right one"
    )
    func threeThatMove() throws {
        let (root, o, z, w, u, t) = (Linked(), Linked(), Linked(), Linked(), Linked(), Linked())
        (root.k, o.slot, root.a, w.me, u.slot) = (o, z, w, root, w)
        defer { (w.me, u.slot, root.a, root.k, o.slot) = (nil, nil, nil, nil, nil) }
        try root.setValues(["k.slot": w, "a.me.k": u, "k.slot.me": t])
        #expect(root.k === o && o.slot === w && w.me === t && t.k === u)
    }
}
