import CGtk

/// A type of Swift that a property of a GObject can have. GObject converts a number to the property's own type.
public protocol GObjectValue: Equatable {
    static var gType: GType { get }
    init(_ value: UnsafePointer<GValue>)
    func write(to value: UnsafeMutablePointer<GValue>)
}

extension Bool: GObjectValue {
    public static var gType: GType { cgtk_type_boolean }
    public init(_ value: UnsafePointer<GValue>) { self = g_value_get_boolean(value) != 0 }
    public func write(to value: UnsafeMutablePointer<GValue>) { g_value_set_boolean(value, self ? 1 : 0) }
}

extension Int: GObjectValue {
    public static var gType: GType { cgtk_type_int64 }
    public init(_ value: UnsafePointer<GValue>) { self = Int(g_value_get_int64(value)) }
    public func write(to value: UnsafeMutablePointer<GValue>) { g_value_set_int64(value, gint64(self)) }
}

extension Double: GObjectValue {
    public static var gType: GType { cgtk_type_double }
    public init(_ value: UnsafePointer<GValue>) { self = g_value_get_double(value) }
    public func write(to value: UnsafeMutablePointer<GValue>) { g_value_set_double(value, self) }
}

/// A C string that is NULL is the empty string.
extension String: GObjectValue {
    public static var gType: GType { cgtk_type_string }
    public init(_ value: UnsafePointer<GValue>) { self = g_value_get_string(value).map { String(cString: $0) } ?? "" }
    public func write(to value: UnsafeMutablePointer<GValue>) { g_value_set_string(value, self) }
}
