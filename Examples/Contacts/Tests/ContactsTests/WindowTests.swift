import AutoKVO
import CGtk
import Foundation
import GLibBridge
import Testing

@testable import Contacts

extension Desktop {
    @MainActor @Suite("Windows, with real keys and clicks") struct WindowTests {
        @Test(
            "a click selects; what is typed changes the contact, its row, the title and the status, once for each key")
        func typing() async throws {
            try await withFixture { fixture in
                let window = try await fixture.open()
                let robot = Robot(window: window)
                try await robot.activate()
                try await robot.click(window.row("Jonas Ebert"))
                #expect(window.browser.selection === fixture.contact(1))
                #expect(window.text("firstName") == "Jonas" && window.selectedTitle == "Jonas Ebert")

                var changes: [String] = []
                fixture.contact(1).$firstName.observe(options: .new) { changes.append($0.newValue!) }
                try await robot.click("firstName")
                try await robot.key("End")
                try await robot.type(" Per")
                #expect(changes == ["Jonas ", "Jonas P", "Jonas Pe", "Jonas Per"])
                #expect(window.titles[1] == "Jonas Per Ebert" && window.get("title") == "Jonas Per Ebert")
                // In the middle, one key after the other: the caret goes on from where it was.
                try await robot.key("Home", "Right", "Right")
                try await robot.type("xyz")
                #expect(window.text("firstName") == "Joxyznas Per" && fixture.contact(1).firstName == "Joxyznas Per")
                #expect(gtk_editable_get_position(window.parts["firstName"]!.opaque) == 5)
                try await robot.key("BackSpace")
                #expect(fixture.contact(1).firstName == "Joxynas Per")
                #expect(changes.count == 8)
                // The caret is behind "Joxy": what another part of the program writes does not move it from there.
                fixture.contact(1).firstName = "Dr. Joxynas Per"
                #expect(gtk_editable_get_position(window.parts["firstName"]!.opaque) == 8)

                try await robot.click("isFavorite")
                #expect(fixture.contact(1).isFavorite && window.titles[1] == "★ Dr. Joxynas Per Ebert")
            }
        }

        @Test("another contact is read into the form, and not written with what was typed before") func selecting()
            async throws
        {
            try await withFixture { fixture in
                fixture.contact(0).mail = "mara@voss.example"
                fixture.contact(2).mail = "ann@example.org"
                let window = try await fixture.open()
                let robot = Robot(window: window)
                try await robot.activate()
                #expect(window.parts["form"]!.get("sensitive", as: Bool.self) == false)
                try await robot.click(window.row("Mara Voss"))
                try await robot.click("mail")
                try await robot.key("End")
                try await robot.type(".org")
                try await robot.click(window.row("Ann Lee"))
                #expect(window.text("mail") == "ann@example.org" && fixture.contact(2).mail == "ann@example.org")
                #expect(fixture.contact(0).mail == "mara@voss.example.org")
                // A number that is being typed is taken before the other contact is shown.
                try await robot.click(gtk_widget_get_first_child(window.parts["age"]!.pointer()))
                try await robot.key("ctrl+a")
                try await robot.type("47")
                try await robot.click(window.row("Bea Fox"))
                #expect(fixture.contact(2).age == 47 && fixture.contact(3).age == 0)
                #expect(window.parts["age"]!.get("value") == 0.0)
                // From row to row by keys.
                try await robot.key("Up", "Up")
                #expect(window.browser.selection === fixture.contact(1))
                window.browser.selection = nil
                #expect(window.text("mail") == "" && fixture.contact(1).mail == "" && window.selectedTitle == nil)
            }
        }

