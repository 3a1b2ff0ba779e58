import AutoKVO
import CGtk
import GLibBridge
import Testing

@testable import Contacts

struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: Int) { state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state &* 0x2545_F491_4F6C_DD1D
    }
}

/// Makes one edit of an array, of any kind there is.
@MainActor func edit(_ room: Room, _ random: inout Seeded) {
    let lamps = room.$lamps
    func lamp() -> Lamp {
        let lamp = Lamp()
        lamp.level = Int.random(in: 0..<1000, using: &random)
        return lamp
    }
    let count = room.lamps.count
    func index() -> Int { Int.random(in: 0..<count, using: &random) }
    switch Int.random(in: 0..<(count == 0 ? 3 : 16), using: &random) {
    case 0: lamps.append(lamp())
    case 1: lamps.insert(contentsOf: [lamp(), lamp(), lamp()], at: count / 2)
    case 2: room.lamps = (0..<8).map { _ in lamp() }
    case 3: lamps.remove(at: index())
    case 4: lamps.sort { $0.level < $1.level }
    case 5: lamps.reverse()
    case 6: lamps.swapAt(index(), index())
    case 7: lamps.removeAll { $0.level % 7 == 0 }
    case 8: lamps[index()] = lamp()
    case 9:
        let start = index()
        lamps.replaceSubrange(start..<min(start + 3, count), with: [lamp(), room.lamps[start], lamp()])
    case 10: room.lamps.shuffle(using: &random)
    case 11: lamps.update(to: room.lamps.shuffled(using: &random).dropFirst(2) + [lamp()])
    case 12: lamps.edit { $0.removeLast() }
    case 13: lamps.insert(room.lamps[index()], at: index())
    case 14:
        coalescingChanges {
            lamps.append(lamp())
            lamps.reverse()
        }
    default:
        var some = RangeSet<Int>()
        for index in 0..<count where Bool.random(using: &random) { some.insert(contentsOf: index..<index + 1) }
        lamps.moveSubranges(some, to: index())
    }
    if room.lamps.count > 60 { lamps.removeSubrange(20..<50) }
}

extension Desktop {
    @MainActor @Suite("GObjectListModel") struct ListModelTests {
        /// What a client of a GListModel knows: it hears of steps, and reads the items that came.
        final class Mirror {
            var items: [UnsafeMutableRawPointer] = []
            var steps = 0
        }

        private func mirror(_ list: GObjectListModel<Lamp>) -> Mirror {
            let mirror = Mirror()
            func item(_ position: Int) -> UnsafeMutableRawPointer {
                let item = g_list_model_get_item(list.opaque, guint(position))!
                g_object_unref(item)
                return item
            }
            list.on("items-changed") { [unowned list] arguments in
                let numbers = (1...3).map { Int(g_value_get_uint(arguments.values.baseAddress! + $0)) }
                let (position, removed, added) = (numbers[0], numbers[1], numbers[2])
                #expect(position + removed <= mirror.items.count)
                mirror.items.replaceSubrange(
                    position..<position + removed, with: (position..<position + added).map(item))
                #expect(Int(g_list_model_get_n_items(list.opaque)) == mirror.items.count)
                mirror.steps += 1
            }
            return mirror
        }

        private func shows(_ mirror: Mirror, _ list: GObjectListModel<Lamp>, _ room: Room) -> Bool {
            mirror.items.map { list.element(of: $0)! }.elementsEqual(room.lamps, by: ===)
        }

        private func release(_ view: GObjectView) { g_object_unref(view.pointer() as UnsafeMutablePointer<GObject>) }

        @Test("random edits: after each the items are the array, also for who was told step by step", arguments: 1...8)
        func random(seed: Int) {
            let before = GObjectView.liveCount
            var random = Seeded(seed)
            let room = Room()
            let list = GObjectListModel<Lamp>()
            list.follow(room.$lamps)
            let mirror = mirror(list)
            for _ in 0..<400 {
                edit(room, &random)
                #expect(shows(mirror, list, room), "seed \(seed)")
                #expect(Set(mirror.items).count == mirror.items.count)
                #expect(g_list_model_get_item(list.opaque, guint(mirror.items.count)) == nil)
            }
            weak let lamp = room.lamps.first ?? Lamp()
            release(list)
            #expect(list.isDestroyed && room.observations().isEmpty)
            room.lamps = []
            #expect(lamp == nil)
            #expect(GObjectView.liveCount == before + 1)
        }

        @Test("the selection stays with its element in random edits, and is nil when that has left", arguments: 1...8)
        func selection(seed: Int) {
            var random = Seeded(seed)
            let room = Room()
            let list = GObjectListModel<Lamp>()
            let selection = GObjectView(gtk_single_selection_new(list.opaque))
            selection.set("autoselect", false)
            selection.set("can-unselect", true)
            list.follow(room.$lamps)
            list.bindSelection(of: selection, to: room.$lamp)
            func selected() -> Lamp? { list.element(of: gtk_single_selection_get_selected_item(selection.opaque)) }
            for _ in 0..<400 {
                if room.lamp == nil, let lamp = room.lamps.randomElement(using: &random) {
                    if Bool.random(using: &random) {
                        room.lamp = lamp
                    } else {
                        let position = room.lamps.firstIndex { $0 === lamp }!
                        gtk_single_selection_set_selected(selection.opaque, guint(position))
                    }
                }
                let wanted = room.lamp
                edit(room, &random)
                #expect(selected() === room.lamp)
                // By differences what has another place leaves and comes again.
                if let wanted, room.lamp != nil { #expect(room.lamp === wanted) }
                if let wanted, !room.lamps.contains(where: { $0 === wanted }) { #expect(room.lamp == nil) }
            }
            release(selection)
            #expect(list.isDestroyed && selection.isDestroyed)
        }

        @Test("who hears of a step may edit the array, or end the list") func nested() {
            let room = Room()
            room.lamps = (0..<6).map { level in
                let lamp = Lamp()
                lamp.level = level
                return lamp
            }
            let list = GObjectListModel<Lamp>()
            list.follow(room.$lamps)
            let mirror = mirror(list)
            mirror.items = (0..<6).map {
                let item = g_list_model_get_item(list.opaque, guint($0))!
                g_object_unref(item)
                return item
            }
            var edits = 0
            list.on("items-changed") { _ in
                edits += 1
                if edits < 20 {
                    if edits.isMultiple(of: 2) { room.$lamps.append(Lamp()) } else { room.$lamps.removeFirst() }
                }
            }
            // Two ranges: two steps, and the first edit comes between them.
            room.$lamps.removeAll { $0.level == 1 || $0.level == 4 }
            #expect(shows(mirror, list, room))
            #expect(mirror.steps >= 20)

            room.lamps = (0..<6).map { _ in Lamp() }
            let ends = [room.lamps[1], room.lamps[4]]
            let other = GObjectListModel<Lamp>()
            other.follow(room.$lamps)
            other.on("items-changed") { [unowned other] _ in
                if !other.isDestroyed { g_object_run_dispose(other.pointer()) }
            }
            room.$lamps.removeAll { lamp in ends.contains { $0 === lamp } }
            #expect(other.isDestroyed)
            room.$lamps.append(Lamp())
            release(list)
            #expect(room.observations().isEmpty)
        }
    }
}
