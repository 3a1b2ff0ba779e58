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

/// A value in the words of the reference.
func describeModelValue(_ value: Any) -> String {
    switch value {
    case let value as Int: "\(value)"
    case let value as ModelNode: "#\(value.id)"
    case let value as [Any]: "[\(value.map(describeModelValue).joined(separator: ", "))]"
    default: "nil"
    }
}
