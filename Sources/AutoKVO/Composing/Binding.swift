import Synchronization

/// What a binding keeps of the property that follows, but not the object. Constant but for two atomic variables. Its closures run on
/// the threads of the changes, as handlers do.
///
/// **The protocol of this folder.** It uses only the public interface of the other folders. Everything is an observation: a
/// binding and a dependency have a name as user info, under which the observer has at most one of them (`ObservationName`); a
/// stream ends with its observation and the observation with its stream. Observations keep neither side alive, so both sides are
/// passed to the handler by the delivery that retains them. There is no lock here. Read next: TrackedObject+Bind.swift.
///
/// **An example**: `label.$title.bind(to: person.$name)`, and then `person.name = "Eve"`, not in a handler.
///
///     Property.bind                 `ObservationName.end` ends the binding that the title had
///     PropertyHandles.addObserver   the label observes the name, with `.initial`: the handler is called now, as with each change
///     Binding.copyValue             in the handler: counts the change; sets what `name` is now, since nothing is transformed
///     SettableProperty.set          unless the title has an equal value: through the label's handle, which calls the label's observers
///     Binding.isLast                not if one of those has changed the name: the inner call has only counted that, and left it to this one
///     Binding.follow                then: sets the title again, until the name has not been changed meanwhile
final class Binding: @unchecked Sendable {
    private let property: SettableProperty
    /// The property, with its class.
    private let name: String
    /// Whether a value of the property's type is neither transformed nor converted.
    private let copiesValues: Bool
    /// The thread that sets the property, and 0 while none does. Two may, one inside of what the other calls: then it is 0 when the inner one
    /// is through.
    private let thread = Atomic<UInt>(0)
    /// Number of changes of the source, on all threads. If it is another one when the property has been set, what it was set to is outdated.
    /// Where two threads count at the very same time, it counts one: they set the property at the same time, too.
    private let changes = Atomic<UInt>(0)

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
    /// - Returns: False if the value has to be transformed or converted, or if this thread is setting the property already. Then nothing is set.
    @inline(__always) func copyValue<Value>(of change: Change<Value>, to object: TrackedObject) -> Bool {
        guard copiesValues else { return false }
        return ifNotInside { number in
            let value = SettableProperty.value(of: change)
            guard property.isOfType(value) else { return false }
            var last: Any?
            // Where handlers are to be called before the property is set, they may end the binding, or change the source.
            if isLast(number), !SettableProperty.isOvertaking {
                if !property.holds(value, in: object), isLast(number), SettableProperty.isValid(change) {
                    property.set(object, to: value)
                }
                if isLast(number) { return true }
                last = value
            }
            var isConverted = false
            _ = follow(object, from: last, change.observation) {
                let value = SettableProperty.value(of: change)
                isConverted = !property.isOfType(value)
                return isConverted ? nil : value
            }
            return !isConverted
        }
    }

    /// Sets the property to a value of its type, unless it has an equal one.
    ///
    /// What makes the value may change the source. Setting the property calls handlers, which may, too: those of the property, and before it
    /// is set those that have not heard of the property's last change. The binding is called for that inside of itself, and leaves it to this
    /// call to follow.
    ///
    /// - Parameters:
    ///   - observation: That of the binding. Once it has ended nothing is set.
    ///   - current: What the property is to be set to; nil to leave it.
    /// - Returns: False if this thread is setting the property already: then that call sets it again. Also if the property was left in a circle:
    ///   it does not show the source's value then, and what it has is nobody's edit that could be written back.
    @inline(never) @discardableResult
    func set(_ object: TrackedObject, _ observation: KeyValueObservation, to current: () -> Any?) -> Bool {
        ifNotInside { _ in follow(object, from: nil, observation, current) }
    }

    /// Sets the property to the transformed value of the source, in the handler of a change of it.
    func follow<Value, Input, Bound>(_ change: Change<Value>, on object: TrackedObject, _ transform: (Input) -> Bound) {
        set(object, change.observation) { change.currentValue(as: Input.self).map(transform) }
    }

    /// Runs a function that sets the property, unless this thread is inside of such a function: that one then finds out, by `changes`, that
    /// the source has changed, and sets the property again. It also finds out what other threads have changed inside of what it calls, and have
    /// set the property to.
    @inline(__always) private func ifNotInside(_ body: (_ number: UInt) -> Bool) -> Bool {
        let (this, number) = (thisThread(), changes.load(ordering: .relaxed) &+ 1)
        // Without the atomic additions that counting exactly takes.
        changes.store(number, ordering: .relaxed)
        if thread.load(ordering: .relaxed) == this { return false }
        thread.store(this, ordering: .relaxed)
        defer { thread.store(0, ordering: .relaxed) }
        return body(number)
    }

    @inline(__always) private func isLast(_ number: UInt) -> Bool { changes.load(ordering: .relaxed) == number }

    /// Sets the property, until it has the source's value.
    ///
    /// - Returns: False if it was left in a circle.
    @inline(never) private func follow(
        _ object: TrackedObject, from value: Any?, _ observation: KeyValueObservation, _ current: () -> Any?
    ) -> Bool {
        var last = value
        for _ in 0..<Self.maximumRounds {
            let number = changes.load(ordering: .relaxed)
            // Each of these may call code that changes the source, or ends the binding.
            if observation.isValid, let next = current(), isLast(number), property.needs(next, in: object),
                isLast(number), observation.isValid
            {
                // A value that does not equal itself, such as NaN, stops when it has passed round a circle of bindings once.
                if let last, !areEqual(next, next), isSameContent(next, last) { return true }
                last = next
                property.set(object, to: next)
            }
            if isLast(number) { return true }
        }
        Diagnostics.report("\(name) is bound in a circle in which no value becomes equal; it was left as it is")
        return false
    }
}
