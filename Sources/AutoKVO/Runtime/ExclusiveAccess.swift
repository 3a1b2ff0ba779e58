internal import CSwiftRuntime

/// The runtime's record that a property is being changed. It has to stay at one address until the access ends.
///
/// Swift checks that a class's property is not used while it is being changed. An access through a pointer escapes that
/// check, so handles ask the runtime for it as compiled code does. The runtime releases nothing in that.
///
/// **Assumption** `accessRecord`: the entry points and the flags are those that CSwiftRuntime.h names. Otherwise nothing is checked.
@usableFromInline struct ExclusiveAccess {
    private var words: (UInt, UInt, UInt, UInt) = (0, 0, 0, 0)
    private static let isChecked = RuntimeCheck.holds(.accessRecord)

    @usableFromInline init() {}

    /// Begins a change of the property whose storage is at an address. Traps if the property is in use.
    @usableFromInline mutating func begin(to storage: UnsafeMutableRawPointer) {
        if Self.isChecked { withUnsafeMutablePointer(to: &self) { csr_begin_modify(storage, $0) } }
    }

    @usableFromInline mutating func end() {
        // What has begun is recorded in the first word.
        if words.0 != 0 { withUnsafeMutablePointer(to: &self) { csr_end_modify($0) } }
    }

    /// Traps if the property whose storage is at an address is being changed.
    @usableFromInline @_effects(releasenone) static func checkRead(of storage: UnsafeMutableRawPointer) {
        if isChecked { csr_check_access(storage, false) }
    }

    /// Traps if the property whose storage is at an address is in use.
    @usableFromInline @_effects(releasenone) static func checkModify(of storage: UnsafeMutableRawPointer) {
        if isChecked { csr_check_access(storage, true) }
    }

    static func probe() -> Bool {
        withUnsafeTemporaryAllocation(of: UInt.self, capacity: 8) { words in
            words.initialize(repeating: 0x5A5A)
            let storage = UnsafeMutableRawPointer(words.baseAddress! + 7)
            csr_begin_modify(storage, words.baseAddress!)
            let isRecorded = words[0] == UInt(bitPattern: storage)
            csr_end_modify(words.baseAddress!)
            return isRecorded && words[3...].allSatisfy { $0 == 0x5A5A }
        }
    }
}
