/// What a binding does to a value on its way.
///
/// Transforms can be put one behind the other: `.default(0).then(.description)`. Nil stands for a missing value, be it
/// an empty optional or an object on the way that is not there.
public struct BindingTransform {
    let body: (Any?) -> Any?
    /// The type of what comes out for a type of what goes in; nil if it cannot go in.
    let resultType: (Any.Type) -> Any.Type?

    private init(_ resultType: @escaping (Any.Type) -> Any.Type?, _ body: @escaping (Any?) -> Any?) {
        self.resultType = resultType
        self.body = body
    }

    /// A function of a value. It is not asked about nil, which stays nil, unless `Input` is an optional type.
    ///
    /// The function is called on the thread of the change and must not change the property it is part of.
    public init<Input, Output>(_ function: @escaping (Input) -> Output) {
        self.init({ canConvert(from: $0, to: Input.self) ? Output.self : nil }) { value in
            convert(value as Any, to: Input.self).flatMap { unwrapped(function($0)) }
        }
    }

    /// The value as it is.
    public static var identity: BindingTransform { BindingTransform({ $0 }, { $0 }) }

    /// The opposite of a Boolean; nil of nil.
    public static var negated: BindingTransform { BindingTransform { (value: Bool) in !value } }

    /// Whether there is no value.
    public static var isNil: BindingTransform { BindingTransform({ _ in Bool.self }) { $0 == nil } }

    /// Whether there is a value.
    public static var isNotNil: BindingTransform { BindingTransform({ _ in Bool.self }) { $0 != nil } }

    /// The value, or another one where there is none.
    public static func `default`<Value>(_ value: Value) -> BindingTransform {
        BindingTransform({ canConvert(from: Value.self, to: $0) ? unwrappedType($0) : nil }) { $0 ?? value }
    }

    /// The value as text, as string interpolation writes it; nil of nil.
    public static var description: BindingTransform {
        BindingTransform({ _ in String.self }) { $0.map { "\($0)" } }
    }

    /// An integer of a number, whose fraction is cut off, or of a text; nil where it does not fit.
    public static func number<Number: FixedWidthInteger>(_ type: Number.Type) -> BindingTransform {
        BindingTransform({ canBeNumber($0) ? Number.self : nil }) { value in
            switch value {
            case let value as any BinaryInteger: Number(exactly: value)
            case let value as any BinaryFloatingPoint: Number(exactly: Double(value).rounded(.towardZero))
            case let value as any StringProtocol: Number(String(value))
            default: nil
            }
        }
    }

    /// A floating-point number of a number or of a text, the nearest where it does not fit; nil of any other text.
    public static func number<Number: BinaryFloatingPoint & LosslessStringConvertible>(_ type: Number.Type)
        -> BindingTransform
    {
        BindingTransform({ canBeNumber($0) ? Number.self : nil }) { value in
            switch value {
            case let value as any BinaryInteger: Number(value)
            case let value as any BinaryFloatingPoint: Number(value)
            case let value as any StringProtocol: Number(String(value))
            default: nil
            }
        }
    }

    /// This transform, and then another one of what comes out of it.
    public func then(_ next: BindingTransform) -> BindingTransform {
        let body = body
        let resultType = resultType
        return BindingTransform({ resultType($0).flatMap(next.resultType) }) { next.body(body($0)) }
    }
}

private func canBeNumber(_ type: Any.Type) -> Bool {
    let type = unwrappedType(type)
    return isExistential(type) || type is any BinaryInteger.Type || type is any BinaryFloatingPoint.Type
        || type is any StringProtocol.Type
}
