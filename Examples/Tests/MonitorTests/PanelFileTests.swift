import AutoKVO
import Foundation
import Testing

@testable import Monitor

@Suite("The panels file")
struct PanelFileTests {
    @Test func aDeclarationHasSensibleDefaults() throws {
        let panel = try #require(
            try Fixtures.panels(#"{"panels": [{"name": "a", "keyPath": "cpu.load", "handler": "showValue"}]}"#).first)
        #expect(panel == PanelDeclaration(name: "a", title: "a", keyPath: "cpu.load", handler: "showValue"))
        #expect(panel.options == [.initial, .new])
    }

    @Test func everyFieldIsRead() throws {
        let text = """
            {"panels": [{"name": "a", "title": "A", "keyPath": "k", "handler": "h", "unit": "bytes/s", "maximum": 5,
             "options": ["old", "new", "initial", "prior", "distinct", "once"], "note": "n"}]}
            """
        var expected = PanelDeclaration(name: "a", title: "A", keyPath: "k", handler: "h")
        expected.options = [.old, .new, .initial, .prior, .distinct, .once]
        expected.unit = .bytesPerSecond
        expected.maximum = 5
        expected.note = "n"
        #expect(try Fixtures.panels(text) == [expected])
    }

    @Test func theBuiltInPanelsAreValidAndAllOpen() throws {
        let machine = Machine()
        let slots = try PanelFile.builtIn().panels.map { PanelSlot($0, on: machine) }
        #expect(slots.compactMap(\.failure) == [])
        #expect(slots.contains { $0.declaration.name == "load" })
    }

    /// Each broken file gives one line, and the line says what to mend.
    @Test(arguments: [
        ("", "not valid JSON"),
        ("{\"panels\": [\n  {\"name\": \"x\",, }]}", "line 2"),
        ("{\"panels\": [{\"name\": \"a", "not valid JSON"),
        (String(repeating: "[", count: 100_000), "not valid JSON"),
        ("[]", "the file"),
        ("{}", "the file has no \"panels\""),
        (#"{"panels": 3}"#, "\"panels\""),
        (#"{"panels": []}"#, "it declares no panel"),
        (#"{"panels": [{"name": "a", "handler": "h"}]}"#, "panel 1 has no \"keyPath\""),
        (#"{"panels": [{"name": "a", "keyPath": 3, "handler": "h"}]}"#, "panel 1, \"keyPath\""),
        (#"{"panels": [{"name": null, "keyPath": "k", "handler": "h"}]}"#, "panel 1, \"name\""),
        (#"{"panels": [{"name": "", "keyPath": "k", "handler": "h"}]}"#, "name is empty"),
        (#"{"panels": [{"name": "a", "keyPath": "k", "handler": "h", "unit": "pints"}]}"#, "no unit \"pints\""),
        (#"{"panels": [{"name": "a", "keyPath": "k", "handler": "h", "options": ["nwe"]}]}"#, "no option \"nwe\""),
        (#"{"panels": [{"name": "a", "keyPath": "k", "handler": "h", "options": ["n\n"]}]}"#, "no option \"n?\""),
        (#"{"panels": [{"name": "a", "keyPath": "k", "handler": "h", "optoins": []}]}"#, "panel 1, \"optoins\""),
        (
            #"{"panels": [{"name": "a", "keyPath": "k", "handler": "h"}, {"name": "a", "keyPath": "k", "handler": "h"}]}"#,
            "two panels are named \"a\""
        ),
    ])
    func aBrokenFileIsRefusedWithOneLine(text: String, part: String) throws {
        let fault = try #require(throws: PanelFile.Fault.self) { try Fixtures.panels(text) }
        #expect(fault.description.hasPrefix("test.json: "))
        #expect(fault.description.contains(part), "\(fault)")
        #expect(!fault.description.contains { $0.isNewline }, "\(fault)")
    }

    @Test(arguments: [[0xFF, 0xFE], [0x7B, 0x22, 0xC3, 0x28, 0x22, 0x7D], [0]] as [[UInt8]])
    func bytesThatAreNoTextAreRefused(bytes: [UInt8]) {
        #expect(throws: PanelFile.Fault.self) { try PanelFile(data: Data(bytes), file: "test.json") }
    }

    @Test func aFileThatIsNotThereIsRefusedWithItsName() {
        #expect(throws: PanelFile.Fault(file: "/nowhere.json", problem: "it cannot be read")) {
            try PanelFile(path: "/nowhere.json")
        }
    }

    @Test(arguments: [("a@3", "a", 3), ("cores.@avg@12", "cores.@avg", 12)])
    func closeTakesANameAndASample(argument: String, name: String, sample: Int) {
        let request = CloseRequest(argument: argument)
        #expect(request?.name == name)
        #expect(request?.sample == sample)
    }

    @Test(arguments: ["", "a", "a@", "@3", "a@x", "a@0", "a@-1", "a@99999999999999999999"])
    func anythingElseAfterCloseIsRefused(argument: String) {
        #expect(CloseRequest(argument: argument) == nil)
    }
}