        @Test("selection and keyboard stay with their contact when the book is sorted or it is moved") func sorting()
            async throws
        {
            try await withFixture { fixture in
                let window = try await fixture.open()
                let robot = Robot(window: window)
                try await robot.activate()
                try await robot.click(window.row("Mara Voss"))
                #expect(window.focusedTitle == "Mara Voss")
                try await robot.key("ctrl+l")
                #expect(window.titles == ["Jonas Ebert", "Bea Fox", "Ann Lee", "Mara Voss"])
                #expect(window.selectedTitle == "Mara Voss" && window.focusedTitle == "Mara Voss")
                try await robot.key("ctrl+Up", "ctrl+Up")
                #expect(window.titles == ["Jonas Ebert", "Mara Voss", "Bea Fox", "Ann Lee"])
                #expect(window.selectedTitle == "Mara Voss" && window.focusedTitle == "Mara Voss")
                try await robot.key("Down")
                #expect(window.browser.selection === fixture.contact(2) && window.selectedTitle == "Bea Fox")
                // Others come and go above it, and all places change at once.
                fixture.book.$contacts.insert(Contact(), at: 0)
                fixture.book.$contacts.remove(at: 1)
                fixture.book.$contacts.reverse()
                try await settle()
                #expect(window.titles == ["Ann Lee", "Bea Fox", "Mara Voss", "No name"])
                #expect(window.selectedTitle == "Bea Fox" && window.focusedTitle == "Bea Fox")
            }
        }

        @Test("undo and redo by keys, in the form and in the list") func undoing() async throws {
            try await withFixture { fixture in
                let window = try await fixture.open()
                let robot = Robot(window: window)
                try await robot.activate()
                try await robot.click(window.row("Ann Lee"))
                try await robot.click("lastName")
                try await robot.key("End")
                try await robot.type("ds")
                #expect(window.titles[2] == "Ann Leeds" && window.label("status").contains("undo: lastName"))
                try await robot.key("ctrl+z")
                #expect(window.text("lastName") == "Leed")
                try await robot.key("ctrl+z")
                #expect(window.text("lastName") == "Lee" && window.titles[2] == "Ann Lee")
                try await robot.key("ctrl+shift+z", "ctrl+shift+z")
                #expect(window.text("lastName") == "Leeds" && fixture.contact(2).lastName == "Leeds")
                try await robot.key("ctrl+Delete")
                #expect(window.titles == ["Mara Voss", "Jonas Ebert", "Bea Fox"] && window.selectedTitle == "Bea Fox")
                try await robot.key("ctrl+l")
                #expect(window.titles == ["Jonas Ebert", "Bea Fox", "Mara Voss"])
                #expect(window.label("status").contains("3 contacts") && window.label("status").contains("undo: Sort"))
                try await robot.key("ctrl+z", "ctrl+z")
                #expect(window.titles == ["Mara Voss", "Jonas Ebert", "Ann Leeds", "Bea Fox"])
                #expect(window.selectedTitle == "Bea Fox")
                try await robot.key("ctrl+z", "ctrl+z", "ctrl+z")
                #expect(window.titles[2] == "Ann Lee" && !fixture.session.history.canUndo)
            }
        }

        @Test("what is wrong stands below its field as long as it is wrong") func errors() async throws {
            try await withFixture { fixture in
                let window = try await fixture.open()
                let robot = Robot(window: window)
                try await robot.activate()
                try await robot.click(window.row("Ann Lee"))
                #expect(window.label("mailError") == "")
                try await robot.click("mail")
                try await robot.type("ann")
                #expect(window.label("mailError") == "This is no e-mail address.")
                try await robot.type("@example.org")
                #expect(window.label("mailError") == "")
                try await robot.click("firstName")
                try await robot.key("ctrl+a", "Delete")
                #expect(window.label("lastNameError") == "")
                try await robot.click("lastName")
                try await robot.key("ctrl+a", "Delete")
                #expect(window.label("lastNameError") == "A contact needs a name." && window.titles[2] == "No name")
                try await robot.click(window.row("Bea Fox"))
                #expect(window.label("lastNameError") == "")
            }
        }

        @Test("two windows show the same book, each with its own selection") func twoWindows() async throws {
            try await withFixture { fixture in
                let (first, second) = (try await fixture.open(), try await fixture.open())
                first.browser.selection = fixture.contact(0)
                second.browser.selection = fixture.contact(0)
                let robot = Robot(window: second)
                try await robot.activate()
                try await robot.click("city")
                try await robot.type("Ulm")
                #expect(first.text("city") == "Ulm" && first.label("status").contains("1 cities"))
                second.browser.selection = fixture.contact(1)
                try await robot.click("firstName")
                try await robot.key("End")
                try await robot.type("!")
                #expect(first.titles == second.titles && first.titles[1] == "Jonas! Ebert")
                #expect(first.selectedTitle == "Mara Voss" && second.selectedTitle == "Jonas! Ebert")
            }
        }

