// snippet: operators.import
import AutoKVO
// end
import Testing

/// The code of `Operators.md`.
struct OperatorsTests {
    // snippet: operators.model
    class Employee: TrackedObject {
        @Observed var name: String
        @Observed var salary: Int
        @Observed var skills: [String] = []

        init(_ name: String, salary: Int, skills: [String] = []) {
            self.name = name
            self.salary = salary
            self.skills = skills
        }
    }

    class Team: TrackedObject {
        @Observed var members: [Employee] = []
        @Observed var leader: Employee?
    }
    // end

    @Test("evaluate an operator") func read() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: operators.read
        let team = Team()
        team.members = [
            Employee("Ann", salary: 40, skills: ["C", "Swift"]), Employee("Bea", salary: 50, skills: ["Swift"]),
            Employee("Ann", salary: 60),
        ]
        func value(_ path: String) throws -> Any { try team.value(forKeyPath: path) ?? "none" }
        print(try value("members.@count"))  // prints: 3
        print(try value("members.@sum.salary"))  // prints: 150
        print(try value("members.@avg.salary"))  // prints: 50.0
        print(try value("members.@max.salary"), try value("members.@min.name"))  // prints: 60 Ann
        print(try value("members.@unionOfObjects.name"))  // prints: ["Ann", "Bea", "Ann"]
        print(try value("members.@distinctUnionOfObjects.name"))  // prints: ["Ann", "Bea"]
        print(try value("members.@distinctUnionOfArrays.skills"))  // prints: ["C", "Swift"]
        // end
        try output.expect("operators.read")
    }

    @Test("observe an operator") func observe() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: operators.observe
        let team = Team()
        try team.observe("members.@sum.salary", as: Int.self, options: [.old, .new]) { change in
            if let old = change.oldValue, let new = change.newValue { print(old, "to", new) }
        }
        let ann = Employee("Ann", salary: 40)
        team.members.append(ann)  // prints: 0 to 40
        ann.salary = 45  // prints: 40 to 45
        team.members.removeAll()  // prints: 45 to 0
        ann.salary = 50  // no call: she is not a member any more
        // end
        try output.expect("operators.observe")
    }

    @Test("operators after operators") func nested() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: operators.nested
        class Company: TrackedObject {
            @Observed var teams: [Team] = []
            @Observed var shifts: [[Employee]] = []
        }
        let (a, b) = (Team(), Team())
        a.members = [Employee("Ann", salary: 40), Employee("Bea", salary: 60)]
        b.members = [Employee("Eve", salary: 30)]
        let company = Company()
        company.teams = [a, b]
        company.shifts = [a.members, b.members]
        print(try company.value(forKeyPath: "teams.@max.members.@sum.salary") ?? "-")  // prints: 100
        print(try company.value(forKeyPath: "shifts.@unionOfArrays.salary") ?? "-")  // prints: [40, 60, 30]
        print(try company.value(forKeyPath: "shifts.@sum.@avg.salary") ?? "-")  // prints: 80.0
        // end
        try output.expect("operators.nested")
    }

    @Test("a collection of objects") func ofObjects() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: operators.objects
        let employees = [Employee("Ann", salary: 40), Employee("Bea", salary: 50)]
        print(try employees.value(forKeyPath: "@avg.salary") ?? "-")  // prints: 45.0
        print(try employees.value(forKeyPath: "skills.@count") as? [Int] ?? [])  // prints: [0, 0]
        // end
        try output.expect("operators.objects")
    }

    @Test("nil and empty collections") func nothing() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: operators.nothing
        let team = Team()
        print(try team.value(forKeyPath: "members.@avg.salary") ?? "nil")  // prints: 0.0
        print(try team.value(forKeyPath: "members.@max.salary") ?? "nil")  // prints: nil
        // end
        try output.expect("operators.nothing")
    }

    @Test("what is refused") func errors() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: operators.errors
        let team = Team()
        for path in ["members.@sum.name", "members.@maximum.salary", "members.salary", "leader.@count"] {
            do {
                try team.observe(path) { _ in }
            } catch {
                print(error)
            }
        }
        // prints: unsupported operator "@sum" in key path "members.@sum.name": it takes numbers, not String
        // prints: unsupported operator "@maximum" in key path "members.@maximum.salary"
        // prints: key path "members.salary" cannot go on behind Team.members, which is a collection; an operator can follow, such as "members.@count"
        // prints: unsupported operator "@count" in key path "leader.@count": Employee is no collection
        // end
        try output.expect("operators.errors")
    }
}
