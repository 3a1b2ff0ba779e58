import AutoKVO

/// The base of the common model classes: has room for a `LifetimeTracker`'s token.
open class Model: TrackedObject {
    final var lifetime: LifetimeToken?
}

open class Address: Model {
    @Observed public final var city: String
    @Observed public final var street: String?
    @Observed public final var zip = 0

    public init(_ city: String = "Ulm") { self.city = city }

    open override class var schema: Schema {
        Schema(Address.self, extending: super.schema) {
            Key("city", \.city)
            Key("street", \.street)
            Key("zip", \.zip)
        }
    }
}

open class Person: Model {
    @Observed public final var firstName: String
    @Observed public final var lastName = "Lee"
    @Observed public final var age = 0
    @Observed public final var nickname: String?
    @Observed public final var address: Address?
    @Observed public final var spouse: Person?
    @Observed public final var friends: [Person] = []
    @Observed public final var tags: Set<String> = []
    @Observed public final var scores: [Int] = []
    @ObservedWeak public final var parent: Person?
    /// Announced by hand only.
    @Observed public final var token = 0
    /// Not `@Observed`: announced by hand or not at all.
    public final var plain = 0
    /// How often `fullName` was read.
    public final var fullNameReads = 0
    public let birthplace = "Linz"
    /// What the named handlers were called with.
    public final var log: [String] = []

    public init(_ firstName: String = "Ann") { self.firstName = firstName }

    public var fullName: String {
        fullNameReads += 1
        return "\(firstName) \(lastName)"
    }
    public var greeting: String { "Hello \(fullName)" }
    public var cityLine: String { "in \(address?.city ?? "nowhere")" }

    public func reload() { log.append("reload") }
    public func nameDidChange(_ change: Change<Any>) { log.append("name:\(change.keyPath)") }
    public func valueDidChange(_ change: Change<Any>, _ userInfo: Any?) {
        log.append("value:\(change.keyPath):\(userInfo ?? "nil")")
    }

    open override class var schema: Schema {
        Schema(Person.self, extending: super.schema) {
            Key("firstName", \.firstName)
            Key("lastName", \.lastName)
            Key("age", \.age)
            Key("nickname", \.nickname)
            Key("address", \.address)
            Key("spouse", \.spouse)
            Key("friends", \.friends)
            Key("tags", \.tags)
            Key("scores", \.scores)
            Key("parent", \.parent)
            Key("token", \.token, notifiesAutomatically: false)
            Key("plain", \.plain, notifiesAutomatically: false)
            Key("birthplace", \.birthplace, notifiesAutomatically: false)
            Key("fullName", \.fullName, affectedBy: "firstName", "lastName")
            Key("greeting", \.greeting, affectedBy: "fullName")
            Key("cityLine", \.cityLine, affectedBy: "address.city")
            Handler("reload", Person.reload)
            Handler("nameDidChange", Person.nameDidChange)
            Handler("valueDidChange", Person.valueDidChange)
            Handler("reloadClosure") { $0.log.append("reloadClosure") }
            Handler("nameClosure") { $0.log.append("nameClosure:\($1.keyPath)") }
            Handler("valueClosure") { $0.log.append("valueClosure:\($1.keyPath):\($2 ?? "nil")") }
        }
    }
}

open class Department: Model {
    @Observed public final var name = "Research"
    @Observed public final var manager: Employee?
    @Observed public final var members: [Employee] = []

    open override class var schema: Schema {
        Schema(Department.self, extending: super.schema) {
            Key("name", \.name)
            Key("manager", \.manager)
            Key("members", \.members)
        }
    }
}

open class Employee: Person {
    @Observed public final var salary = 0
    @Observed public final var department: Department?

    public var badge: String { "\(fullName) #\(salary)" }

    open override class var schema: Schema {
        Schema(Employee.self, extending: super.schema) {
            Key("salary", \.salary)
            Key("department", \.department)
            Key("badge", \.badge, affectedBy: "fullName", "salary")
        }
    }
}

/// An observer that is not a `TrackedObject`.
open class PlainObserver: KeyValueObserver {
    public final var log: [String] = []
    public final var lifetime: LifetimeToken?

    public init(_ tracker: LifetimeTracker? = nil) { lifetime = tracker?.token() }
}

/// An observer that is not a `TrackedObject` and has named handlers.
open class PlainPanel: SchemaProviding, KeyValueObserver {
    public final var log: [String] = []

    public init() {}

    public func refresh() { log.append("refresh") }
    public func show(_ change: Change<Any>) { log.append("show:\(change.keyPath)") }

    public static var schema: Schema {
        Schema(PlainPanel.self) {
            Handler("refresh", PlainPanel.refresh)
            Handler("show", PlainPanel.show)
            Handler("tell") { $0.log.append("tell:\($1.keyPath):\($2 ?? "nil")") }
        }
    }
}
