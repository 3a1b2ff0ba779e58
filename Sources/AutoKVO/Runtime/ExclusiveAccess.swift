internal import CSwiftRuntime

/// The runtime's record that a property is being changed. It has to stay at one address until the access ends.
///
/// Swift checks that a class's property is not used while it is being changed. An access through a pointer escapes that
/// check, so handles ask the runtime for it as compiled code does.
@usableFromInline
struct ExclusiveAccess {
    private var words: (UInt, UInt, UInt, UInt) = (0, 0, 0, 0)

    @usableFromInline
    init() {}

    /// Begins a change of the property whose storage is at an address. Traps if the property is in use.
    @usableFromInline
    mutating func begin(to storage: UnsafeMutableRawPointer) {
        withUnsafeMutablePointer(to: &self) { csr_begin_modify(storage, $0) }
    }

    @usableFromInline
    mutating func end() {
        withUnsafeMutablePointer(to: &self) { csr_end_modify($0) }
    }

    /// Traps if the property whose storage is at an address is being changed.
    @usableFromInline
    static func checkRead(of storage: UnsafeMutableRawPointer) {
        csr_check_read(storage)
    }
}
