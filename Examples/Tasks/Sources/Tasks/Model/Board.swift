import AutoKVO

/// All lists. It gives each new object its number, which no other object ever had.
final class Board: TrackedObject, Encodable {
    static let listLimit = 100

    let clock: DayClock
    @Observed var lists: [TaskList]
    @Derived({ (board: Board) in board.lists.reduce(0) { $0 + $1.left } }) var left: Int
    var nextID: Int64

    init(clock: DayClock, lists: [TaskList] = [], nextID: Int64 = 1) {
        (self.clock, self.nextID) = (clock, nextID)
        self.lists = lists
    }

    private func newID() -> Int64 {
        defer { nextID += 1 }
        return nextID
    }

    /// Makes an edit that comes from outside. One that is refused has changed nothing.
    ///
    /// - Returns: The number of the object that was added.
    func perform(_ edit: Edit) throws -> Int64? {
        switch edit {
        case .addList(let values):
            if lists.count >= Self.listLimit { throw WrongRequest("there are at most \(Self.listLimit) lists") }
            let list = TaskList(id: newID(), clock: clock)
            // A new object has to have a title: without one the empty one is validated, and refused.
            try list.setValues(["title": ""].merging(values) { $1 }, validating: true)
            $lists.append(list)
            return list.id
        case .addTask(let list, let values):
            let list = try self.list(list)
            let task = TaskItem(id: newID())
            try task.setValues(["title": ""].merging(values) { $1 }, validating: true)
            try list.add(task, hasOrder: values["order"] != nil)
            return task.id
        case .set(.list(let id), let values):
            try list(id).setValues(values, validating: true)
        case .set(.task(let id), let values):
            try place(ofTask: id).task.setValues(values, validating: true)
        case .remove(.list(let id)):
            let list = try list(id)
            $lists.removeAll { $0 === list }
        case .remove(.task(let id)):
            let (list, task) = try place(ofTask: id)
            list.$tasks.removeAll { $0 === task }
        }
        return nil
    }

    private func list(_ id: Int64) throws -> TaskList {
        if let list = lists.first(where: { $0.id == id }) { return list }
        throw WrongRequest("there is no list \(id)", isMissing: true)
    }

    private func place(ofTask id: Int64) throws -> (list: TaskList, task: TaskItem) {
        for list in lists {
            if let task = list.tasks.first(where: { $0.id == id }) { return (list, task) }
        }
        throw WrongRequest("there is no task \(id)", isMissing: true)
    }

    private enum CodingKeys: CodingKey { case today, left, lists }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(clock.today, forKey: .today)
        try container.encode(left, forKey: .left)
        try container.encode(lists, forKey: .lists)
    }
}
