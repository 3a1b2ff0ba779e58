import AutoKVO

/// What a panel shows of a value whose type is known only when the program runs.
enum Reading: Equatable {
    case nothing
    case number(Double)
    case text(String)

    init(_ value: Any?) {
        guard let value = Self.unwrapped(value) else {
            self = .nothing
            return
        }
        switch value {
        case let text as String: self = .text(text)
        case let flag as Bool: self = .text(flag ? "yes" : "no")
        case let number as any BinaryFloatingPoint: self = .number(Double(number))
        case let number as any BinaryInteger: self = .number(Double(number))
        case let members as any Collection: self = .number(Double(members.count))
        case let object as TrackedObject: self = .text("\(type(of: object))")
        default: self = .text("\(value)")
        }
    }

    /// An `Any` may hold an optional that is empty: present, but nil.
    private static func unwrapped(_ value: Any?) -> Any? {
        guard let value else { return nil }
        guard let optional = value as? any AnyOptional else { return value }
        return unwrapped(optional.content)
    }

    var number: Double? {
        if case .number(let number) = self { number } else { nil }
    }

    func text(_ unit: PanelUnit) -> String {
        switch self {
        case .nothing: "–"
        case .number(let number): unit.text(number)
        case .text(let text): text
        }
    }
}

private protocol AnyOptional {
    var content: Any? { get }
}

extension Optional: AnyOptional {
    fileprivate var content: Any? { self }
}
