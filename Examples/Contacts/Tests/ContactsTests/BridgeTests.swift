import AutoKVO
import CGtk
import Dispatch
import Foundation
import GLibBridge
import Testing

@testable import Contacts

final class Lamp: TrackedObject {
    @Observed var level = 0
    @Observed var name = ""
    @Derived({ (lamp: Lamp) in "\(lamp.name): \(lamp.level)" }) var title: String
}

final class Room: TrackedObject {
    @Observed var lamp: Lamp?
    @Observed var lamps: [Lamp] = []
}

/// Has a lamp of its own, which it changes elsewhere than on the main thread.
actor Dimmer {
    private let lamp = Lamp()

    func follow(_ seen: Seen) {
        lamp.$level.observe(for: seen, options: .new, on: .glib) { seen, change in
            #expect(cgtk_is_main_thread())
            seen.levels.append(change.newValue ?? -1)
        }
    }

    /// Also tries to run the loop that the changes are waiting for.
    func dim(to last: Int) {
        for level in 1...last { lamp.level = level }
        for _ in 0..<100 { g_main_context_iteration(nil, 0) }
    }
}

@MainActor final class Seen { var levels: [Int] = [] }

extension Desktop {
    @MainActor @Suite("GLibBridge") struct BridgeTests {
        @Test("a change that is made on the main thread is delivered before the write returns") func atOnce() {
            let (lamp, seen) = (Lamp(), Seen())
            lamp.$level.observe(for: seen, options: .new, on: .glib) { seen, change in
                seen.levels.append(change.newValue!)
            }
            lamp.level = 3
            #expect(seen.levels == [3])
        }

        @Test("changes made elsewhere arrive in their order, on the main thread, in a turn of the loop")
        func elsewhere() async throws {
            let (dimmer, seen) = (Dimmer(), Seen())
            await dimmer.follow(seen)
            await dimmer.dim(to: 1000)
            try await wait(for: "all changes") { seen.levels.count == 1000 }
            #expect(seen.levels == Array(1...1000))
        }

        @Test("a change that is under way when its observer dies is dropped") func dropped() async throws {
            let dimmer = Dimmer()
            var seen: Seen? = Seen()
            weak let watched = seen
            await dimmer.follow(seen!)
            let dimming = Task.detached { await dimmer.dim(to: 100) }
            // The main thread does not run the loop in between.
            usleep(20_000)
            seen = nil
            #expect(watched == nil)
            await dimming.value
            try await settle()
        }

        @Test("GLib's loop drains the main queue: tasks of the main actor, .mainActor, blocks") func mainQueue()
            async throws
        {
            #expect(cgtk_is_main_thread())
            let isMain = await Task.detached { await MainActor.run { cgtk_is_main_thread() } }.value
            #expect(isMain)
            let (lamp, seen) = (Lamp(), Seen())
            lamp.$level.observe(for: seen, options: .new, on: .mainActor) { seen, change in
                #expect(cgtk_is_main_thread())
                seen.levels.append(change.newValue!)
            }
            lamp.level = 4
            #expect(seen.levels == [])
            DispatchQueue.main.async { seen.levels.append(5) }
            try await wait(for: "both") { seen.levels.count == 2 }
            #expect(Set(seen.levels) == [4, 5])
        }

        @Test("a view ends with its GObject, and stops observing also when Swift still has it") func ends() {
            let before = GObjectView.liveCount
            let lamp = Lamp()
            var label: GObjectView? = GObjectView(gtk_label_new(""))
            g_object_ref_sink(label!.pointer() as UnsafeMutablePointer<GObject>)
            label!.bind("label", to: lamp.$title)
            lamp.$level.observe(for: label!) { _ in }
            lamp.level = 2
            #expect(label!.get("label") == ": 2")
            #expect(!lamp.observations().isEmpty)
            g_object_unref(label!.pointer() as UnsafeMutablePointer<GObject>)
            #expect(label!.isDestroyed && lamp.observations().isEmpty)
            label!.set("label", "too late")
            lamp.level = 3
            label = nil
            #expect(GObjectView.liveCount == before)
        }

