import AutoKVO
import CGtk
import Synchronization

/// The Swift side of a GObject: a widget, a window, an action, a list model.
///
/// The GObject owns it, so nobody else has to. When the GObject is destroyed, the view stops observing, and its properties are no longer
/// bound, also if Swift still holds the view. It does not keep the GObject alive. A GObject has one view.
@MainActor open class GObjectView: TrackedObject {
    nonisolated private static let live = Atomic(0)
    /// How many views there are, for tests.
    nonisolated public static var liveCount: Int { live.load(ordering: .relaxed) }

    /// The GObject, until it is destroyed.
    public private(set) var object: UnsafeMutablePointer<GObject>?
    private var properties: [String: TrackedObject] = [:]

    public init(_ pointer: UnsafeMutableRawPointer) {
        precondition(GObjectView.of(pointer) == nil, "A GObject has one GObjectView; GObjectView.of(_:) finds it.")
        let object = pointer.assumingMemoryBound(to: GObject.self)
        self.object = object
        super.init()
        Self.live.add(1, ordering: .relaxed)
        g_object_set_data_full(object, "GLibBridge.view", Unmanaged.passRetained(self).toOpaque()) {
            Unmanaged<GObjectView>.fromOpaque($0!).release()
        }
        // Called when the object is disposed of, which for a widget is long before the last reference to it may go.
        let destroyed: GWeakNotify = { view, _ in
            nonisolated(unsafe) let view = view
            MainActor.assumeIsolated { Unmanaged<GObjectView>.fromOpaque(view!).takeUnretainedValue().end() }
        }
        g_object_weak_ref(object, destroyed, Unmanaged.passUnretained(self).toOpaque())
    }

    public convenience init(_ pointer: OpaquePointer) { self.init(UnsafeMutableRawPointer(pointer)) }

    deinit { Self.live.subtract(1, ordering: .relaxed) }

    /// The view of a GObject, if it has one.
    public static func of(_ pointer: UnsafeMutableRawPointer?) -> GObjectView? {
        guard let object = pointer?.assumingMemoryBound(to: GObject.self) else { return nil }
        return g_object_get_data(object, "GLibBridge.view").map {
            Unmanaged<GObjectView>.fromOpaque($0).takeUnretainedValue()
        }
    }

    public var isDestroyed: Bool { object == nil }

    /// The GObject as what a function of C takes: `gtk_window_present(window.pointer())`. It must not have been destroyed.
    public func pointer<Instance>() -> UnsafeMutablePointer<Instance> {
        guard let object else { preconditionFailure("The GObject of this \(Self.self) has been destroyed.") }
        return UnsafeMutableRawPointer(object).assumingMemoryBound(to: Instance.self)
    }

    /// The same for a type that C does not define, such as `GtkLabel`.
    public var opaque: OpaquePointer { OpaquePointer(pointer() as UnsafeMutablePointer<GObject>) }

    /// Called once, when the GObject has been destroyed. What the view observes has ended. This does nothing; override it.
    open func destroyed() {}

    /// Ends all bindings of this view's properties and all that it observes. A row of a list is used again after that.
    open func unbind() {
        for property in properties.values { property.unbind("value") }
        stopObserving()
    }

    private func end() {
        object = nil
        stopObserving()
        properties = [:]
        destroyed()
    }
}

// MARK: Properties

extension GObjectView {
    /// What a property of the GObject is now. It must not have been destroyed.
    public func get<Value: GObjectValue>(_ name: String, as type: Value.Type = Value.self) -> Value {
        var value = GValue()
        g_value_init(&value, Value.gType)
        defer { g_value_unset(&value) }
        g_object_get_property(pointer(), name, &value)
        return Value(&value)
    }

    /// Sets a property of the GObject, unless it is equal or the GObject is destroyed. The caret of a text stays where it is in it.
    public func set<Value: GObjectValue>(_ name: String, _ new: Value) {
        guard let object, get(name, as: Value.self) != new else { return }
        let caret = name == "text" ? Caret(in: object) : nil
        var value = GValue()
        g_value_init(&value, Value.gType)
        defer { g_value_unset(&value) }
        new.write(to: &value)
        g_object_set_property(object, name, &value)
        caret?.restore()
    }

    /// A property of the GObject as a tracked one: it follows the GObject, and the GObject follows it. All that a handle can do is
    /// possible with it: `observe`, `onValue`, `bind`. One property is used with one type.
    public func property<Value: GObjectValue>(_ name: String, as type: Value.Type = Value.self) -> Property<Value> {
        if let known = properties[name] { return (known as! GObjectProperty<Value>).$value }
        let property = GObjectProperty<Value>(name, of: self)
        properties[name] = property
        return property.$value
    }
}

/// The tracked side of a property of a GObject. Its view has it, until the GObject is destroyed.
@MainActor private final class GObjectProperty<Value: GObjectValue>: TrackedObject {
    @Observed var value: Value

    init(_ name: String, of view: GObjectView) {
        value = view.get(name)
        super.init()
        $value.onValue { [weak view] value in view?.set(name, value) }
        view.on("notify::\(name)") { [weak self, weak view] _ in
            guard let self, let view, !view.isDestroyed else { return }
            let new: Value = view.get(name)
            if new != value { value = new }
        }
    }
}

/// How many elements two arrays have in common at their begin, and behind those at their end.
func equalEnds<Element>(
    of old: [Element], _ new: [Element], by areEqual: (Element, Element) -> Bool
) -> (head: Int, tail: Int) {
    let head = zip(old, new).prefix { areEqual($0, $1) }.count
    let rest = min(old.count, new.count) - head
    return (head, zip(old.reversed(), new.reversed()).prefix(rest).prefix { areEqual($0, $1) }.count)
}

/// A value that C keeps a reference to.
final class Box<Value> {
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// Where the caret of an entry is, to be kept where it is in a text that is set.
private struct Caret {
    let editable: OpaquePointer
    let position: Int
    let text: [Unicode.Scalar]

    @MainActor init?(in object: UnsafeMutablePointer<GObject>) {
        let type = object.pointee.g_type_instance.g_class.pointee.g_type
        guard g_type_is_a(type, gtk_editable_get_type()) != 0 else { return nil }
        editable = OpaquePointer(object)
        position = Int(gtk_editable_get_position(editable))
        text = Array(String(cString: gtk_editable_get_text(editable)).unicodeScalars)
    }

    /// Between what is equal before and behind the part that was replaced, the caret is put behind that part.
    @MainActor func restore() {
        let new = Array(String(cString: gtk_editable_get_text(editable)).unicodeScalars)
        let (head, tail) = equalEnds(of: text, new) { $0 == $1 }
        guard position > head else { return gtk_editable_set_position(editable, gint(position)) }
        gtk_editable_set_position(editable, gint(new.count - min(tail, max(text.count - position, 0))))
    }
}
