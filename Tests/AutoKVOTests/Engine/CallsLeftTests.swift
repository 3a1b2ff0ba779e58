import AutoKVO
import AutoKVOTestSupport
import Testing

/// Several calls of one observer for one change, in which another change is made.
struct CallsLeftTests {
    private class List: Model {
        @Observed var items: [Int] = []
        @Observed var next: List?
        @Derived({ (list: List) in list.items.count }) var count: Int
    }
    private let list = List()
    private let log = MessageLog()

    @Test(
        "those that are left come before later observers, and before those of derived keys", arguments: [false, true])
    func elements(isDerived: Bool) {
        list.$items.observeElements(added: { [unowned list, log] item in
            log.add("A\(item)")
            if item == 1 { list.$items.append(9) }
        })
        list.$items.observe { [log] _ in log.add("B") }
        if isDerived { list.$count.observe(options: .new) { [log] in log.add("C\($0.newValue!)") } }
        list.$items.append(contentsOf: [1, 2])
        let derived = isDerived ? ["C2"] : []
        expectEqual(log.messages, ["A1", "A2", "B"] + derived + ["A9", "B"] + (isDerived ? ["C3"] : []))
    }

    @Test("so they do inside of another change's observers, coalesced or not", arguments: [false, true])
    func inside(isCoalesced: Bool) {
        final class Other: Model { @Observed var flag = 0 }
        let other = Other()
        list.$items.observeElements(added: { [unowned list, log] item in
            log.add("A\(item)")
            if item == 1 { list.$items.append(9) }
        })
        list.$items.observe { [log] _ in log.add("B") }
        list.$count.observe(options: .new) { [log] in log.add("C\($0.newValue!)") }
        other.$flag.observe { [unowned list] _ in list.$items.append(contentsOf: [1, 2]) }
        if isCoalesced { coalescingChanges { other.flag = 1 } } else { other.flag = 1 }
        expectEqual(log.messages, ["A1", "A2", "B", "C2", "A9", "B", "C3"])
    }

    @Test("so do those of a second handler of a path") func handlers() throws {
        var told = ""
        try list.observe([
            "items": { [unowned list] _ in
                told += "a"
                if list.items.count < 3 { list.$items.append(0) }
            }, "items": { _ in told += "b" },
        ])
        list.$items.observe { _ in told += "c" }
        list.$items.append(0)
        expectEqual(told, "abcabcabc")
    }

    @Test("an edit of two steps in one of the calls has its second step made in its place") func twoEdits() {
        var kept: [Int] = []
        var rows: [Int] = []
        list.$items.observeElements(added: { [unowned list, log] item in
            log.add("A\(item)")
            if item == 1 { list.$items.update(to: [3, 2, 7]) }
        })
        list.$items.observe(options: .new) { $0.apply(to: &rows) }
        list.$items.observe(options: .new) { [unowned list] _ in kept = list.items }
        list.$items.append(contentsOf: [1, 2])
        #expect(rows == [3, 2, 7] && kept == [3, 2, 7])
        expectEqual(log.messages.first, "A1")
    }

    @Test("calls of another list's observers that made the change stay where they are") func outer() {
        let other = List()
        other.$items.observeElements(added: { [unowned list, log] item in
            log.add("O\(item)")
            list.$items.append(item)
        })
        other.$items.observe { [log] _ in log.add("P") }
        list.$items.observeElements(added: { [unowned other, log] item in
            log.add("A\(item)")
            if item == 1 { other.$items.append(3) }
        })
        list.$items.observe { [log] _ in log.add("B") }
        other.$items.append(contentsOf: [1, 2])
        // The change of the other list comes behind all calls of the one before.
        expectEqual(log.messages, ["O1", "A1", "O2", "B", "A2", "B", "P", "O3", "A3", "B", "P"])
    }

    @Test("those that are left come before what a death in one of them changes") func death() {
        final class Guest: Model {}
        final class Room: Model {
            @Observed var extra: [Int] = []
            @ObservedWeak var guest: Guest?
            @Derived({ (room: Room) in room.extra + (room.guest == nil ? [] : [100]) }) var all: [Int]
        }
        for isObserved in [true, false] {
            let (room, log) = (Room(), MessageLog())
            var guest: Guest? = Guest()
            room.guest = guest
            if isObserved { room.$extra.observe { _ in } }
            room.$all.observeElements(
                added: { [unowned room] number in
                    log.add("+\(number)")
                    if number == 1 { guest = nil }
                    if number == 2 { room.extra.append(4) }
                }, removed: { log.add("-\($0)") })
            room.extra = [1, 2, 3]
            expectEqual(log.messages, ["+1", "+2", "+3", "-100", "+4"])
            withExtendedLifetime(guest) {}
        }
    }
}
