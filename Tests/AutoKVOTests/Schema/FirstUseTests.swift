import AutoKVO
import AutoKVOTestSupport
import Testing

private protocol Leveled: AnyObject {
    var level: Int { get set }
    var scale: Int { get set }
    func observeLevel(_ handler: @escaping (Int) -> Void)
}

private class Gauge: Model { @Observed var level = 0 }
private final class Scaled: Gauge, Leveled {
    @Observed var scale = 1
    override class var schema: Schema {
        Schema(Scaled.self, extending: super.schema) { Key("level", \.level, affectedBy: "scale") }
    }
    func observeLevel(_ handler: @escaping (Int) -> Void) { $level.observe(options: .new) { handler($0.newValue!) } }
}
private class NamedGauge: Model {
    @Observed var level = 0
    override class var schema: Schema { Schema(NamedGauge.self, extending: super.schema) { Key("level", \.level) } }
}
private final class NamedScaled: NamedGauge, Leveled {
    @Observed var scale = 1
    override class var schema: Schema {
        Schema(NamedScaled.self, extending: super.schema) { Key("level", \.level, affectedBy: "scale") }
    }
    func observeLevel(_ handler: @escaping (Int) -> Void) { $level.observe(options: .new) { handler($0.newValue!) } }
}

private class Session: Model {
    private var stored = "t1"
    var token: String {
        get {
            didRead("token")
            return stored
        }
        set { withMutation(of: "token") { stored = newValue } }
    }
    @Derived({ (session: Session) in "header \(session.token)" }) var header: String
    override class var schema: Schema {
        Schema(Session.self, extending: super.schema) { Key("token", \.token, notifiesAutomatically: false) }
    }
}
private final class Kiosk: Session {
    override class var schema: Schema { Schema(Kiosk.self, extending: super.schema) { Hidden("token") } }
}

/// Its schema has a fault.
private final class Part: Model {
    @Observed var name = "p"
    var plain = 0
    override class var schema: Schema { Schema(Part.self, extending: super.schema) { Key("plain", \.plain) } }
}
private final class Assembly: Model {
    let part = Part()
    @Derived({ (assembly: Assembly) in assembly.part.name }) var partName: String
    var label: String { "label \(part.name)" }
    override class var schema: Schema {
        Schema(Assembly.self, extending: super.schema) {
            Key("label", \.label)
            Key("partName", \.partName)
        }
    }
}

private final class Report: Model {
    @Observed var subject = "A"
    lazy var heading = "On \(subject)"
    override class var schema: Schema { Schema(Report.self, extending: super.schema) { Key("heading", \.heading) } }
}

private final class Document: Model {
    @Observed var title = "a"
    var summary: String { "doc \(title)" }
    nonisolated(unsafe) static var last: [String] = []
    override class var schema: Schema { Schema(Document.self, extending: super.schema) { Key("summary", \.summary) } }
    deinit {
        for path in [true, false] {
            do {
                let value = try path ? value(forKeyPath: "summary") : value(forKey: "summary")
                Document.last.append(value as? String ?? "-")
            } catch { Document.last.append("\(error)") }
        }
    }
}

/// Its level is its own affair.
private class BaseTank: Model {
    @Observed private var level = 0
    @Observed var liters = 10
    var double: Int { level * 2 }
    func tick(by step: Int = 1) { level += step }
    override class var schema: Schema {
        Schema(BaseTank.self, extending: super.schema) { Key("double", \.double, affectedBy: "level") }
    }
}
private final class Tank: BaseTank {
    var level: Int { liters * 2 }
    var caption: String { "Tank: \(level)" }
    override class var schema: Schema {
        Schema(Tank.self, extending: super.schema) {
            Key("level", \.level, affectedBy: "liters")
            Key("caption", \.caption, affectedBy: "level")
        }
    }
}
private final class LabelTank: BaseTank {
    var level: String { "\(liters) l" }
    var caption: String { "Tank: \(level)" }
    override class var schema: Schema {
        Schema(LabelTank.self, extending: super.schema) {
            Key("level", \.level, affectedBy: "liters")
            Key("caption", \.caption, affectedBy: "level")
        }
    }
}
private final class TwiceTank: BaseTank {
    var level: Int { double + 1 }
    override class var schema: Schema {
        Schema(TwiceTank.self, extending: super.schema) { Key("level", \.level, affectedBy: "double") }
    }
}

private class Account: Model {
    @Observed var secret = "x"
    @Observed var salt = 0
    override class var schema: Schema { Schema(Account.self, extending: super.schema) { Hidden("secret") } }
}
private final class Shows: Account {
    override class var schema: Schema {
        Schema(Shows.self, extending: super.schema) { Key("secret", \.secret, affectedBy: "salt") }
    }
}

private final class Console: Model { @Observed var lines: [String] = [] }

private final class Leaving: Model {
    @Observed var title = "a"
    nonisolated(unsafe) static var last = ""
    deinit {
        let card = Card(self)
        do { Leaving.last = try card.value(forKey: "caption") as! String } catch { Leaving.last = "\(error)" }
    }
}
private final class Card: Model {
    unowned(unsafe) let owner: Leaving
    init(_ owner: Leaving) { self.owner = owner }
    var caption: String { "on \(owner.title)" }
    override class var schema: Schema { Schema(Card.self, extending: super.schema) { Key("caption", \.caption) } }
}

