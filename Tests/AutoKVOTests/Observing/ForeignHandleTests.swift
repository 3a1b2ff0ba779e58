import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Home: Model, @unchecked Sendable {
    @Observed var city = "Ulm"
    @Observed var road: String?
}

private class Tenant: Model, @unchecked Sendable {
    @Observed var home = Home()
    @Observed var parent: Tenant?
    @Observed var name = ""
    var effective: Tenant { parent ?? self }
}

private final class Student: Tenant, @unchecked Sendable {}

private final class Panel: Model, @unchecked Sendable {
    @Observed var title = ""
    @Observed var note: String?
}

private actor Listener {
    private(set) var told: [String] = []
    func add(_ value: String) { told.append(value) }
}

/// The key path of a handle that finds its object by reading, `\.home.$city`: what it reads is observed, as of any other key path.
@MainActor struct ForeignHandleTests {
    private let tenant = Student()
    private let panel = Panel()

    private func changes() {
        tenant.home.city = "Linz"
        tenant.home = Home()
        tenant.home.city = "Graz"
    }

    @Test("it is followed to another object, in each form of observing", arguments: 0..<9) func forms(form: Int) {
        var told: [String] = []
        let scheduler = InlineScheduler()
        nonisolated(unsafe) var sent: [String] = []
        let observation =
            switch form {
            case 0: tenant.observe(\.home.$city, options: .new) { told.append($1.newValue!) }
            case 1: tenant.observe(\Tenant.home.$city, options: .new) { told.append($1.newValue!) }
            case 2: panel.observe(\.home.$city, of: tenant, options: .new) { told.append($1.newValue!) }
            case 3: tenant.observe(\.home.$city, for: panel, options: .new) { told.append($1.newValue!) }
            case 4: tenant.observe(\Tenant.home.$city, for: panel, options: .new) { told.append($1.newValue!) }
            case 5: tenant.observe(\.home.$city, options: .new, on: scheduler) { sent.append($0.newValue!) }
            case 6: tenant.observe(\Tenant.home.$city, options: .new, on: scheduler) { sent.append($0.newValue!) }
            case 7: tenant.observe(\.home.$city, for: panel, options: .new, on: scheduler) { sent.append($1.newValue!) }
            default:
                tenant.observe(\Tenant.home.$city, for: panel, options: .new, on: scheduler) {
                    sent.append($1.newValue!)
                }
            }
        changes()
        expectEqual(told + sent, ["Linz", "Ulm", "Graz"])
        #expect(observation.isValid && observation.target === tenant)
        observation.remove()
        tenant.home.city = "Wien"
        expectEqual((told + sent).count, 3)
    }

    @Test("on an actor, and on the main one") func actors() async {
        let (listener, main) = (Listener(), MessageLog())
        let door = MessageLog()
        tenant.observe(\.home.$city, options: .new, on: listener) { listener, change in
            listener.add(change.newValue!)
            door.add("")
        }
        tenant.observe(\.home.$city, for: panel, options: .new, on: .mainActor) { main.add($1.newValue!) }
        changes()
        await eventually("they were called") { main.messages.count == 3 && door.messages.count == 3 }
        expectEqual(main.messages, ["Linz", "Ulm", "Graz"])
        await expectEqual(listener.told, ["Linz", "Ulm", "Graz"])
    }

    @Test("also where it finds the object itself at first") func itself() {
        let (parent, observed) = (Student(), MessageLog())
        tenant.observe(\.effective.$name, options: .new) { observed.add($1.newValue!) }
        tenant.name = "own"
        parent.name = "parent's"
        tenant.parent = parent
        tenant.name = "hidden"
        parent.name = "new"
        expectEqual(observed.messages, ["own", "parent's", "new"])
    }

    @Test("a property that is bound to it follows it, too") func bound() {
        panel.$title.bind(to: \.home.$city, of: tenant)
        panel.$note.bind(to: \.home.$city, of: tenant) { $0 + "!" }
        #expect(panel.title == "Ulm" && panel.note == "Ulm!")
        changes()
        #expect(panel.title == "Graz" && panel.note == "Graz!")
        panel.$title.bind(to: \.$name, of: tenant)
        tenant.home.city = "Linz"
        #expect(panel.title == "" && panel.note == "Linz!")
    }

    @Test("of each object in a collection") func each() {
        final class House: Model { @Observed var tenants: [Tenant] = [] }
        let (house, second) = (House(), Student())
        house.tenants = [tenant]
        var told: [String] = []
        house.$tenants.observeEach(\.home.$city, options: .new) { told.append($1.newValue!) }
        house.$tenants.append(second)
        changes()
        second.home.city = "Rom"
        house.tenants = []
        changes()
        expectEqual(told, ["Linz", "Ulm", "Graz", "Rom"])
    }

    @Test("what it reads keeps nobody alive") func lifetimes() {
        let tracker = LifetimeTracker()
        do {
            let (tenant, panel) = (tracker.track(Student()), tracker.track(Panel()))
            tenant.observe(\.home.$city) { _, _ in }
            panel.observe(\.home.$city, of: tenant) { _, _ in }
            panel.$title.bind(to: \.home.$city, of: tenant)
            tenant.home = tracker.track(Home())
        }
        tracker.expectNoLeaks()
    }
}
