import AutoKVO
import CGtk
import GLibBridge

// What a GtkListView needs beside its model.

extension GObjectListModel {
    /// Keeps a property and the selection of a `GtkSingleSelection` over this list equal. The property counts: while the array changes,
    /// the selection stays with the element, and the property becomes nil only when its element has left.
    func bindSelection(of selection: GObjectView, to property: Property<Element?>) {
        var isShowing = false
        selection.on("notify::selected-item") { [unowned self, unowned selection] _ in
            guard !isApplying, !isShowing else { return }
            let selected = element(of: gtk_single_selection_get_selected_item(selection.opaque))
            if selected !== property.value { property.value = selected }
        }
        let show = { [unowned self, weak selection] in
            guard !isApplying, !isShowing, let selection, !selection.isDestroyed else { return }
            let position = property.value.flatMap { wanted in elements.firstIndex { $0 === wanted } }
            isShowing = true
            gtk_single_selection_set_selected(selection.opaque, position.map { guint($0) } ?? guint.max)
            isShowing = false
        }
        property.observe(for: selection) { _ in show() }
        onApplied = { [unowned self] in
            show()
            if let wanted = property.value, !elements.contains(where: { $0 === wanted }) { property.value = nil }
        }
        show()
    }

    /// Makes a factory of rows for a `GtkListView`: a new row is a widget, and each time it comes to show another element it is bound
    /// to that one. Before, all that it was bound to and observed has ended.
    func rows<Row: GObjectView>(
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
