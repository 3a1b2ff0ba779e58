/// A value at a fixed address, used without copying it, and without a check that nobody else uses it at the same time: by one
/// thread, or under the lock that guards it. Whoever has one knows who keeps the memory.
@usableFromInline struct InPlace<Value: ~Copyable> {
    @usableFromInline let pointer: UnsafeMutablePointer<Value>

    @export(implementation) @inline(__always)
    init(_ pointer: UnsafeMutablePointer<Value>) { self.pointer = pointer }

    /// The place of a stored property that is passed as `inout`.
    @export(implementation) @inline(__always)
    init(at property: inout Value) { pointer = withUnsafeMutablePointer(to: &property) { $0 } }

    /// The place of a stored property whose type is not loaded, such as one with an atomic variable. To the thread sanitizer this is
    /// not a write, as passing the property as `inout` is.
    @inline(__always)
    init(of property: borrowing Value) { pointer = withUnsafePointer(to: property) { .init(mutating: $0) } }

    @export(implementation) static func allocate(_ value: consuming Value) -> InPlace {
        let pointer = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        pointer.initialize(to: value)
        return InPlace(pointer)
    }

    @export(implementation) func deallocate() {
        pointer.deinitialize(count: 1)
        pointer.deallocate()
    }

    @export(implementation) var value: Value {
        @inline(__always) unsafeAddress { UnsafePointer(pointer) }
        @inline(__always) nonmutating unsafeMutableAddress { pointer }
    }

    var address: UnsafeRawPointer { UnsafeRawPointer(pointer) }
}

extension InPlace: Equatable, Hashable where Value: ~Copyable {}
