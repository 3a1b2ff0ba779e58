import AutoKVO

/// The day that it is, for all lists.
final class DayClock: TrackedObject {
    @Observed(.distinct) var today = ""

    init(today: String) {
        super.init()
        self.today = today
    }
}

/// A list of tasks. How many are left, and how many of these are late, is derived from them.
final class TaskList: TrackedObject, Encodable {
    static let highestOrder = 1e9
    static let taskLimit = 1000

    let id: Int64
    let clock: DayClock
    @Observed(.distinct) var title = ""
    @Observed var tasks: [TaskItem] = []
    @Derived({ (list: TaskList) in list.tasks.count { !$0.isDone } }) var left: Int
    @Derived({ (list: TaskList) in
        let today = list.clock.today
        return list.tasks.count { !$0.isDone && ($0.due ?? today) < today }
    }) var late: Int
    private var isSpreading = false

    init(id: Int64, clock: DayClock, tasks: [TaskItem] = []) {
        (self.id, self.clock) = (id, clock)
        super.init()
        self.tasks = tasks
        $tasks.observeEach(\.$order) { [unowned self] _, _ in spreadIfCrowded() }
    }

    override class var schema: Schema {
        Schema(TaskList.self, extending: super.schema) {
            Key("title", \.title) { _, title in try checkTitle(&title, of: "a list") }
        }
    }

    /// Adds a task behind all others, unless it has a place of its own.
    func add(_ task: TaskItem, hasOrder: Bool) throws {
        if tasks.count >= Self.taskLimit { throw WrongRequest("a list has at most \(Self.taskLimit) tasks") }
        if !hasOrder { task.order = (tasks.map(\.order).max() ?? 0) + 1 }
        $tasks.append(task)
        spreadIfCrowded()
    }

    /// Numbers the tasks anew when there is no room between two of them any more, or none behind the last. Whoever moves a task into the
    /// gap need not know of it: these are changes in consequence of that one, in the same turn.
    private func spreadIfCrowded() {
        if isSpreading { return }
        let sorted = tasks.sorted { ($0.order, $0.id) < ($1.order, $1.id) }
        let isCrowded = zip(sorted, sorted.dropFirst()).contains { $1.order - $0.order < 1e-6 }
        if !isCrowded, (sorted.last?.order ?? 0) <= Self.highestOrder { return }
        isSpreading = true
        defer { isSpreading = false }
        for (place, task) in sorted.enumerated() { task.order = Double(place + 1) }
    }

    private enum CodingKeys: CodingKey { case id, title, tasks, left, late }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(title, forKey: .title)
        try container.encode(tasks, forKey: .tasks)
        try container.encode(left, forKey: .left)
        try container.encode(late, forKey: .late)
    }
}
