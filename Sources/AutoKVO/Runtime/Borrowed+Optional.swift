extension Borrowed {
    /// A reference to an object, if there is one. An optional that is bound to a name would be retained and released.
    @inline(__always)
    static func toOptional(_ object: Object?) -> Borrowed? {
        unsafeBitCast(object, to: UnsafeRawPointer?.self).map { .at($0) }
    }
}
