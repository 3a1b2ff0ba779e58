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

    private var elements: [Element] = []
    private var steps: [Step] = []
    private var isApplying = false
    private var showSelection: (() -> Void)?

    public init() { super.init(g_object_new_with_properties(listModelType, 0, nil, nil)) }

    public override func destroyed() {
        (elements, steps) = ([], [])
        super.destroyed()
    }

    /// Follows an array, from now on.
    public func follow(_ array: some PropertyHandle<[Element]>) {
        array.observe(for: self, options: [.initial, .old, .new]) { list, change in list.apply(change) }
    }

    /// The element at a position.
    public func element(at position: Int) -> Element? {
        items.indices.contains(position) ? element(of: items[position]) : nil
    }

    /// The element of an item of this list: of what `gtk_list_item_get_item` and `g_list_model_get_item` return.
    public func element(of item: UnsafeMutableRawPointer?) -> Element? {
        guard let item = item?.assumingMemoryBound(to: GObject.self) else { return nil }
        return g_object_get_data(item, "GLibBridge.element").map {
            Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() as! Element
        }
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
        for (position, removed, inserted) in splices {
            steps.append((position, removed, Array(elements.dropFirst(position).prefix(inserted))))
        }
        // Who hears of a step may edit the array: that change has to wait for the steps of this one.
        guard !isApplying else { return }
        isApplying = true
        while !steps.isEmpty, !isDestroyed { apply(steps.removeFirst()) }
        isApplying = false
        showSelection?()
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

    /// Keeps a property and the selection of a `GtkSingleSelection` over this list equal. The property counts: while the array changes,
    /// the selection stays with the element, and the property becomes nil only when its element has left.
    public func bindSelection(of selection: GObjectView, to property: Property<Element?>) {
        var isShowing = false
        selection.on("notify::selected-item") { [unowned self, unowned selection] _ in
            guard !isApplying, !isShowing else { return }
            let selected = element(of: gtk_single_selection_get_selected_item(selection.opaque))
            if selected !== property.value { property.value = selected }
        }
        let show = { [unowned self, weak selection] in
            guard !isApplying, !isShowing, let selection, !selection.isDestroyed else { return }
            let position = property.value.flatMap { wanted in items.firstIndex { element(of: $0) === wanted } }
            isShowing = true
            gtk_single_selection_set_selected(selection.opaque, position.map { guint($0) } ?? guint.max)
            isShowing = false
        }
        property.observe(for: selection) { _ in show() }
        showSelection = { [unowned self] in
            show()
            if let wanted = property.value, !elements.contains(where: { $0 === wanted }) { property.value = nil }
        }
        show()
    }

    /// Makes a factory of rows for a `GtkListView`: a new row is a widget, and each time it comes to show another element it is bound
    /// to that one. Before, all that it was bound to and observed has ended.
    public func rows<Row: GObjectView>(
        _ make: @escaping @MainActor () -> Row, bind: @escaping @MainActor (Row, Element) -> Void
    ) -> GObjectView {
        func row(_ arguments: SignalArguments) -> Row? {
            GObjectView.of(gtk_list_item_get_child(OpaquePointer(arguments.object(at: 1)!))) as? Row
        }
        let factory = GObjectView(gtk_signal_list_item_factory_new())
        factory.on("setup") { gtk_list_item_set_child(OpaquePointer($0.object(at: 1)!), make().pointer()) }
        factory.on("bind") { [unowned self] arguments in
            let item = gtk_list_item_get_item(OpaquePointer(arguments.object(at: 1)!))
            if let row = row(arguments), let element = element(of: item) { bind(row, element) }
        }
        factory.on("unbind") { row($0)?.unbind() }
        return factory
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
