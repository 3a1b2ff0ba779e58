import AutoKVO
import Foundation
import Testing

@testable import Settings

private func apply(_ json: String, to settings: AppSettings) throws {
    try SettingsFile(Data(json.utf8)).apply(to: settings)
}

@Suite("Settings") struct SettingsTests {
    @Test("the schemas have no fault") func schemas() throws {
        try AppSettings.validateSchema()
        try EditorSettings.validateSchema()
        try NetworkSettings.validateSchema()
    }

    @Test("a file sets values of all types, corrected by validations, nested or dotted") func good() throws {
        let settings = AppSettings()
        settings.editor.fontName = "Mono"
        try apply(
            """
            {"userName": " Ann ", "editor": {"theme": "dark", "fontSize": 14, "fontName": null, "recentFiles": ["a", "b"]},
             "network.port": 443, "network": {"headers": {"Accept": "*"}}}
            """, to: settings)
        #expect(settings.userName == "Ann")
        #expect(settings.editor.theme == .dark && settings.editor.fontSize == 14 && settings.editor.fontName == nil)
        #expect(settings.editor.recentFiles == ["a", "b"])
        #expect(settings.network.port == 443 && settings.network.headers == ["Accept": "*"])
    }

    @Test("what is derived from several settings changes once for a file") func once() throws {
        let settings = AppSettings()
        var summaries: [String] = []
        settings.observe(\.summary, options: .new) { _, change in summaries.append(change.newValue!) }
        try apply(
            #"{"userName": "Ann", "editor": {"theme": "light"}, "network": {"port": 1, "host": "h"}}"#, to: settings)
        #expect(summaries == ["Ann, light, h:1"])
    }

    @Test("one wrong entry and nothing is set, nobody is called, and each wrong entry has its error")
    func allOrNothing() throws {
        let settings = AppSettings()
        let before = try settings.exported()
        try settings.observe(AppSettings.settablePaths) { change in Issue.record("\(change.keyPath) was set") }
        let error = #expect(throws: KeyValueError.self) {
            try apply(
                #"{"userName": "Ann", "editor": {"fontSize": 100, "theme": "drak"}, "network.prot": 1}"#, to: settings)
        }
        #expect(error?.errors.map(\.keyPath) == ["editor.fontSize", "editor.theme", "network.prot"])
        #expect(
            error?.errors.map(\.localizedDescription) == [
                #"invalid value for "editor.fontSize": 100.0 is not in the range from 6 to 72 points."#,
                #"wrong type for "editor.theme": EditorSettings.theme holds Theme, given by a raw value (String): "#
                    + #""light", "dark", "system"; not "drak""#,
                #"unknown key "network.prot": NetworkSettings has no key "prot", did you mean "port"?"#,
            ])
        #expect(try settings.exported() == before)
    }

    @Test(
        "a hostile file is refused and changes nothing",
        arguments: [
            #"{"accessToken": "x"}"#, #"{"summary": "x"}"#, #"{"network": {"bytesSent": 1}}"#, #"{"network": 5}"#,
            #"{"network": {"port": true}}"#, #"{"network": {"port": 1.5}}"#,
            #"{"network": {"port": 99999999999999999999}}"#,
            #"{"userName": null}"#, #"{"editor": {"recentFiles": ["a", 7]}}"#,
            #"{"editor": {"recentFiles": {"a": "b"}}}"#,
            #"{"editor.recentFiles.@count": 3}"#, #"{"editor.recentFiles.0": "x"}"#, #"{"": 1}"#, #"{"..": 1}"#,
            #"{"editor..theme": "dark"}"#, #"{"editor.theme|network.port": 1}"#, #"{"schema": 1}"#,
            #"{"editor.\u0000": 1}"#,
            #"{"editor": {"theme": "dark"}, "editor.theme": "light"}"#, "[]", "1", "", "{", "{\"a\":\u{1}}",
            String(repeating: "[", count: 100_000), #"{"editor":"# + String(repeating: #"{"a":"#, count: 10_000),
            "{\"\(String(repeating: "a.", count: 50_000))\": 1}",
            "{\"\(String(repeating: "x", count: 1_000_000))\": 1}",
        ])
    func hostile(_ json: String) throws {
        let settings = AppSettings()
        let before = try settings.exported()
        let error = #expect(throws: (any Error).self) { try apply(json, to: settings) }
        #expect((error?.localizedDescription.count ?? 0) < 1000)
        #expect(try settings.exported() == before)
        #expect(settings.accessToken == "s3cr3t")
    }

    @Test("files with random bytes changed are read or refused, and never stop the program") func damaged() throws {
        let good = Array(#"{"userName": "Ann", "editor": {"theme": "dark", "fontSize": 14}, "network.port": 443}"#.utf8)
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var bytes = good
            for _ in 0..<3 { bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 1...255) }
            let settings = AppSettings()
            let before = try settings.exported()
            do {
                try SettingsFile(Data(bytes)).apply(to: settings)
            } catch {
                #expect(try settings.exported() == before)
            }
        }
    }

    @Test("what is exported can be read again, and holds nothing that is hidden or not settable") func export() throws {
        let settings = AppSettings()
        try apply(
            #"{"editor": {"theme": "light", "recentFiles": ["a"]}, "network": {"headers": {"A": "b"}}}"#, to: settings)
        settings.network.bytesSent = 7
        let file = try settings.exported()
        let text = String(decoding: file, as: UTF8.self)
        #expect(!text.contains("s3cr3t") && !text.contains("bytesSent") && !text.contains("summary"))
        let other = AppSettings()
        try SettingsFile(file).apply(to: other)
        #expect(try other.exported() == file)
        #expect(other.editor.theme == .light && other.network.headers == ["A": "b"] && other.network.bytesSent == 0)
    }
}
