import AutoKVO
import CGtk

/// A GListModel that follows an array of objects.
///
///     let list = GObjectListModel<Contact>()
///     list.follow(book.$contacts)
///
/// Each place of the array has an item, a GObject that stands for the element. An element that only moves keeps its item, so the
/// selection and the focus of a list view stay with it. One that leaves in one change and comes again in another has a new item.
@MainActor public final class GObjectListModel<Element: AnyObject>: GListModelView {
    private typealias Step = (position: Int, removed: Int, inserted: [Element])

    /// The array as it was told of last. The items may be some steps behind.
    public private(set) var elements: [Element] = []
    private var steps: [Step] = []
    /// Whether the items are on their way to the array.
    public private(set) var isApplying = false
    /// Called each time the items are those of the array again.
    public var onApplied: (() -> Void)?

    public init() { super.init(g_object_new_with_properties(listModelType, 0, nil, nil)) }

    public override func destroyed() {
        (elements, steps, onApplied) = ([], [], nil)
        super.destroyed()
    }

    /// Follows an array, from now on.
    public func follow(_ array: some PropertyHandle<[Element]>) {
        array.observe(for: self, options: [.initial, .old, .new]) { list, change in list.apply(change) }
    }

    /// The element of an item of this list: of what `gtk_list_item_get_item` and `g_list_model_get_item` return.
    public func element(of item: UnsafeMutableRawPointer?) -> Element? {
        guard let item = item?.assumingMemoryBound(to: GObject.self) else { return nil }
        let element = g_object_get_data(item, "GLibBridge.element")
        return element.map { Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() as! Element }
    }

    private func apply(_ change: Change<[Element]>) {
        let old = elements
        change.apply(to: &elements)
        var splices = change.splices.map { (position: $0.position, removed: $0.removed, inserted: $0.inserted) }
        if change.kind == .setting || !change.moves.isEmpty {
            // One step, so that what only moved is in what leaves and in what comes.
            let (head, tail) = equalEnds(of: old, elements) { $0 === $1 }
            splices = [(head, old.count - head - tail, elements.count - head - tail)]
        }
        steps += splices.map { ($0.position, $0.removed, Array(elements.dropFirst($0.position).prefix($0.inserted))) }
        // Who hears of a step may edit the array: that change has to wait for the steps of this one.
        guard !isApplying else { return }
        isApplying = true
        while !steps.isEmpty, !isDestroyed { apply(steps.removeFirst()) }
        isApplying = false
        onApplied?()
    }

    private func apply(_ step: Step) {
        let leaving = items[step.position..<step.position + step.removed]
        if leaving.isEmpty && step.inserted.isEmpty { return }
        var known: [ObjectIdentifier: UnsafeMutablePointer<GObject>] = [:]
        for item in leaving { known[ObjectIdentifier(element(of: item)!)] = item }
        let coming = step.inserted.map { element in
            let kept = known.removeValue(forKey: ObjectIdentifier(element))
            return kept.map { g_object_ref($0).assumingMemoryBound(to: GObject.self) } ?? makeItem(for: element)
        }
        items.replaceSubrange(leaving.indices, with: coming)
        g_list_model_items_changed(opaque, guint(step.position), guint(step.removed), guint(coming.count))
        for item in leaving { g_object_unref(item) }
    }

    private func makeItem(for element: Element) -> UnsafeMutablePointer<GObject> {
        let item = g_object_new_with_properties(cgtk_type_object, 0, nil, nil)!
        g_object_set_data_full(item, "GLibBridge.element", Unmanaged.passRetained(element as AnyObject).toOpaque()) {
            Unmanaged<AnyObject>.fromOpaque($0!).release()
        }
        return item
    }
}

/// The part of a list model that is not generic, which the functions of `GListModel` find.
@MainActor open class GListModelView: GObjectView {
    /// Each with a reference of this list's.
    fileprivate(set) final var items: [UnsafeMutablePointer<GObject>] = []

    open override func destroyed() {
        let leaving = items
        items = []
        for item in leaving { g_object_unref(item) }
    }

    nonisolated fileprivate static func items(of list: OpaquePointer?) -> [UnsafeMutablePointer<GObject>] {
        nonisolated(unsafe) let list = UnsafeMutableRawPointer(list)
        nonisolated(unsafe) var items: [UnsafeMutablePointer<GObject>] = []
        MainActor.assumeIsolated { items = (GObjectView.of(list) as? GListModelView)?.items ?? [] }
        return items
    }
}

/// The type in GObject, registered at first use: an object whose `GListModel` asks its view.
private let listModelType: GType = {
    let type = g_type_register_static_simple(
        cgtk_type_object, "GLibBridgeListModel", guint(MemoryLayout<GObjectClass>.size), nil,
        guint(MemoryLayout<GObject>.size), nil, GTypeFlags(rawValue: 0))
    let fill: GInterfaceInitFunc = { interface, _ in
        let list = interface!.assumingMemoryBound(to: GListModelInterface.self)
        list.pointee.get_item_type = { _ in cgtk_type_object }
        list.pointee.get_n_items = { guint(GListModelView.items(of: $0).count) }
        list.pointee.get_item = { list, position in
            let items = GListModelView.items(of: list)
            return position < items.count ? g_object_ref(items[Int(position)]) : nil
        }
    }
    var interface = GInterfaceInfo(interface_init: fill, interface_finalize: nil, interface_data: nil)
    g_type_add_interface_static(type, g_list_model_get_type(), &interface)
    return type
}()
