internal import CDeallocHook
internal import CSwiftRuntime

/// The base class of the objects that `all` finds as long as they live. CDeallocHook's list has no other members.
class ListedObject {
    /// Used by its address only, since other threads write it under the list's lock.
    @exclusivity(unchecked) private var member = cdh_member()

    init() {
        assert(&member == memberPointer)
        cdh_join(memberPointer)
    }

    deinit {
        cdh_leave(memberPointer)
    }

    /// All that are alive. They are of the given class.
    static func all<Object: ListedObject>(as type: Object.Type) -> [Object] {
        var capacity = 16
        while true {
            var addresses = [UnsafeMutableRawPointer?](repeating: nil, count: capacity)
            let retain: cdh_try_retain_fn = { member in
                let object = Borrowed<ListedObject>(firstProperty: UnsafeMutableRawPointer(member)).address
                return csr_try_retain(object) ? object : nil
            }
            let count = cdh_collect(retain, &addresses, capacity)
            let objects = addresses.prefix(count).compactMap { $0.map { Borrowed<Object>.at($0).take() } }
            if count <= capacity { return objects }
            capacity = count + count / 8
        }
    }

    private var memberPointer: UnsafeMutablePointer<cdh_member> {
        Borrowed.to(self).firstProperty.assumingMemoryBound(to: cdh_member.self)
    }
}
