import AutoKVO
import Foundation

/// A JSON file with settings: nested objects, `{"editor": {"theme": "dark"}}`, dotted names, or both.
struct SettingsFile {
    let values: [String: Any?]

    /// Reads a file's content. What the settings have as an object of their own is nested; what they have as a dictionary is a value.
    init(_ data: Data) throws {
        guard let object = try JSONDecoder().decode(JSONValue.self, from: data).value as? [String: Any?] else {
            throw Mistake.noObject
        }
        var values: [String: Any?] = [:]
        func add(_ object: [String: Any?], below prefix: String) throws {
            for (name, value) in object {
                let path = prefix + name
                if let nested = value as? [String: Any?], isObject(path) {
                    try add(nested, below: path + ".")
                } else if values.updateValue(value, forKey: path) != nil {
                    throw Mistake.twice(path)
                }
            }
        }
        func isObject(_ path: String) -> Bool {
            (try? AppSettings.valueType(forKeyPath: path)) is TrackedObject.Type
        }
        try add(object, below: "")
        self.values = values
    }

    /// Sets everything, or nothing; what is derived from several settings changes once.
    func apply(to settings: AppSettings) throws(KeyValueError) {
        try coalescingChanges { () throws(KeyValueError) in try settings.setValues(values, validating: true) }
    }

    enum Mistake: LocalizedError {
        case noObject
        case twice(String)

        var errorDescription: String? {
            switch self {
            case .noObject: "A settings file has one JSON object."
            case .twice(let name): "\"\(name)\" is set twice."
            }
        }
    }
}

/// Any JSON as Swift's own values, where `JSONSerialization` gives some of Foundation's.
struct JSONValue: Decodable {
    let value: Any?

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            value = nil
        } else if let object = try? container.decode([String: JSONValue].self) {
            value = object.mapValues(\.value)
        } else if let array = try? container.decode([JSONValue].self) {
            value = array.map(\.value)
        } else if let flag = try? container.decode(Bool.self) {
            value = flag
        } else if let whole = try? container.decode(Int.self) {
            value = whole
        } else if let number = try? container.decode(Double.self) {
            value = number
        } else {
            value = try container.decode(String.self)
        }
    }
}

extension AppSettings {
    /// The paths of all that can be set, of this object and of the ones in it.
    static var settablePaths: [String] { paths(of: AppSettings.self, below: "") }

    private static func paths(of type: TrackedObject.Type, below prefix: String) -> [String] {
        type.keyDescriptions.flatMap { key in
            if let nested = key.valueType as? TrackedObject.Type {
                return paths(of: nested, below: "\(prefix)\(key.name).")
            }
            return key.isSettable ? [prefix + key.name] : []
        }
    }

    /// All that can be set, as a file that can be read again.
    func exported() throws -> Data {
        let values = try dictionaryWithValues(forKeys: Self.settablePaths, asRawValues: true)
        return try JSONSerialization.data(withJSONObject: values, options: [.prettyPrinted, .sortedKeys])
    }
}
