import AutoKVO

// The lines in comments are those of the program as it was written for Foundation with the Objective-C runtime.

// final class Employee: NSObject {
final class Employee: TrackedObject {
    @Observed var name: String  // @objc dynamic var name: String
    @Observed var salary: Int  // @objc dynamic var salary: Int
    @ObservedWeak var manager: Employee?  // @objc dynamic weak var manager: Employee?

    // init(name: String, salary: Int, manager: Employee? = nil) { self.name = name; self.salary = salary; self.manager = manager }
    init(name: String, salary: Int, manager: Employee? = nil) {
        self.name = name
        self.salary = salary
        super.init()
        self.manager = manager
    }

    // @objc dynamic var badge: String { "\(name) (\(manager?.name ?? "nobody"))" }
    var badge: String { "\(name) (\(manager?.name ?? "nobody"))" }

    // override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "badge" ? ["name", "manager.name"] : super.keyPathsForValuesAffectingValue(forKey: key)  // the same
    }

    // @objc func validateSalary(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
    //     guard let salary = value.pointee as? Int, salary >= 0 else { throw PayrollError.negative }
    // }
    override func validate(_ value: inout Any?, forKey key: String) throws {
        guard key == "salary" else { return try super.validate(&value, forKey: key) }
        guard let salary = value as? Int, salary >= 0 else { throw PayrollError.negative }
    }

    // (Nothing: the runtime found properties by their names.)
    override class var schema: Schema {
        Schema(Employee.self, extending: super.schema) {
            Key("name", \.name)
            Key("salary", \.salary)
            Key("badge", \.badge)
        }
    }
}

// enum PayrollError: Error { case negative }
enum PayrollError: Error { case negative }

// final class Department: NSObject {
final class Department: TrackedObject {
    @Observed var employees: [Employee] = []  // @objc dynamic var employees: [Employee] = []

    // Announced by hand, since several fields make one change.
    private var spent = 0, granted = 1000
    var budget: Int { granted - spent }  // @objc var budget: Int { granted - spent }

    // override class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
    override class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
        key == "budget" ? false : super.automaticallyNotifiesObservers(forKey: key)  // the same
    }

    func spend(_ amount: Int, granting more: Int = 0) {
        willChangeValue(forKey: "budget")  // the same
        spent += amount
        granted += more
        didChangeValue(forKey: "budget")  // the same
    }

    func hire(_ employee: Employee) throws {
        // mutableArrayValue(forKey: "employees").add(employee)
        try mutableArrayValue(forKey: "employees").append(employee)
    }

    func dismiss(at index: Int) throws {
        // mutableArrayValue(forKey: "employees").removeObject(at: index)
        try mutableArrayValue(forKey: "employees").remove(at: index)
    }

    func raiseAll(to salary: Int) throws {
        // (employees as NSArray).setValue(salary, forKey: "salary")
        try employees.setValue(salary, forKey: "salary")
    }

    // (Nothing: the runtime found properties by their names.)
    override class var schema: Schema {
        Schema(Department.self, extending: super.schema) {
            Key("employees", \.employees)
            Key("budget", \.budget)
        }
    }
}
