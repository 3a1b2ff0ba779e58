import AutoKVOTestSupport
import Testing

/// Mechanisms that meet, at random.
struct MeetingTests {
    @Test(
        "every observer of objects with overrides, edits and schedulers can replay what it was told", arguments: 0..<8)
    func worlds(part: Int) async {
        await search(80, part: part, MeetingWorld.init) { $0.run(120) }
    }

    @Test("bindings, streams, views and histories end where the properties are", arguments: 0..<8)
    func composed(part: Int) async {
        await search(60, part: part) {
            ComposedWorld(seed: $0, undoes: part % 2 == 0)
        } run: {
            await $0.run(100)
        }
    }

    @Test("a history brings back a document whose sections come, go and move", arguments: 0..<8)
    func documents(part: Int) async {
        await search(30, part: part, DocumentWorld.init) { $0.run(60) }
    }

    @Test("what was told last is what there is, also where changes overlap on several threads", arguments: 0..<8)
    func lanes(part: Int) async {
        await search(60, part: part, LaneWorld.init) { $0.run(60) }
    }
}
