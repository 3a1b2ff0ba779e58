import AutoKVO

/// The class of the objects in a `ModelWorld`.
final class ModelNode: Model {
    let id: Int
    @Observed var n = 0
    @Observed var m = 0
    @Observed var next: ModelNode?
    @Observed var items: [ModelNode] = []
    @ObservedWeak var up: ModelNode?

    init(id: Int) { self.id = id }

    func set(_ key: String, _ value: Int, inPlace: Bool) {
        switch (key, inPlace) {
        case ("n", false): n = value
        case ("n", true): n += value - n
        case (_, false): m = value
        case (_, true): m += value - m
        }
    }

    var sum: Int { n + m }
    var far: Int { next?.n ?? -1 }
    var deep: Int { n * 10 + far }

    /// Two properties are declared, and three are keys by themselves.
    override class var schema: Schema {
        Schema(ModelNode.self, extending: super.schema) {
            Key("n", \.n)
            Key("next", \.next)
            Key("sum", \.sum, affectedBy: "n", "m")
            Key("far", \.far, affectedBy: "next.n")
            Key("deep", \.deep, affectedBy: "n", "far")
        }
    }
}

final class ModelTrackedObserver: TrackedObject {}
final class ModelPlainObserver {}

/// An observer with a named handler that ignores the change.
final class ModelCallee: TrackedObject {
    private let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }

    private func call() { body() }

    override class var schema: Schema {
        Schema(ModelCallee.self, extending: super.schema) { Handler("call", ModelCallee.call) }
    }
}

/// How a property is written.
enum ModelWriteForm: Int {
    case plain, balanced, willAndDid, nested

    init(_ number: UInt8) { self = number % 8 < 4 ? ModelWriteForm(rawValue: Int(number % 4))! : .plain }

    var name: String {
        ["", " in withMutation", " between will and did", " in withMutation and will and did"][rawValue]
    }

    /// Writes a property of an object: one change, whatever the form.
    func perform(_ node: ModelNode, _ key: String, _ write: () -> Void) {
        switch self {
        case .plain: write()
        case .balanced: node.withMutation(of: key, write)
        case .willAndDid:
            node.willChangeValue(forKey: key)
            write()
            node.didChangeValue(forKey: key)
        case .nested: node.withMutation(of: key) { ModelWriteForm.willAndDid.perform(node, key, write) }
        }
    }
}

/// A value in the words of the reference.
func describeModelValue(_ value: Any) -> String {
    switch value {
    case let value as Int: "\(value)"
    case let value as ModelNode: "#\(value.id)"
    case let value as [Any]: "[\(value.map(describeModelValue).joined(separator: ", "))]"
    default: "nil"
    }
}
