import AutoKVO
import Foundation
import GRDB

/// Observes a board, and makes of each change a statement for the database and a record for the browsers.
///
/// It observes what is in the lists as long as it is there. So whoever changes the model, by whatever way, need not think of either.
final class TurnRecorder: TrackedObject {
    private var statements: [Statement] = []
    private var changes: [String] = []
    private var following: [ObjectIdentifier: [KeyValueObservation]] = [:]
    private let encoder = JSONEncoder()

    init(_ board: Board) {
        super.init()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        board.$lists.observe(for: self, options: .new) { recorder, change in recorder.record("board", change) }
        board.$left.observe(for: self, options: .new) { recorder, change in recorder.record("board", change) }
        board.clock.$today.observe(for: self, options: .new) { recorder, change in recorder.record("board", change) }
        board.$lists.observeElements(
            for: self,
            added: { recorder, list in
                recorder.statements.append(list.insertion)
                recorder.statements += list.tasks.map { $0.insertion(in: list.id) }
                recorder.follow(list)
            },
            removed: { recorder, list in
                recorder.statements.append(list.deletion)
                for observation in recorder.following.removeValue(forKey: ObjectIdentifier(list)) ?? [] {
                    observation.remove()
                }
            })
        for list in board.lists { follow(list) }
    }

    /// What was recorded since the last call.
    func take() -> (statements: [Statement], changes: [String]) {
        defer { (statements, changes) = ([], []) }
        return (statements, changes)
    }

    private func follow(_ list: TaskList) {
        let (id, name) = (list.id, list.name)
        following[ObjectIdentifier(list)] = [
            list.$title.observe(for: self, options: .new) { recorder, change in
                recorder.save(change.target as! TaskList, change)
            },
            list.$tasks.observe(for: self, options: .new) { recorder, change in recorder.record(name, change) },
            list.$tasks.observeElements(
                for: self,
                added: { recorder, task in recorder.statements.append(task.insertion(in: id)) },
                removed: { recorder, task in recorder.statements.append(task.deletion) }),
            list.$left.observe(for: self, options: .new) { recorder, change in recorder.record(name, change) },
            list.$late.observe(for: self, options: .new) { recorder, change in recorder.record(name, change) },
            each(\.$title, of: list), each(\.$isDone, of: list), each(\.$due, of: list), each(\.$order, of: list),
        ]
    }

    private func each<Value: DatabaseValueConvertible & Encodable>(
        _ property: KeyPath<TaskItem, Property<Value>>, of list: TaskList
    ) -> KeyValueObservation {
        list.$tasks.observeEach(property, options: .new) { [unowned self] task, change in save(task, change) }
    }

    private func save<Value: DatabaseValueConvertible & Encodable>(_ row: some Row, _ change: Change<Value>) {
        statements.append(row.update(change))
        record(row.name, change)
    }

    private func record<Value: Encodable>(_ name: String, _ change: Change<Value>) {
        // Encoded now, since an object that came in may be changed before the turn is over. Strings, numbers and days cannot fail.
        let record = try! encoder.encode(ChangeRecord(change))
        changes.append(#"{"object":"\#(name)","change":\#(String(decoding: record, as: UTF8.self))}"#)
    }
}
