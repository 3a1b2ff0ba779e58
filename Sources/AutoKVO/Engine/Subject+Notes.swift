// What a subject notes of the expressions on which its value depends, besides the one that it knows (`computed`).

extension Subject {
    /// Notes another expression on which the value depends, and how often that had changed. What the program reads of it meanwhile, no observer has
    /// been told.
    func note(_ other: Expression, _ changes: Int) {
        others = others ?? NotedExpressions()
        others!.note(other, changes)
    }

    /// Notes the expression of a computed key; of a key with `affectedBy:` those of the computed keys among its bases. Under the lock of the record.
    @inline(never)
    func noteSources(of record: ObjectRecord, _ slot: Int) {
        let isRecorded = record.layout!.value[slot].isRecorded
        for slot in isRecorded ? [slot] : record.schema!.dependencies(of: slot).recordedBases {
            if let other = record.list(slot)?.value.expression?.object { note(other, other.changesUnderLock.all) }
        }
    }

    /// Whether the program has read, while the change was open, a value of one of these expressions that is none any more.
    var wasReadInBetween: Bool { changes?.lastRead ?? 0 > formerChanges || others?.wasReadInBetween ?? false }
}

/// Expressions, each with how often it had changed when a change came to it.
final class NotedExpressions {
    private var noted: [ObjectIdentifier: (expression: Expression, changes: Int)] = [:]

    func note(_ expression: Expression, _ changes: Int) {
        if noted[ObjectIdentifier(expression)] == nil { noted[ObjectIdentifier(expression)] = (expression, changes) }
    }

    func forEach(_ body: (Expression, Int) -> Void) { noted.values.forEach { body($0.expression, $0.changes) } }

    var wasReadInBetween: Bool { noted.values.contains { $0.expression.changes.lastRead > $0.changes } }
}
