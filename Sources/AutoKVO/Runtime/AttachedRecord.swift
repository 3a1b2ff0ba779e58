internal import CDeallocHook
internal import CSwiftRuntime

/// What the library keeps of an object: the base class of the engine's record. A tracked object owns it, from the first observation to
/// the end of its `deinit`.
///
/// Those that live are found by `all`: CDeallocHook's list has no other members.
class AttachedRecord {
    /// Used by its address only, since other threads write it under the list's lock.
    @exclusivity(unchecked) private var member = cdh_member()

    init() {
        assert(&member == memberPointer)
        cdh_join(memberPointer)
    }

    deinit { cdh_leave(memberPointer) }

    /// The `deinit` of the object has begun.
    func objectIsDying() {}

    /// All that are alive. They are of the given class.
    static func all<Record: AttachedRecord>(as type: Record.Type) -> [Record] {
        var capacity = 16
        while true {
            var addresses = [UnsafeMutableRawPointer?](repeating: nil, count: capacity)
            let retain: cdh_try_retain_fn = { member in
                let record = Borrowed<AttachedRecord>(firstProperty: UnsafeMutableRawPointer(member)).address
                return csr_try_retain(record) ? record : nil
            }
            let count = cdh_collect(retain, &addresses, capacity)
            let records = addresses.prefix(count).compactMap { $0.map { Borrowed<Record>.at($0).take() } }
            if count <= capacity { return records }
            capacity = count + count / 8
        }
    }

    private var memberPointer: UnsafeMutablePointer<cdh_member> {
        Borrowed.to(self).firstProperty.assumingMemoryBound(to: cdh_member.self)
    }
}
