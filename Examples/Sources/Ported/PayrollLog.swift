import AutoKVO

// private let staffContext = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
nonisolated(unsafe) private let staffContext = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
// private let badgeContext = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
nonisolated(unsafe) private let badgeContext = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)

/// An observer that is no tracked object: any class that has the callback.
// final class PayrollLog: NSObject {
final class PayrollLog: ClassicObserver {
    private(set) var lines: [String] = []
    private let department: Department

    init(_ department: Department) throws {
        self.department = department
        // department.addObserver(self, forKeyPath: "employees", options: [.old, .new], context: staffContext)
        try department.addObserver(self, forKeyPath: "employees", options: [.old, .new], context: staffContext)
        // department.addObserver(self, forKeyPath: "budget", options: [.old, .new, .prior], context: staffContext)
        try department.addObserver(self, forKeyPath: "budget", options: [.old, .new, .prior], context: staffContext)
    }

    // override func observeValue(forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    //                            context: UnsafeMutableRawPointer?) {
    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [KeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        // guard let change, context == staffContext || context == badgeContext else {
        //     return super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
        // }
        guard let keyPath, let change else { return }
        switch context {
        case badgeContext: lines.append("badge: \(change[.newKey] ?? "-")")  // the same
        case staffContext where keyPath == "employees": staffDidChange(change)  // the same
        case staffContext where change[.notificationIsPriorKey] as? Bool == true:  // the same
            lines.append("budget was \(change[.oldKey] ?? "-")")  // the same
        default: lines.append("\(keyPath) is \(change[.newKey] ?? "-")")  // the same
        }
    }

    // private func staffDidChange(_ change: [NSKeyValueChangeKey: Any]) {
    private func staffDidChange(_ change: [KeyValueChangeKey: Any]) {
        let came = change[.newKey] as? [Employee] ?? []  // the same
        let left = change[.oldKey] as? [Employee] ?? []  // the same
        // let kind = NSKeyValueChange(rawValue: change[.kindKey] as! UInt)!
        let kind = ChangeKind(rawValue: change[.kindKey] as! UInt)!
        // let indexes = Array(change[.indexesKey] as! IndexSet)
        let indexes = (change[.indexesKey] as! RangeSet<Int>).ranges.flatMap { Array($0) }
        lines.append("\(kind) at \(indexes): \((came + left).map(\.name))")  // the same
        for employee in left {
            employee.removeObserver(self, forKeyPath: "badge", context: badgeContext)  // the same
        }
        for employee in came {
            // employee.addObserver(self, forKeyPath: "badge", options: [.initial, .new], context: badgeContext)
            try! employee.addObserver(self, forKeyPath: "badge", options: [.initial, .new], context: badgeContext)
        }
    }

    // deinit {
    //     department.removeObserver(self, forKeyPath: "employees", context: staffContext)
    //     department.removeObserver(self, forKeyPath: "budget", context: staffContext)
    //     for employee in department.employees { employee.removeObserver(self, forKeyPath: "badge", context: badgeContext) }
    // }
    // (Nothing: the observations end with this object.)
}
