import AutoKVO

extension GObjectView {
    /// `label.bind("label", to: contact.$title)`: the property of the GObject follows a property of the model. A property has one
    /// binding at a time.
    @discardableResult public func bind<Source: PropertyHandle>(_ name: String, to source: Source)
        -> KeyValueObservation
    where Source.Current: GObjectValue { property(name).bind(to: source) }

    /// `button.bind("sensitive", to: browser.$selection) { $0 != nil }`.
    @discardableResult public func bind<Source: PropertyHandle, Value: GObjectValue>(
        _ name: String, to source: Source, transform: @escaping (Source.Current) -> Value
    ) -> KeyValueObservation {
        property(name).bind(to: source, transform: transform)
    }

    /// `label.bind("label") { "\(book.contacts.count) contacts" }`: it follows whatever the closure reads.
    @discardableResult public func bind<Value: GObjectValue>(_ name: String, to value: @escaping () -> Value)
        -> KeyValueObservation
    {
        property(name).bind(to: value)
    }

    /// `entry.bindBothWays("text", to: browser.$selection.$mail, nilAs: "")`. A write of the user goes to the object that is there then;
    /// another one is read, and never written with the last one's value.
    @discardableResult public func bindBothWays<Value: GObjectValue>(
        _ name: String, to source: PropertyPath<Value>, nilAs value: Value
    ) -> KeyValueObservation {
        property(name).bindBothWays(to: source, nilAs: value)
    }

    /// `spin.bindBothWays("value", to: browser.$selection.$age) { Double($0 ?? 0) } inverse: { Int($0) }`.
    @discardableResult public func bindBothWays<Value: GObjectValue, Other>(
        _ name: String, to source: PropertyPath<Other>, transform: @escaping (Other?) -> Value,
        inverse: @escaping (Value) -> Other
    ) -> KeyValueObservation {
        property(name).bindBothWays(to: source, transform: transform, inverse: inverse)
    }
}
