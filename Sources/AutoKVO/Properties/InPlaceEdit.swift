/// A change in place of a property of an object that is observed: begun before the caller changes the value, finished after.
@usableFromInline
struct InPlaceEdit<Value> {
    @usableFromInline let ticket: WriteTicket
    /// The value from before, if an observer asks for it: the edit then has to copy a collection.
    @usableFromInline let old: Value?
    @usableFromInline let storageAddress: UnsafeMutableRawPointer

    @inlinable
    init(of object: borrowing TrackedObject, at storageAddress: UnsafeMutableRawPointer) {
        ticket = object.ticket(forWriteTo: storageAddress)
        old = ticket.form == .immediateWithOld ? storageAddress.assumingMemoryBound(to: Value.self).pointee : nil
        self.storageAddress = storageAddress
        if ticket.form == .announced { object.beginWrite(ticket) }
    }

    @inlinable
    func finish(_ object: TrackedObject) {
        switch ticket.form {
        case .silent: break
        case .immediate, .immediateWithOld:
            // Handlers may change the property again, so they get a copy: one that costs nothing unless it is asked for.
            let new = ticket.wantsNew ? storageAddress.assumingMemoryBound(to: Value.self).pointee : nil
            withOptionalPointer(to: old) { old in
                withOptionalPointer(to: new) { object.didWrite(ticket, Value.self, old: old, new: $0) }
            }
        case .announced: object.endWrite(ticket)
        }
    }
}

@inlinable @inline(__always)
func withOptionalPointer<Value>(to value: Value?, _ body: (UnsafeRawPointer?) -> Void) {
    guard let value else { return body(nil) }
    withUnsafePointer(to: value) { body($0) }
}

/// A change in place through a handle, which also has to check exclusive access, and may be of indirect storage.
@usableFromInline
struct PropertyEdit<Value> {
    /// The value to change: the property's own, or a copy of one whose storage is indirect.
    @usableFromInline let value: UnsafeMutablePointer<Value>
    /// On the heap, because the access has to stay at one address while the change is under way. Nil for indirect storage.
    private let state: InPlace<State>?

    private struct State {
        var access = ExclusiveAccess()
        let edit: InPlaceEdit<Value>?
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
        let edit =
            property.object.isObserved ? InPlaceEdit<Value>(of: property.object, at: property.storageAddress) : nil
        let state = InPlace.allocate(State(edit: edit))
        state.value.access.begin(to: property.storageAddress)
        self.state = state
    }

    @usableFromInline
    func finish(_ property: Property<Value>) {
        guard let state else {
            property.value = value.move()
            return value.deallocate()
        }
        state.value.access.end()
        let edit = state.value.edit
        state.deallocate()
        edit?.finish(property.object)
    }
}
