public import Observation

extension KeyValueObserver where Self: TrackedObject {
    /// A view of this object for the standard library's Observation: `withObservationTracking { person.observable.fullName }`.
    ///
    /// Reading a member of the view reads the property of that name, and whoever tracks the read, by
    /// `withObservationTracking`, `Observations` or what is built on them, is called when the property changes. Keep nothing:
    /// the view is made at each use and holds the object as long as it is kept.
    ///
    /// - Complexity: O(1). Until a member is read nothing is allocated or registered for the object.
    public var observable: ObservableView<Self> { ObservableView(self) }
}

/// A tracked object as an `Observable` one: its members are the members of the object, and reading one is seen by Observation.
///
///     withObservationTracking {
///         label.text = person.observable.address?.city
///     } onChange: {
///         …
///     }
///
/// A member that is a tracked object is a view of it, an optional one an optional view: so both steps of `address?.city` are
/// tracked. (Compare objects by the property itself, `person.address === other`.) A member of an array or a set is the collection
/// itself, and its elements are not views.
///
/// **When Observation is called.** Before the value changes, as for an `@Observable` object, on the thread that makes the change;
/// the call for the other side of the change, which Observation has in addition, after it. For a change that has no prior call, both
/// come after it: the death of the object that a weak property refers to, and all that `coalescingChanges` held back. A write of an equal value
/// is a change, too. The first read of a member registers an observation with `.prior` on the object, which lasts until the object
/// dies: `observations()` lists it, and `removeAllObservers()` ends it until the member is read again.
///
/// **Which keys a member stands for.** Those that it reads, whatever it is: a handle, a declared key, an inherited or computed property,
/// a path through other objects. Of what is no key itself the value is computed once for each change of what it read, behind it, on the
/// thread that makes the change.
///
/// **What is missed.**
///
/// - The later members of three or more in one expression. In `person.observable.address?.country?.name` Swift (6.3.1) takes the
///   object itself for the first member, not its view, so only a change of `address` is seen, whatever the schemas declare. Write
///   `person.observable.$address?.$country?.$name`, or keep the view of one step in a constant: `let address = person.observable.address`.
/// - What is no key: a stored property that is not observed.
/// - What is read of an object behind a property whose type is a protocol: that is the object itself, not its view.
/// - The change inside of which a member is read for the first time, in a prior handler or an announced change: nobody had asked before it.
///
/// **Threads and lifetimes.** What the library keeps may be used from any thread; the properties themselves are read on the thread
/// that reads the member. The view keeps its object alive; Observation's tracking does not, and is silent when the object has died.
@dynamicMemberLookup
public final class ObservableView<Object: TrackedObject>: Observable {
    private let object: Object

    init(_ object: Object) { self.object = object }

    /// The value of a property, its read seen by Observation.
    ///
    /// - Complexity: O(1) and that of reading the property; at the first read a registration.
    public subscript<Value>(dynamicMember keyPath: KeyPath<Object, Value>) -> Value {
        access(keyPath, \.[dynamicMember: keyPath] as KeyPath<_, Value>) { $0.observe(keyPath, of: object) }
        return object[keyPath: keyPath]
    }

    /// The value of a property by its handle, which names the key exactly: `person.observable.$firstName`.
    ///
    /// - Complexity: O(1) and that of reading the property; at the first read a registration.
    public subscript<Handle: PropertyHandle>(dynamicMember keyPath: KeyPath<Object, Handle>) -> Handle.Value
    where Handle.Current == Handle.Value {
        access(keyPath, \.[dynamicMember: keyPath] as KeyPath<_, Handle.Value>) {
            $0.observe(HandleKeyPath(object, keyPath).targets)
        }
        return object[keyPath: keyPath].value
    }

    /// A view of the tracked object that a property refers to.
    ///
    /// - Complexity: O(1) and that of reading the property; at the first read a registration.
    public subscript<Value: TrackedObject>(dynamicMember keyPath: KeyPath<Object, Value>) -> ObservableView<Value> {
        ObservableView<Value>(self[dynamicMember: keyPath] as Value)
    }

    /// A view of the tracked object that a property refers to, or nil.
    ///
    /// - Complexity: O(1) and that of reading the property; at the first read a registration.
    public subscript<Value: TrackedObject>(dynamicMember keyPath: KeyPath<Object, Value?>) -> ObservableView<Value>? {
        (self[dynamicMember: keyPath] as Value?).map { ObservableView<Value>($0) }
    }

    /// A view of the tracked object that a property refers to, by its handle.
    ///
    /// - Complexity: O(1) and that of reading the property; at the first read a registration.
    public subscript<Handle: PropertyHandle>(
        dynamicMember keyPath: KeyPath<Object, Handle>
    ) -> ObservableView<Handle.Value> where Handle.Current == Handle.Value, Handle.Value: TrackedObject {
        ObservableView<Handle.Value>(self[dynamicMember: keyPath] as Handle.Value)
    }

    /// A view of the tracked object that a property refers to, by its handle, or nil.
    ///
    /// - Complexity: O(1) and that of reading the property; at the first read a registration.
    public subscript<Handle: PropertyHandle, Value: TrackedObject>(
        dynamicMember keyPath: KeyPath<Object, Handle>
    ) -> ObservableView<Value>? where Handle.Current == Handle.Value, Handle.Value == Value? {
        (self[dynamicMember: keyPath] as Value?).map { ObservableView<Value>($0) }
    }

    /// Registers what is missing before the value is read, so that no change behind the read is missed, and notes the read.
    private func access<Value>(
        _ keyPath: AnyKeyPath, _ member: @autoclosure () -> KeyPath<ObservableView, Value>,
        _ register: (consuming Registration) -> KeyValueObservation
    ) {
        guard let core = ObservationCore.of(object) else { return }
        let (member, announced) = core.watch(keyPath, member, of: object, register)
        core.registrar.access(self, keyPath: member)
        // What is read between the two calls of a change is announced again with the second; not what a tracking reads that begins inside of
        // the first, if it is of the change for which that is made.
        let tokens = ThreadContext.current.value.announcing
        announced.withLock { if !(tokens?.contains($0) ?? false) { $0 = 0 } }
    }
}