        @Test("a window that is closed observes nothing any more, at whatever moment that is") func closing()
            async throws
        {
            try await withFixture { fixture in
                let alone = fixture.book.observations().count
                let contact = fixture.contact(0)
                let ofContact = contact.observations().count

                // By the keyboard, while its entry is being edited.
                let edited = try await fixture.open()
                let robot = Robot(window: edited)
                try await robot.activate()
                try await robot.click(edited.row("Mara Voss"))
                try await robot.click("firstName")
                try await robot.type("x")
                #expect(fixture.book.observations().count > alone && contact.observations().count > ofContact)
                try await robot.key("ctrl+w")
                #expect(edited.isDestroyed)
                #expect(fixture.book.observations().count == alone && contact.observations().count == ofContact)

                // By a handler of the change that the window is about to hear of, and by one that it has heard of.
                for order in [true, false] {
                    var window: BookWindow! = order ? nil : try await fixture.open()
                    let closing = contact.$lastName.observe { _ in if !window.isDestroyed { window.close() } }
                    if order { window = try await fixture.open() }
                    window.browser.selection = contact
                    contact.lastName += "y"
                    #expect(window.isDestroyed)
                    closing.remove()
                    #expect(fixture.book.observations().count == alone && contact.observations().count == ofContact)
                }

                // By what an entry, a selection or a list does while it is in the middle of a signal.
                let typed = try await fixture.open()
                typed.browser.selection = contact
                let inSignal = contact.$firstName.observe { _ in if !typed.isDestroyed { typed.close() } }
                let typist = Robot(window: typed)
                try await typist.activate()
                try await typist.click("firstName")
                _ = try await run("xdotool", "type", "abc")
                try await settle()
                #expect(typed.isDestroyed)
                inSignal.remove()

                let selected = try await fixture.open()
                selected.browser.$selection.observe { [unowned selected] _ in selected.close() }
                let clicker = Robot(window: selected)
                try await clicker.activate()
                try await clicker.click(selected.row("Bea Fox"))
                #expect(selected.isDestroyed)

                let listed = try await fixture.open()
                listed.list.on("items-changed") { [unowned listed] _ in if !listed.isDestroyed { listed.close() } }
                fixture.book.$contacts.removeAll { $0.lastName.hasPrefix("E") || $0.lastName.hasPrefix("F") }
                #expect(listed.isDestroyed)
                #expect(fixture.book.observations().count == alone)
            }
        }

        @Test("random edits with a window open: GTK shows the book's rows and the selection", arguments: [1, 2])
        func random(seed: Int) async throws {
            try await withFixture { fixture in
                let window = try await fixture.open()
                let robot = Robot(window: window)
                try await robot.activate()
                var random = Seeded(seed)
                let (book, history) = (fixture.book, fixture.session.history)
                var number = 0
                func contact() -> Contact {
                    number += 1
                    let contact = Contact()
                    (contact.firstName, contact.lastName) = ("\(Int.random(in: 0..<100, using: &random))", "N\(number)")
                    return contact
                }
                for step in 1...150 {
                    let count = book.contacts.count
                    let index = count == 0 ? 0 : Int.random(in: 0..<count, using: &random)
                    switch Int.random(in: 0..<(count < 2 ? 2 : 10), using: &random) {
                    case 0: book.$contacts.append(contact())
                    case 1: book.$contacts.insert(contentsOf: [contact(), contact()], at: count / 2)
                    case 2: book.$contacts.remove(at: index)
                    case 3: book.sort()
                    case 4: book.$contacts.swapAt(index, count - 1 - index)
                    case 5: book.contacts[index].lastName += "x"
                    case 6: history.undo()
                    case 7: history.redo()
                    case 8: window.browser.selection = book.contacts[index]
                    default: book.$contacts.reverse()
                    }
                    if book.contacts.count > 8 { book.$contacts.removeSubrange(2..<5) }
                    guard step.isMultiple(of: 3) else { continue }
                    try await settle()
                    let shown = window.titles
                    #expect(shown == book.contacts.map(\.title), "seed \(seed), step \(step)")
                    #expect(window.selectedTitle == window.browser.selection?.title, "seed \(seed), step \(step)")
                    #expect(window.text("lastName") == window.browser.selection?.lastName ?? "")
                    if shown != book.contacts.map(\.title) { break }
                }
            }
        }
    }
}
