/// Something to bit-cast: an `Any` to a generic parameter that is `Any`. A cast would take longer.
@usableFromInline
struct Boxed<Value> {
    @usableFromInline let value: Value
    @export(implementation) init(value: Value) { self.value = value }
}

/// A value as the type of a generic parameter, which is `Any`; nil if it is another type.
@inline(__always)
func asAny<To>(_ value: Any, _ type: To.Type) -> To? {
    type == Any.self ? unsafeBitCast(Boxed(value: value), to: Boxed<To>.self).value : nil
}
