import AutoKVO

/// One entry of a panels file. Its key path and its handler are names, looked up when the program runs.
struct PanelDeclaration: Equatable {
    /// What `--close` calls it.
    var name: String
    /// The start of its line.
    var title: String
    /// From the machine to the figure: `cpu.load`, `cores.@avg.load`.
    var keyPath: String
    /// The panel's handler, by name: `showValue`.
    var handler: String
    var options: ObservingOptions = [.initial, .new]
    var unit = PanelUnit.plain
    /// What fills the sparkline to the top; nil scales it to the figures that are in it.
    var maximum: Double?
    /// Handed to the handler with every change.
    var note: String?
}

extension PanelDeclaration: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case name, title, keyPath, handler, options, unit, maximum, note
    }

    /// Any key at all, to find those that mean nothing: a misspelt "optoins" must not be passed over in silence.
    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        let everything = try decoder.container(keyedBy: AnyKey.self)
        for key in everything.allKeys where CodingKeys(stringValue: key.stringValue) == nil {
            let known = CodingKeys.allCases.map(\.rawValue).joined(separator: ", ")
            throw DecodingError.dataCorruptedError(
                forKey: key, in: everything, debugDescription: "there is no such field; known are \(known)")
        }
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        name = try fields.decode(String.self, forKey: .name)
        title = try fields.decodeIfPresent(String.self, forKey: .title) ?? name
        keyPath = try fields.decode(String.self, forKey: .keyPath)
        handler = try fields.decode(String.self, forKey: .handler)
        maximum = try fields.decodeIfPresent(Double.self, forKey: .maximum)
        note = try fields.decodeIfPresent(String.self, forKey: .note)
        if let text = try fields.decodeIfPresent(String.self, forKey: .unit) {
            guard let unit = PanelUnit(rawValue: text) else {
                let known = PanelUnit.allCases.map(\.rawValue).joined(separator: ", ")
                throw DecodingError.dataCorruptedError(
                    forKey: .unit, in: fields, debugDescription: "no unit \"\(text)\"; known are \(known)")
            }
            self.unit = unit
        }
        if let names = try fields.decodeIfPresent([String].self, forKey: .options) {
            options = []
            for name in names {
                guard let option = Self.options[name] else {
                    let known = Self.options.keys.sorted().joined(separator: ", ")
                    throw DecodingError.dataCorruptedError(
                        forKey: .options, in: fields, debugDescription: "no option \"\(name)\"; known are \(known)")
                }
                options.insert(option)
            }
        }
    }

    private static var options: [String: ObservingOptions] {
        ["old": .old, "new": .new, "initial": .initial, "prior": .prior, "distinct": .distinct, "once": .once]
    }
}
