import AutoKVO

let department = Department()
let log = try PayrollLog(department)  // let log = PayrollLog(department)

let ann = Employee(name: "Ann", salary: 300)
try department.hire(ann)
try department.hire(Employee(name: "Bob", salary: 200, manager: ann))
ann.name = "Anna"  // Bob's badge has her name, too
department.spend(500, granting: 100)
try department.raiseAll(to: 250)

let report = Report(department: department)
try report.setSalary(320, ofEmployeeAt: 0)
do {
    try report.setSalary(-1, ofEmployeeAt: 1)
} catch {
    print(error)
}
do {
    // An exception that ended the program: [<Employee 0x…> valueForUndefinedKey:]: this class is not key value coding-compliant …
    _ = try ann.value(forKey: "salry")
} catch {
    print(error)
}
try report.lines().forEach { print($0) }
try department.dismiss(at: 0)
ann.name = "Anne"  // her own badge is no longer observed, Bob's is
log.lines.forEach { print("-", $0) }
