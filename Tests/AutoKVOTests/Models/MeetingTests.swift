import AutoKVOTestSupport
import Testing

@Suite("Mechanisms that meet, at random") struct MeetingTests {
    @Test(
        "every observer of objects with overrides, edits and schedulers can replay what it was told", arguments: 0..<8)
    func worlds(part: Int) {
        for seed in 0..<load(80) {
            let world = MeetingWorld(seed: seed * 8 + part)
            world.run(120)
            guard let fault = world.fault else { continue }
            Issue.record("seed \(seed * 8 + part):\n\(fault)")
            return
        }
    }

    @Test("bindings, streams, views and histories end where the properties are", arguments: 0..<8)
    func composed(part: Int) async {
        for seed in 0..<load(60) {
            let world = ComposedWorld(seed: seed * 8 + part, undoes: part % 2 == 0)
            await world.run(100)
            guard let fault = world.fault else { continue }
            Issue.record("seed \(seed * 8 + part):\n\(fault)")
            return
        }
    }

    @Test("a history brings back a document whose sections come, go and move", arguments: 0..<8)
    func documents(part: Int) {
        for seed in 0..<load(30) {
            let world = DocumentWorld(seed: seed * 8 + part)
            world.run(60)
            guard let fault = world.fault else { continue }
            Issue.record("seed \(seed * 8 + part):\n\(fault)")
            return
        }
    }

    @Test("nothing is left when the suite is over") func nothingIsLeft() async {
        await #expect(processExitsWith: .success) { await expectNothingLeft(by: "MeetingTests") }
    }
}
