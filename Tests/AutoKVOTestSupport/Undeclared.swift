import AutoKVO

/// A class of another module, without a schema, whose properties have several levels of access.
open class Undeclared: Model {
    @Observed public var shared = 0
    @Observed var inner = 0
    @Observed private var secret = 0
    @Observed public private(set) var counted = 0

    public override init() {}

    /// Adds one to each property that other modules cannot set.
    public func advance() {
        inner += 1
        secret += 1
        counted += 1
    }
}
