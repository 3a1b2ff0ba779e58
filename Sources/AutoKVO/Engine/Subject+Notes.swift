// What a subject notes of the expressions on which its value depends, besides the one that it knows (`computed`).

extension Subject {
    /// Notes that the value depends on another expression: what the program reads of it while the change goes on leads to a value of which the
    /// observers know nothing.
    func note(_ other: Expression, _ changes: Int) {
        others = others ?? NotedExpressions()
        others!.note(other, changes)
    }

    /// Notes the expression of a key, or those of which one that says what it is affected by is derived. Under the lock of the record.
    @inline(never)
    func noteSources(of record: ObjectRecord, _ slot: Int) {
        let isRecorded = record.layout!.value[slot].isRecorded
        for slot in isRecorded ? [slot] : record.schema!.dependencies(of: slot).recordedBases {
            if let other = record.list(slot)?.value.expression?.object { note(other, other.changesUnderLock.all) }
        }
    }

    /// Whether the program has read a value that depends on what the change had made, and does not any more.
    var wasReadInBetween: Bool {
        changes?.lastRead ?? 0 > formerChanges || others?.wasReadInBetween ?? false
    }
}

/// Expressions, each with how often it had changed when a change came to it.
final class NotedExpressions {
    private var noted: [ObjectIdentifier: (expression: Expression, changes: Int)] = [:]

    func note(_ expression: Expression, _ changes: Int) {
        if noted[ObjectIdentifier(expression)] == nil { noted[ObjectIdentifier(expression)] = (expression, changes) }
    }

    var wasReadInBetween: Bool { noted.values.contains { $0.expression.changes.lastRead > $0.changes } }
}
