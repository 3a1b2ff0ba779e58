import AutoKVO

/// Reads by name: of an object, of a collection, with operators.
struct Report {
    let department: Department

    func lines() throws -> [String] {
        // let names = (department.employees as NSArray).value(forKey: "name") as! [String]
        let names = try department.employees.value(forKey: "name") as! [String]
        // let managers = (department.employees as NSArray).value(forKeyPath: "manager.name") as! [Any]
        let managers = try department.employees.value(forKeyPath: "manager.name") as! [Any?]
        // let average = department.value(forKeyPath: "employees.@avg.salary") as! Double
        let average = try department.value(forKeyPath: "employees.@avg.salary") as! Double
        // let most = (department.employees as NSArray).value(forKeyPath: "@max.salary") as! Int
        let most = try department.employees.value(forKeyPath: "@max.salary") as! Int
        // let count = department.value(forKeyPath: "employees.@count") as! Int
        let count = try department.value(forKeyPath: "employees.@count") as! Int
        return [
            "\(count) employees: \(names.joined(separator: ", "))",
            "managers: \(managers.map { $0 as? String ?? "-" }.joined(separator: ", "))",
            "salaries: \(average) on average, \(most) at most",
        ]
    }

    /// Sets a salary that a user typed, if it is one.
    func setSalary(_ typed: Any, ofEmployeeAt index: Int) throws {
        var value: Any? = typed  // var value: AnyObject? = typed as AnyObject
        let employee = department.employees[index]  // the same
        try employee.validateValue(&value, forKey: "salary")  // the same
        try employee.setValue(value, forKey: "salary")  // employee.setValue(value, forKey: "salary")
    }
}
