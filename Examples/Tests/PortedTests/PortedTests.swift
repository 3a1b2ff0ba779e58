import AutoKVO
import Testing

@testable import Ported

@Suite("Ported") struct PortedTests {
    @Test("the schemas have no fault") func schemas() throws {
        try Employee.validateSchema()
        try Department.validateSchema()
        #expect(Employee.keyDescriptions.first { $0.name == "badge" }?.affectedBy.sorted() == ["manager.name", "name"])
    }

    @Test("the log gets staff, badges through the manager, and the budget with what it was") func log() throws {
        let department = Department()
        let log = try PayrollLog(department)
        let ann = Employee(name: "Ann", salary: 300)
        try department.hire(ann)
        try department.hire(Employee(name: "Bob", salary: 200, manager: ann))
        ann.name = "Anna"
        department.spend(500, granting: 100)
        try department.dismiss(at: 0)
        ann.name = "Anne"
        #expect(
            log.lines == [
                #"insertion at [0]: ["Ann"]"#, "badge: Ann (nobody)", #"insertion at [1]: ["Bob"]"#, "badge: Bob (Ann)",
                "badge: Anna (nobody)", "badge: Bob (Anna)", "budget was 1000", "budget is 600",
                #"removal at [0]: ["Anna"]"#,
                "badge: Bob (Anne)",
            ])
    }

    @Test("a manager who leaves for good changes the badges of the rest") func managerDies() throws {
        let department = Department()
        let log = try PayrollLog(department)
        try department.hire(Employee(name: "Ann", salary: 300))
        try department.hire(Employee(name: "Bob", salary: 200, manager: department.employees[0]))
        try department.dismiss(at: 0)
        #expect(log.lines.last == "badge: Bob (nobody)")
    }

    @Test("nothing unregisters, and nothing is left") func noDeinit() throws {
        let department = Department()
        let bob = Employee(name: "Bob", salary: 200)
        try department.hire(bob)
        var log: PayrollLog? = try PayrollLog(department)
        weak let weakLog = log
        log = nil
        #expect(weakLog == nil)
        department.spend(1)
        bob.name = "Rob"
        #expect(!department.observations().contains { $0.isValid })
    }

    @Test("the report reads by name, of one object and of a collection") func report() throws {
        let department = Department()
        let ann = Employee(name: "Ann", salary: 300)
        try department.hire(ann)
        try department.hire(Employee(name: "Bob", salary: 200, manager: ann))
        #expect(
            try Report(department: department).lines() == [
                "2 employees: Ann, Bob", "managers: -, Ann", "salaries: 250.0 on average, 300 at most",
            ])
        try department.raiseAll(to: 400)
        #expect(department.employees.map(\.salary) == [400, 400])
    }

    @Test("a salary is validated, and a wrong one is not set") func validation() throws {
        let department = Department()
        try department.hire(Employee(name: "Ann", salary: 300))
        let report = Report(department: department)
        try report.setSalary(310, ofEmployeeAt: 0)
        for wrong: Any in [-1, "much", 1.5] {
            let error = #expect(throws: KeyValueError.self) { try report.setSalary(wrong, ofEmployeeAt: 0) }
            #expect(error?.underlyingError as? PayrollError == .negative)
        }
        #expect(department.employees[0].salary == 310)
    }
}
