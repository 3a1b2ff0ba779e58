/// Where a property's value is, in the memory of an object: valid as long as the object lives. Whoever has one keeps the object.
///
/// **Assumption** `storageAddress`: the address of a stored property that is passed `inout` is that of the property itself.
/// A use through the address escapes the check that nobody else uses the property meanwhile; `checkedValue` and `exclusively`
/// make up for it.
@usableFromInline typealias PropertyStorage<Value> = InPlace<Value>

extension PropertyStorage {
    /// The storage at an offset in an object.
    @inlinable init(in object: AnyObject, offset: Int) {
        pointer = (Borrowed.to(object).address + offset).assumingMemoryBound(to: Value.self)
    }

    /// The same storage, which begins with a value of this type, or which a value of the other type begins with.
    @export(implementation) @inline(__always)
    init<Other>(_ other: PropertyStorage<Other>) {
        pointer = UnsafeMutableRawPointer(other.pointer).assumingMemoryBound(to: Value.self)
    }

    /// How far into an object the storage is, if it is in that object. -1 for a type of one value: a property of it takes no space,
    /// and its address may be any.
    @export(implementation) @inline(__always)
    func offset(in object: AnyObject) -> Int {
        MemoryLayout<Value>.size == 0 ? -1 : UnsafeMutableRawPointer(pointer) - Borrowed.to(object).address
    }

    /// The value. Traps if it is being changed.
    @usableFromInline var checkedValue: Value {
        @export(implementation) get {
            ExclusiveAccess.checkRead(of: pointer)
            return pointer.pointee
        }
    }

    /// A copy of the value, for `holds(_:)`. Changing a collection of which there is a copy gives it storage of its own, so the two are
    /// compared by their bytes.
    @export(implementation) var copy: StoredCopy<Value> {
        let isWord = MemoryLayout<Value>.size == MemoryLayout<Int>.size && !_isPOD(Value.self)
        return StoredCopy(value: checkedValue, bytes: isWord ? nil : Array(contents))
    }

    @export(implementation) func holds(_ copy: StoredCopy<Value>) -> Bool {
        copy.bytes.map { $0.elementsEqual(contents) } ?? holds(copy.value)
    }

    /// The same for a copy that was made elsewhere. False, perhaps, for a value with bytes between its parts.
    @export(implementation)
    func holds(_ value: Value) -> Bool { withUnsafeBytes(of: value) { $0.elementsEqual(contents) } }

    @export(implementation) private var contents: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: pointer, count: MemoryLayout<Value>.size)
    }

    /// Exchanges the value for another one. Traps if it is in use. No code of the user runs meanwhile, so the access is not recorded.
    @inlinable @inline(__always)
    func swap(_ other: inout Value) {
        ExclusiveAccess.checkModify(of: pointer)
        Swift.swap(&pointer.pointee, &other)
    }

    /// Changes the value in place. As for the property itself, an access to it from inside the closure, or from the `deinit` of
    /// an element that leaves, is a violation of exclusive access, which traps.
    @export(implementation) @inline(__always)
    func exclusively<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result
    {
        var access = ExclusiveAccess()
        access.begin(to: pointer)
        defer { access.end() }
        return try body(&pointer.pointee)
    }
}

/// A copy of what a property holds.
@usableFromInline struct StoredCopy<Value> {
    @usableFromInline let value: Value
    /// The property's bytes; nil if it is one reference. They include the padding, which a copy of the value need not keep.
    @usableFromInline let bytes: [UInt8]?

    @export(implementation) init(value: Value, bytes: [UInt8]?) { (self.value, self.bytes) = (value, bytes) }
}

/// The old and the new value of a change, as far as they are known: pointers to values of one type.
@usableFromInline struct ValuePointers {
    @usableFromInline let type: Any.Type
    @usableFromInline let old: UnsafeRawPointer?
    @usableFromInline let new: UnsafeRawPointer?

    @export(implementation) @inline(__always)
    init(type: Any.Type, old: UnsafeRawPointer?, new: UnsafeRawPointer?) {
        (self.type, self.old, self.new) = (type, old, new)
    }

    /// Calls a function with pointers to the new value of a write, and to where the write has to put the old one. That is
    /// released behind the function, and so behind all accesses: releasing it may run code that reads the property.
    @export(implementation) @inline(__always)
    static func with<Value, Result>(
        new: Value, _ body: (ValuePointers, _ old: PropertyStorage<Value>) -> Result
    ) -> Result {
        var old = new
        return withUnsafeMutablePointer(to: &old) { old in
            withUnsafePointer(to: new) {
                body(ValuePointers(type: Value.self, old: old, new: $0), PropertyStorage(old))
            }
        }
    }

    /// Calls a function with pointers to values, as far as there are any.
    @export(implementation) @inline(__always)
    static func with<Value>(old: Value?, new: Value?, _ body: (ValuePointers) -> Void) {
        func withPointer(to value: Value?, _ body: (UnsafeRawPointer?) -> Void) {
            guard let value else { return body(nil) }
            withUnsafePointer(to: value) { body($0) }
        }
        withPointer(to: old) { old in
            withPointer(to: new) { body(ValuePointers(type: Value.self, old: old, new: $0)) }
        }
    }
}
