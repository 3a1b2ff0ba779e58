/// A key of the change dictionary that `observeValue(forKeyPath:of:change:context:)` receives.
public struct KeyValueChangeKey: RawRepresentable, Hashable, Sendable {
    /// The key's text.
    public let rawValue: String

    /// Makes a key from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A `ChangeKind`'s raw value.
    public static let kindKey = KeyValueChangeKey(rawValue: "kind")
    /// The value from after the change, if `.new` is among the observation's options.
    public static let newKey = KeyValueChangeKey(rawValue: "new")
    /// The value from before the change, if `.old` is among the observation's options.
    public static let oldKey = KeyValueChangeKey(rawValue: "old")
    /// A `RangeSet<Int>`.
    public static let indexesKey = KeyValueChangeKey(rawValue: "indexes")
    /// True in a prior call, absent in others.
    public static let notificationIsPriorKey = KeyValueChangeKey(rawValue: "notificationIsPrior")
}
