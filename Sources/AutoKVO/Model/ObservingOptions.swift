/// What an observation delivers, and when it ends.
public struct ObservingOptions: OptionSet, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The change carries the value from before it.
    public static let old = ObservingOptions(rawValue: 1 << 0)
    /// The change carries the value from after it.
    public static let new = ObservingOptions(rawValue: 1 << 1)
    /// The handler is called once for each path during the registration, before it returns. That call never carries an
    /// old value; it carries the current one as new if `.new` is set. With several paths or targets, the handler is
    /// called for changes of each one after the initial call for it. An observer that is added while
    /// the property is being changed (between `willChangeValue` and `didChangeValue`, in a prior handler) gets the value that the property has
    /// then, and is not called for that change.
    public static let initial = ObservingOptions(rawValue: 1 << 2)
    /// The handler is called before each change too, with `isPrior` set and without a new value. Not inside of `coalescingChanges`, and not before
    /// the death of an object to which the property refers weakly.
    public static let prior = ObservingOptions(rawValue: 1 << 3)
    /// The observation stays valid until it is removed, whichever side dies. Nothing is delivered to a dead observer.
    public static let unregisterManually = ObservingOptions(rawValue: 1 << 4)
    /// A change to an equal value is not delivered. Values that are not `Equatable` are compared by identity if they
    /// are objects, and count as different otherwise. A prior call cannot know the new value and is always made.
    public static let distinct = ObservingOptions(rawValue: 1 << 5)
    /// The observation ends with its first delivery: the initial call if there is one, else the first change, whose
    /// prior call belongs to it. If that change is cancelled, or `.distinct` finds the value unchanged, it waits for the next one.
    /// `rearm()` starts it again.
    public static let once = ObservingOptions(rawValue: 1 << 6)
    /// The target is kept alive as long as the observation is valid: one with `.once` releases it when it has fired, and
    /// keeps it again from `rearm()` on. A change that is on its way to a scheduler then keeps it until it is delivered. One of several targets
    /// is released when the last of its paths is removed.
    public static let retainsTarget = ObservingOptions(rawValue: 1 << 7)
    /// The observation ends with either side, also where the class of a side opts out of that by `unregistersAutomatically`. So does
    /// everything that the library registers for its own purposes: streams, bindings, dependencies. An observation's `options` do not
    /// contain it; of this and `.unregisterManually`, the latter counts.
    public static let unregisterAutomatically = ObservingOptions(rawValue: 1 << 8)

    /// Of a registration: a scheduler delivers the changes, or see `ofSeveralCalls`. An observation has the flag at its place.
    static let scheduled = ObservingOptions(rawValue: 1 << 13)
    /// Of a registration: see `ObservationFlags`.
    static let first = ObservingOptions(rawValue: 1 << 12)
    /// With `.once` an observation whose handler makes several calls for a change (`makeCalls`) stays in the lists until it has returned, as one
    /// does whose change waits at a scheduler: a change that one of the calls makes is found to come behind the rest.
    @usableFromInline var ofSeveralCalls: ObservingOptions { contains(.once) ? union(.scheduled) : self }
    /// For a handler that does not get the change.
    @usableFromInline var withoutValues: ObservingOptions { subtracting([.old, .new]) }
    /// For a handler that gets the whole value, now and at each change.
    @usableFromInline var ofWholeValue: ObservingOptions { subtracting([.old, .new, .prior]).union(.initial) }
    /// For a handler that gets the elements which left and came.
    @export(implementation) var ofElements: ObservingOptions {
        ofSeveralCalls.union([.old, .new, .unregisterAutomatically]).subtracting([.prior, .distinct])
    }
    /// For what is read of `@Observable` objects: the values are delivered by the change, and the expression is kept by its observation.
    @usableFromInline var ofExpression: ObservingOptions {
        intersection([.distinct, .once]).union([.new, .retainsTarget, .unregisterAutomatically])
    }
    /// In a change's `excluded`: its calls are measured. No observation has it, and every one has the flag at its place, so that each call
    /// takes the slow path of `HandlerLoop`.
    static let traced = ObservingOptions(rawValue: 1 << 15)
    /// Those of a registration. In an observation's flags other bits stand for something else.
    static let all = ObservingOptions(rawValue: 0x31FF)
    // Not written as sets of the others: in a long function the compiler makes an array of those for each use.
    static let onceOrDistinct = ObservingOptions(rawValue: 1 << 6 | 1 << 5)
    static let oldOrDistinct = ObservingOptions(rawValue: 1 << 0 | 1 << 5)
    static let newOrDistinct = ObservingOptions(rawValue: 1 << 1 | 1 << 5)
    static let oldDistinctOrPrior = ObservingOptions(rawValue: 1 << 0 | 1 << 5 | 1 << 3)

    public var description: String {
        // By bit.
        let names = "old new initial prior unregisterManually distinct once retainsTarget unregisterAutomatically"
            .split(separator: " ")
        let contained = names.indices.filter { rawValue & 1 << $0 != 0 }
        return "[" + contained.map { ".\(names[$0])" }.joined(separator: ", ") + "]"
    }
}
