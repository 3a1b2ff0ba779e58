internal import CSwiftRuntime

/// An object of a class that is not initialised: behind its header all is zero. For finding out where in an object a key path
/// leads, when there is no object.
///
/// **Assumption** `blankObject`: such an object can be made, used by what reads none of its properties, and freed without its
/// deinit. Without it there is none.
enum BlankObject {
    /// Calls a function with a blank object, which must not be kept. Nil if none can be made.
    static func with<Object: AnyObject, Result>(_ type: Object.Type, _ body: (Object) -> Result) -> Result? {
        RuntimeCheck.holds(.blankObject) ? make(type, body) : nil
    }

    private static func make<Object: AnyObject, Result>(_ type: Object.Type, _ body: (Object) -> Result) -> Result {
        let metadata = metadata(of: type)
        let address = csr_make_blank(metadata)
        let result = Borrowed<Object>.at(address).use(body)
        // Somebody has kept it, against the rule. Its memory must not be used again then.
        if csr_is_unique(address) { csr_free_blank(address, metadata) }
        return result
    }

    static func probe() -> Bool {
        // A deinit would call a closure that is zero.
        make(RuntimeProbe.self) { object in
            let blank = Borrowed.to(object)
            blank.retain()
            defer { blank.release() }
            return type(of: object as AnyObject) == RuntimeProbe.self && !blank.isDeinitializing
                && blank.firstProperty.load(as: UInt8.self) == 0
        }
    }
}
