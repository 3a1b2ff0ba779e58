import Synchronization

/// What a binding keeps of the property that follows, but not the object. Constant but for two atomic variables. Its closures run on
/// the threads of the changes, as handlers do.
///
/// **The protocol of this folder.** It uses only the public interface of the other folders. Everything is an observation: a
/// binding and a dependency have a name as user info, under which the observer has at most one of them (`ObservationName`); a
/// stream ends with its observation and the observation with its stream. Observations keep neither side alive, so both sides are
/// passed to the handler by the delivery that retains them. There is no lock here. Read next: TrackedObject+Bind.swift.
final class Binding: @unchecked Sendable {
    private let property: SettableProperty
    /// The property, with its class.
    private let name: String
    /// Whether a value of the property's type is neither transformed nor converted.
    private let copiesValues: Bool
    /// The thread that sets the property, and 0 while none does. Two may at the same time where the source allows it: then either may
    /// be forgotten, until it sets the property again.
    private let thread = Atomic<UInt>(0)
    /// Whether the source has changed while the property was being set because of an earlier change.
    private let isOutdated = Atomic<Bool>(false)

    /// How often the source may change while the property is set to what it was, before that counts as a circle. A round of a ring sets each
    /// property in it, so in a debug build this many take a tenth of a second.
    private static let maximumRounds = 1_000

    init(_ property: SettableProperty, _ name: String, copiesValues: Bool) {
        (self.property, self.name, self.copiesValues) = (property, name, copiesValues)
    }

    /// Sets the property to the source's value, in the handler of a change of it.
    ///
    /// Inlined: where many bindings follow each other, a hop takes longer for each function that waits for the next one (counts:
    /// `bind-hop`; presumably because the processor foresees only so many returns).
    ///
    /// - Returns: False if the value has to be transformed or converted. Then nothing is done.
    @inline(__always) func copyValue<Value>(of change: Change<Value>, to object: TrackedObject) -> Bool {
        guard copiesValues else { return false }
        let value = SettableProperty.value(of: change)
        guard property.isOfType(value) else { return false }
        ifNotInside {
            if !property.holds(value, in: object) { property.set(object, to: value) }
            if isOutdated.load(ordering: .relaxed) {
                follow(object, from: value) { change.observation.isValid ? SettableProperty.value(of: change) : nil }
            }
        }
        return true
    }

    /// Sets the property to a value of its type, unless it has an equal one.
    ///
    /// What makes the value may change the source. Setting the property calls handlers, which may, too: those of the property, and before it
    /// is set those that have not heard of the property's last change. The binding is called for that inside of itself, and leaves it to this
    /// call to follow.
    ///
    /// - Parameter current: What the property is to be set to; nil to leave it.
    /// - Returns: False if this thread is setting the property already: then that call sets it again. Also if the property was left in a circle:
    ///   it does not show the source's value then, and what it has is nobody's edit that could be written back.
    @inline(never) @discardableResult func set(_ object: TrackedObject, to current: () -> Any?) -> Bool {
        ifNotInside { follow(object, from: nil, current) } && !isOutdated.load(ordering: .relaxed)
    }

    /// What a function makes of the source's value; nil if the binding has ended, which the function may bring about.
    static func value(_ observation: KeyValueObservation, _ make: () -> Any?) -> Any? {
        guard observation.isValid, let value = make() else { return nil }
        return observation.isValid ? value : nil
    }

    /// Runs a function that sets the property, unless this thread is inside of such a function: that one then finds out, by `isOutdated`, that
    /// the source has changed, and sets the property again.
    ///
    /// - Returns: Whether the function was run.
    @inline(__always) @discardableResult private func ifNotInside(_ body: () -> Void) -> Bool {
        let this = thisThread()
        if thread.load(ordering: .relaxed) == this {
            isOutdated.store(true, ordering: .relaxed)
            return false
        }
        // Without the two atomic additions that counting takes.
        thread.store(this, ordering: .relaxed)
        body()
        thread.store(0, ordering: .relaxed)
        return true
    }

    /// Sets the property, until it has the source's value.
    @inline(never)
    private func follow(_ object: TrackedObject, from value: Any?, _ current: () -> Any?) {
        var last = value
        for _ in 0..<Self.maximumRounds {
            isOutdated.store(false, ordering: .relaxed)
            if let next = current(), !property.holds(next, in: object) {
                // A value that does not equal itself, such as NaN, stops when it has passed round a circle of bindings once.
                if let last, !property.areEqual(next, next), isSameContent(next, last) { return }
                last = next
                property.set(object, to: next)
            }
            if !isOutdated.load(ordering: .relaxed) { return }
        }
        Diagnostics.report("\(name) is bound in a circle in which no value becomes equal; it was left as it is")
    }
}
