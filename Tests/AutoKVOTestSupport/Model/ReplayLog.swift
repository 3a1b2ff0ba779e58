import AutoKVO

/// What one path of one target of an observation was called with, replayed.
///
/// The log begins with the value at registration. Each change must have, as its old value, the value that the change before
/// it left; a change of a collection's elements is made to a copy of the collection.
final class ReplayLog {
    let target: Int
    let path: String
    private(set) weak var root: ModelNode?
    /// What the calls until now say that the value is. Nil if they do not say it: any value may follow.
    var value: ReplayedValue?
    /// The calls of this step, prior calls left out.
    private(set) var calls: [String] = []
    /// Whether it was kept during the whole step.
    var isComplete = false

    init(_ root: ModelNode, _ path: String) {
        (target, self.root, self.path) = (root.id, root, path)
        value = currentValue
    }

    func beginStep() {
        calls = []
        isComplete = true
    }

    var currentValue: ReplayedValue? { root.map { $0.replayedValue(path[...]) } }

    /// Adds a call. Returns what is wrong with it, or nil.
    func add(_ change: Change<Any>) -> String? {
        let (old, new) = (change.oldValue.map(ReplayedValue.init), change.newValue.map(ReplayedValue.init))
        let call =
            "\(path) of n\(target): \(change.kind) \(change.indexes.map { "\($0)" } ?? "") \(old?.description ?? "-") → \(new?.description ?? "-")"
        if !change.isPrior { calls.append(call) }
        guard let value else {
            if !change.isPrior { self.value = change.kind == .setting ? new : nil }
            return nil
        }
        if change.kind == .setting {
            if !change.isPrior { self.value = new }
            if old == nil || old == value { return nil }
            return "\(call)\(change.isPrior ? " (prior)" : ""): the value before was \(value)"
        }
        if change.isPrior { return nil }
        guard let edited = value.edited(by: change.kind, change.indexes?.ranges.flatMap { Array($0) } ?? [], old, new)
        else {
            return "\(call): does not fit the value before, \(value)"
        }
        self.value = edited
        return nil
    }
}

/// A value in words: one, or a list of them.
struct ReplayedValue: Equatable, CustomStringConvertible {
    let text: String
    let elements: [String]?

    init(_ text: String) { (self.text, elements) = (text, nil) }

    init(elements: [String]) {
        (self.elements, text) = (elements, "[\(elements.joined(separator: ", "))]")
    }

    init(_ value: Any) {
        if let list = value as? [Any] {
            self.init(elements: list.map(describeModelValue))
        } else {
            self.init(describeModelValue(value))
        }
    }

    var description: String { text }

    /// The list after a change of its elements; nil if the change does not fit.
    func edited(by kind: ChangeKind, _ indexes: [Int], _ old: ReplayedValue?, _ new: ReplayedValue?) -> ReplayedValue? {
        guard var list = elements else { return nil }
        if kind != .insertion {
            guard (indexes.last ?? 0) < list.count, indexes.map({ list[$0] }) == old?.elements else { return nil }
            for index in indexes.reversed() { list.remove(at: index) }
        }
        if kind != .removal {
            guard let elements = new?.elements, elements.count == indexes.count else { return nil }
            for (index, element) in zip(indexes, elements) {
                guard index <= list.count else { return nil }
                list.insert(element, at: index)
            }
        }
        return ReplayedValue(elements: list)
    }
}

extension ModelNode {
    /// The value of a path as the properties say it, without the library's own reading.
    func replayedValue(_ path: Substring) -> ReplayedValue {
        let dot = path.firstIndex(of: ".")
        let key = path[..<(dot ?? path.endIndex)]
        guard let dot else { return replayedValue(ofKey: key) }
        let rest = path[path.index(after: dot)...]
        guard rest.first == "@" else {
            if let object = key == "next" ? next : up { return object.replayedValue(rest) }
            let nothing = valueBehindNil(of: rest)
            return nothing == "[]" ? ReplayedValue(elements: []) : ReplayedValue(nothing)
        }
        let end = rest.firstIndex(of: ".")
        let values = end.map { end in items.map { $0.replayedValue(rest[rest.index(after: end)...]).text } } ?? []
        switch rest[..<(end ?? rest.endIndex)] {
        case "@count": return ReplayedValue("\(items.count)")
        case "@sum": return ReplayedValue("\(values.map { Int($0) ?? 0 }.reduce(0, +))")
        case "@max": return ReplayedValue(values.compactMap(Int.init).max().map(String.init) ?? "nil")
        default: return ReplayedValue(elements: values.filter { $0 != "nil" })
        }
    }

    private func replayedValue(ofKey key: Substring) -> ReplayedValue {
        switch key {
        case "n": ReplayedValue("\(n)")
        case "m": ReplayedValue("\(m)")
        case "next": ReplayedValue(next.map { "#\($0.id)" } ?? "nil")
        case "up": ReplayedValue(up.map { "#\($0.id)" } ?? "nil")
        case "items": ReplayedValue(elements: items.map { "#\($0.id)" })
        case "sum": ReplayedValue("\(sum)")
        case "far": ReplayedValue("\(far)")
        default: ReplayedValue("\(deep)")
        }
    }
}
