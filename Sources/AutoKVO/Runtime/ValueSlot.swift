/// Memory for one value of any type, at an address that does not change.
struct ValueSlot {
    /// Initialised while the slot is filled.
    private let memory = UnsafeMutablePointer<Any>.allocate(capacity: 1)
    private(set) var isFilled = false

    /// A pointer to the value, nil if there is none.
    @inline(__always)
    var pointer: UnsafeRawPointer? { isFilled ? UnsafeRawPointer(memory) : nil }

    /// The value, nil if there is none.
    var value: Any? { isFilled ? memory.pointee : nil }

    mutating func set(_ value: Any) { fill { $0.initialize(to: value) } }

    /// Where a value is to be initialised; `isFilled` is to be set behind it.
    @inline(__always)
    mutating func fill(_ initialize: (UnsafeMutablePointer<Any>) -> Void) {
        assert(!isFilled)
        initialize(memory)
        isFilled = true
    }

    /// Empties the slot, which is filled. The value is the caller's to release.
    @inline(__always) @discardableResult
    mutating func take() -> Any {
        isFilled = false
        return memory.move()
    }

    /// Takes the value of the slot, which is filled, if it is of this type: without a cast.
    @inline(__always)
    mutating func take<Value: BitwiseCopyable>(as type: Value.Type) -> Value? {
        guard let value = NumberInAny.pointer(to: type, in: memory)?.pointee else { return nil }
        isFilled = false
        return value
    }

    func deallocate() {
        assert(!isFilled)
        memory.deallocate()
    }
}
