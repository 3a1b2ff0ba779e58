internal import CSwiftRuntime

extension Property {
    /// The value now. Setting it is the same as setting the property: observers are told of a `.setting`.
    ///
    /// Changing it in place, as in `person.$scores.value.reserveCapacity(100)`, does not copy a collection unless an
    /// observer asked for `.old`, and is told as a `.setting` too; the handle's own edits tell what moved. Handles of
    /// sets have a `value` of their own, whose setting tells of the elements that left and came.
    ///
    /// - Complexity: O(1) and the observers' calls.
    public var value: Value {
        @inlinable
        get {
            if let indirect { return indirect.read(place) }
            checkAccess(toRead: place)
            return storage.pointee
        }
        @inlinable
        nonmutating set { write(newValue) }
        @inlinable
        nonmutating _modify {
            let edit = PropertyEdit(of: self)
            // What the caller does may throw, and then nothing behind the yield runs.
            defer { edit.finish(self) }
            yield &edit.value.pointee
        }
    }

    /// Where the value is, unless the storage is indirect.
    @usableFromInline
    var storage: UnsafeMutablePointer<Value> {
        @inlinable @inline(__always)
        get { place.assumingMemoryBound(to: Value.self) }
    }

    @usableFromInline
    func write(_ newValue: Value) {
        if let indirect { return indirect.write(newValue, object, place) }
        // What was there before ends up here, and is released after the observers were called.
        var value = newValue
        let isDone = object.isObserved && withUnsafeMutablePointer(to: &value) { old in
            withUnsafePointer(to: newValue) { new in
                object.write(to: place, Value.self, old: old, new: new) { exclusively { swap(&$0, &old.pointee) } }
            }
        }
        if !isDone { exclusively { swap(&$0, &value) } }
        withExtendedLifetime(value) {}
    }

    /// Changes the value in place, telling nobody. As for the property itself, an access to it from inside the closure,
    /// or from the `deinit` of an element that goes, is a violation of exclusive access, which traps.
    @inlinable @inline(__always)
    func exclusively<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result
    {
        var access = ExclusiveAccess()
        begin(&access, place)
        defer { end(&access) }
        return try body(&storage.pointee)
    }
}

/// A change in place of a property's value, from before the change until after it.
@usableFromInline
struct PropertyEdit<Value> {
    /// The value to change: the property's own, or a copy of one whose storage is indirect.
    @usableFromInline let value: UnsafeMutablePointer<Value>
    /// On the heap, because it has to stay in its place while the change is under way.
    private let state: UnsafeMutablePointer<State>?

    private struct State {
        var access = ExclusiveAccess()
        let ticket: WriteTicket?
        /// The value from before, if anybody asked: the copy that the edit then has to make of a collection.
        let old: Value?
    }

    @usableFromInline
    init(of property: Property<Value>) {
        guard property.indirect == nil else {
            value = .allocate(capacity: 1)
            value.initialize(to: property.value)
            state = nil
            return
        }
        value = property.storage
        let ticket = property.object.isObserved ? property.object.ticket(forWriteTo: property.place) : nil
        let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
        state.initialize(to: State(ticket: ticket, old: ticket?.form == .immediateWithOld ? value.pointee : nil))
        self.state = state
        if let ticket, ticket.form == .announced { property.object.beginWrite(ticket) }
        begin(&state.pointee.access, property.place)
    }

    @usableFromInline
    func finish(_ property: Property<Value>) {
        guard let state else {
            property.value = value.pointee
            value.deinitialize(count: 1)
            return value.deallocate()
        }
        end(&state.pointee.access)
        let (ticket, old) = (state.pointee.ticket, state.pointee.old)
        state.deinitialize(count: 1)
        state.deallocate()
        switch ticket?.form {
        case nil, .silent: break
        case .announced: property.object.endWrite(ticket!)
        case .immediate, .immediateWithOld:
            let new = ticket!.wantsNew ? value.pointee : nil
            withOptionalPointer(to: old) { old in
                withOptionalPointer(to: new) { property.object.didWrite(ticket!, Value.self, old: old, new: $0) }
            }
        }
    }
}

// MARK: - Exclusive access

/// A mark of the runtime's that a place is being changed. It has to stay where it is until the access ends.
///
/// Swift checks that a class's property is not used while it is being changed. An access through a pointer escapes that
/// check, so handles ask the runtime for it as compiled code does.
@usableFromInline
struct ExclusiveAccess {
    private var words: (UInt, UInt, UInt, UInt) = (0, 0, 0, 0)

    @usableFromInline
    init() {}
}

@usableFromInline
func begin(_ access: UnsafeMutablePointer<ExclusiveAccess>, _ place: UnsafeMutableRawPointer) {
    csr_begin_modify(place, access)
}

@usableFromInline
func end(_ access: UnsafeMutablePointer<ExclusiveAccess>) {
    csr_end_modify(access)
}

@usableFromInline
func checkAccess(toRead place: UnsafeMutableRawPointer) {
    csr_check_read(place)
}
