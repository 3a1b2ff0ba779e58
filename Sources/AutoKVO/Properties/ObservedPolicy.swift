/// Which assignments to an `@Observed` property are changes, where not every one is.
public struct ObservedPolicy: Sendable {
    /// Assigning an equal value is no change: nobody is notified, and nothing that depends on the property is computed.
    ///
    ///     @Observed(.distinct) var level = 0
    ///     @Observed(.distinct) var nickname: String?
    ///
    /// That holds for every way to assign one: the property, its handle, its name, a binding, undoing that. Values are compared by `==`; two
    /// floating-point values that are no number are equal. What the property stores is compared, also if a subclass overrides it. While
    /// its object is observed an equal value is not stored, and while it is not, no values are compared. The property's `didSet` runs as
    /// for any assignment.
    ///
    /// A change in place, such as `level += 1` or `names.append("Ann")`, is not compared: it is a change.
    ///
    /// A property that is not optional needs an initial value beside the policy. One that gets its first value in `init` is declared `@Observed`, and
    /// `init` says `_level = Observed(wrappedValue: level, .distinct)`.
    ///
    /// The policy is kept with the value, from its declaration on. Code that replaces the whole wrapper loses it: of a class that
    /// synthesizes `init(from:)`, whoever wants the policy writes that initializer, and assigns the properties in it.
    @export(implementation) public static var distinct: ObservedPolicy { ObservedPolicy() }

    @export(implementation) init() {}
}

extension PropertyStorage {
    /// Whether the property was declared with a policy. The storage is that of an `Observed`.
    @export(implementation) @inline(__always) var isDistinct: Bool {
        // A value without a size may have no place of its own.
        MemoryLayout<Value>.size > 0 && PropertyStorage<Observed<Value>>(self).value.isDistinct
    }
}

extension TrackedObject {
    /// Whether a property of an object that is observed already has an equal value. Deliveries that a write of it must not overtake are
    /// completed before, since their handlers may set it.
    @usableFromInline final func holds<Value>(_ value: Value, at storage: PropertyStorage<Value>) -> Bool {
        completeDeliveries(beforeWriteOf: slot(atOffset: storage.offset(in: self)))
        return AnyEquality.of(Value.self)(storage.checkedValue, value)
    }
}