/// What the first use of a key finds out, and what it must not take for a fault.
struct FirstUseTests {
    @Test(
        "a key with affectedBy for an inherited property that has none in its own class does not lose its writes in silence"
    )
    func inheritedProperty() throws {
        for scaled in [Scaled(), NamedScaled()] as [TrackedObject & Leveled] {
            var (values, handled): ([Int], [Int]) = ([], [])
            try scaled.observe("level", as: Int.self, options: .new) { values.append($0.newValue!) }
            scaled.observeLevel { handled.append($0) }
            scaled.level = 5
            scaled.scale = 2
            expectEqual(values, [5, 5])
            try scaled.setValue(6, forKey: "level")
            #expect(values == [5, 5, 6] && scaled.level == 6 && handled.last == 6, "\(values)")
        }
    }

    @Test("nor does one that the superclass hides, and a subclass names again") func hiddenProperty() throws {
        let shows = Shows()
        var calls = 0
        try shows.observe("secret") { _ in calls += 1 }
        shows.secret = "y"
        shows.salt = 1
        expectEqual(calls, 2)
    }

    @Test(
        "a private property of that name tells nothing of it, nor of what depends on it", .needs(.classMetadata),
        arguments: [false, true])
    func privateProperty(isOtherType: Bool) throws {
        let tank: BaseTank = isOtherType ? LabelTank() : Tank()
        var calls: [String] = []
        for key in ["level", "caption"] { try tank.observe(key) { _ in calls.append(key) } }
        tank.tick()
        expectEqual(calls, [])
        tank.liters = 5
        expectEqual(calls.sorted(), ["caption", "level"])
    }

    @Test(
        "a key that depends on the private property through another key is told of each write",
        .needs(.classMetadata))
    func dependsAnyway() throws {
        let tank = TwiceTank()
        var calls = 0
        try tank.observe("level") { _ in calls += 1 }
        tank.tick()
        tank.tick(by: 0)
        expectEqual(calls, 2)
    }

    @Test("a key that a subclass hides is still announced, and read, by the class that has it") func hiddenAnnounced()
        throws
    {
        let kiosk = Kiosk()
        let reports = MessageLog()
        var headers: [String] = []
        Diagnostics.withHandler({ reports.add($0) }) {
            kiosk.$header.onValue { headers.append($0) }
            kiosk.token = "t2"
        }
        #expect(headers == ["header t1", "header t2"] && kiosk.header == "header t2" && reports.messages == [])
        #expect(throws: KeyValueError.self) { try kiosk.value(forKey: "token") }
    }

    @Test("a getter that reads an object whose class has a fault makes a call by name throw, and is reported")
    func faultyPart() {
        let reports = MessageLog()
        Diagnostics.withHandler({ reports.add($0) }) {
            let assembly = Assembly()
            #expect(throws: KeyValueError.self) { try assembly.value(forKey: "label") }
            #expect(throws: KeyValueError.self) { try assembly.observe("label") { _ in } }
            let observation = assembly.$partName.observe { _ in }
            #expect(assembly.partName == "p" && observation.isValid)
        }
        #expect(reports.messages.contains { $0.contains("Part was read, and cannot be followed") })
    }

    @Test("a lazy variable is a stored property, also if its initializer reads an observed one") func lazily() {
        let error = #expect(throws: KeyValueError.self) { try Report().observe("heading") { _ in } }
        #expect(error.map { "\($0)" }?.contains("nobody would be called when it changes") ?? false)
    }

    @Test("a computed key may be used for the first time in a deinit") func inDeinit() throws {
        do { _ = Document() }
        expectEqual(Document.last, ["doc a", "doc a"])
        let document = Document()
        var calls = 0
        try document.observe("summary") { _ in calls += 1 }
        document.title = "b"
        expectEqual(calls, 1)
    }

    @Test("also where it reads another object in that one's deinit") func inDeinitOfAnother() {
        do { _ = Leaving() }
        expectEqual(Leaving.last, "on a")
    }

    @Test("the handler of reports may read and write what is observed, whatever is being computed") func reportsInside()
    {
        let console = Console()
        nonisolated(unsafe) let lines = console
        console.$lines.observe { _ in }
        Diagnostics.withHandler({ lines.lines.append($0) }) {
            let assembly = Assembly()
            var calls = 0
            assembly.$partName.observe { _ in calls += 1 }
            console.lines = []
            #expect(assembly.partName == "p" && calls == 0)
        }
    }

    private enum Mode { case only }

    private class Device: Model {
        @Observed var mode = Mode.only
        @ObservedWeak var boss: Device?
        @ObservedWeak var parent: Device?
    }

    private final class Printer: Device {
        override class var schema: Schema {
            Schema(Printer.self, extending: super.schema) {
                Key("mode", \.mode)
                Key("boss", \.boss)
            }
        }
    }

    private final class Copied: Device {
        override class var schema: Schema { Schema(Copied.self, extending: super.schema) { Key("parent", \.boss) } }
    }

    @Test("a subclass's key of an inherited property of one value, or of a weak one, is right") func rightKeys() throws
    {
        let printer = Printer()
        try #expect(printer.value(forKey: "mode") as? Mode == .only)
        try printer.setValue(printer, forKey: "boss")
        #expect(printer.boss === printer)
    }

    @Test("a key that reads another weak property than the one of its name is a fault", .needs(.classMetadata))
    func anotherWeakProperty() throws {
        let copied = Copied()
        #expect(throws: KeyValueError.self) { try copied.value(forKey: "parent") }
        #expect(throws: KeyValueError.self) { try copied.setValue(copied, forKey: "parent") }
        #expect(copied.boss == nil)
    }
}