        @Test("a signal gives its arguments, and its handler is released with the GObject") func signals() {
            final class Witness {}
            var witness: Witness? = Witness()
            weak let watched = witness
            let action = GObjectView(g_simple_action_new("act", nil))
            var names: [String] = []
            action.on("notify::enabled") { [witness] arguments in
                withExtendedLifetime(witness) {}
                names.append(
                    String(
                        cString: g_param_spec_get_name(
                            g_value_get_param(&UnsafeMutablePointer(mutating: arguments.values.baseAddress!)[1]))))
            }
            witness = nil
            action.set("enabled", false)
            action.set("enabled", false)
            #expect(names == ["enabled"] && watched != nil)
            g_object_unref(action.pointer() as UnsafeMutablePointer<GObject>)
            #expect(watched == nil)
        }

        @Test("a signal that asks gets an answer") func answers() {
            let window = GObjectView(gtk_window_new())
            window.on("close-request") { $0.answer(true) }
            gtk_window_close(window.pointer())
            #expect(!window.isDestroyed)
            gtk_window_destroy(window.pointer())
            #expect(window.isDestroyed)
        }

        @Test("numbers are converted to the property's own type, and back") func numbers() {
            let spin = GObjectView(gtk_spin_button_new_with_range(0, 100, 1))
            g_object_ref_sink(spin.pointer() as UnsafeMutablePointer<GObject>)
            let lamp = Lamp()
            let room = Room()
            room.lamp = lamp
            spin.set("digits", 2)
            #expect(spin.get("digits") == 2)
            spin.bindBothWays("value", to: room.$lamp.$level) {
                Double($0 ?? 0)
            } inverse: {
                Int($0)
            }
            lamp.level = 40
            #expect(spin.get("value") == 40.0)
            gtk_spin_button_set_value(spin.opaque, 70)
            #expect(lamp.level == 70)
            g_object_unref(spin.pointer() as UnsafeMutablePointer<GObject>)
            #expect(lamp.observations().isEmpty && room.observations().isEmpty)
        }

        @Test("both ways by a path: the other object is read, and never written with the last one's value") func path()
        {
            let (room, first, second) = (Room(), Lamp(), Lamp())
            (first.name, second.name) = ("first", "second")
            let entry = GObjectView(gtk_entry_new())
            g_object_ref_sink(entry.pointer() as UnsafeMutablePointer<GObject>)
            entry.bindBothWays("text", to: room.$lamp.$name, nilAs: "-")
            #expect(entry.get("text") == "-")
            gtk_editable_set_text(entry.opaque, "nobody")
            room.lamp = first
            #expect(entry.get("text") == "first")
            gtk_editable_set_text(entry.opaque, "first!")
            room.lamp = second
            #expect(entry.get("text") == "second")
            #expect(first.name == "first!" && second.name == "second")
            g_object_unref(entry.pointer() as UnsafeMutablePointer<GObject>)
            second.name = "later"
            #expect(room.observations().isEmpty)
        }

        @Test(
            "the caret stays where it is in the text that is set",
            arguments: [
                ("Anna", 4, "ANNA", 4), ("Anna", 2, "Hanna", 3), ("Anna", 2, "Annabel", 2), ("Anna", 4, "", 0),
                ("Anna Lee", 5, "Bea Lee", 4), ("Zoë", 3, "Zoë!", 3), ("An", 1, "A n", 1),
            ])
        func caret(_ old: String, _ position: Int, _ new: String, _ expected: Int) {
            let entry = GObjectView(gtk_entry_new())
            g_object_ref_sink(entry.pointer() as UnsafeMutablePointer<GObject>)
            gtk_editable_set_text(entry.opaque, old)
            gtk_editable_set_position(entry.opaque, gint(position))
            entry.set("text", new)
            #expect(gtk_editable_get_position(entry.opaque) == gint(expected))
            g_object_unref(entry.pointer() as UnsafeMutablePointer<GObject>)
        }
    }
}
