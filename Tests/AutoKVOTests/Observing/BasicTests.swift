import AutoKVO
import AutoKVOTestSupport
import Testing

@Suite("Set and notify") struct SettingTests {
    // 1.01
    @Test("one set of an observed key is one call with the new value, no old one, and the target") func oneCall() throws {
        let person = Person()
        let recorder = Recorder<Any>()
        try person.observe("age", options: [.new], recorder.handler())
        person.age = 5
        person.lastName = "Ray"
        #expect(recorder.count == 1)
        #expect(recorder.last?.new as? Int == 5)
        #expect(recorder.last?.old == nil)
        #expect(recorder.last?.target == ObjectIdentifier(person))
    }

    @Test("nothing is left when the suite is over") func nothingIsLeft() async {
        await #expect(processExitsWith: .success) { await expectNothingLeft(by: "SettingTests") }
    }
}
