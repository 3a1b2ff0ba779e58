import AutoKVO
import Foundation

/// Any JSON value that a property of a contact may have.
enum JSONValue: Decodable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    var value: Any? {
        switch self {
        case .null: nil
        case .bool(let bool): bool
        case .number(let number): number
        case .text(let text): text
        }
    }
}

/// A file of contacts: `{"contacts": [{"firstName": "Ann", "age": 30}]}`. The names are those of the keys.
struct BookFile: Decodable, Sendable {
    typealias Record = [String: JSONValue]

    let contacts: [Record]

    init(_ data: Data) throws { self = try JSONDecoder().decode(BookFile.self, from: data) }

    static func data(of book: AddressBook) throws -> Data {
        let contacts = try book.contacts.map { try $0.dictionaryWithValues(asRawValues: true) }
        return try JSONSerialization.data(
            withJSONObject: ["contacts": contacts], options: [.prettyPrinted, .sortedKeys])
    }
}

extension Contact {
    /// A contact with the values of a record, if all of them are right. They are validated when all are there, since what is right for
    /// one name depends on the other.
    convenience init(_ record: BookFile.Record) throws(KeyValueError) {
        self.init()
        try setValues(record.mapValues(\.value))
        if let problem { throw KeyValueError(.invalidValue(problem.value), className: "Contact", key: problem.key) }
    }

    /// A key whose value is not right, and the sentence that says so.
    var problem: (key: String, value: String)? { validationErrors.min { $0.key < $1.key } }
}
