/// What a binding does to a value before it sets the property.
///
/// Transforms can be chained: `.default(0).then(.description)`. Nil is a missing value: an empty optional, or a path
/// on which an object is missing.
public struct BindingTransform {
    /// Whether values remain as they are.
    var isIdentity = false
    private let resultType: (Any.Type) -> Any.Type?
    private let body: (Any?) -> Any?
}

extension BindingTransform {
    /// A conversion of numbers to another type of number, which also parses text.
    private init<Number: LosslessStringConvertible>(to type: Number.Type, _ convert: @escaping (Any) -> Number?) {
        self.init(resultType: { input in
            let content = unwrappedType(input)
            let isNumber = isNumberType(input) || isForeignNumberType(content)
            return isNumber || isOpen(content) || content is any StringProtocol.Type ? Number.self : nil
        }) { value in
            (value as? any StringProtocol).map { Number(String($0)) }
                ?? value.flatMap { convert(ownNumber(of: $0, for: type)) }
        }
    }

    /// Transforms a value, as a binding does. Nil and the empty optional are no value.
    ///
    /// - Complexity: O(*n*) for a chain of *n* transforms, and what they do.
    public func callAsFunction(_ value: Any?) -> Any? { body(value.flatMap(unwrapped)) }

    /// The type of the results for values of a type; nil if the transform does not accept them.
    ///
    /// - Complexity: O(*n*) for a chain of *n* transforms.
    public func resultType(for input: Any.Type) -> Any.Type? { resultType(input) }

    /// A function of a value. It is not called with nil, which stays nil, unless `Input` is an optional type.
    ///
    /// The function is called on the thread of the change and must not change the property that is bound.
    public init<Input, Output>(_ function: @escaping (Input) -> Output) {
        self.init(resultType: { canConvert(from: $0, to: Input.self) ? Output.self : nil }) { value in
            // An `Any` could be nil, too.
            let input = value ?? (isOptional(Input.self) ? .some(Any?.none as Any) : nil)
            let converted = input.flatMap { convert($0, to: Input.self) }
            if let value, converted == nil, !isNull(value) {
                Diagnostics.report("A binding's function takes \(Input.self), and was given a \(typeName(of: value))")
            }
            return converted.flatMap { unwrapped(function($0)) }
        }
    }

    /// The value as it is.
    public static var identity: BindingTransform { BindingTransform(isIdentity: true, resultType: { $0 }) { $0 } }

    /// The opposite of a Boolean; nil of nil.
    public static var negated: BindingTransform { BindingTransform { (value: Bool) in !value } }

    /// Whether there is no value.
    public static var isNil: BindingTransform { BindingTransform(resultType: { _ in Bool.self }) { $0 == nil } }

    /// Whether there is a value.
    public static var isNotNil: BindingTransform { BindingTransform(resultType: { _ in Bool.self }) { $0 != nil } }

    /// The value, or another one where there is none.
    public static func `default`<Value>(_ value: Value) -> BindingTransform {
        BindingTransform(resultType: { canConvert(from: Value.self, to: $0) ? unwrappedType($0) : nil }) { $0 ?? value }
    }

    /// The value as text, as string interpolation writes it; nil of nil.
    public static var description: BindingTransform { BindingTransform { (value: Any) in "\(value)" } }

    /// An integer of a number, whose fraction is cut off, or of a text; nil where it does not fit.
    public static func number<Number: FixedWidthInteger>(_ type: Number.Type) -> BindingTransform {
        BindingTransform(to: type) { value in
            wholeNumber((value as? any BinaryFloatingPoint).map { $0.rounded(.towardZero) } ?? value, as: type)
        }
    }

    /// A floating-point number of a number or of a text, the nearest where it does not fit; nil of any other text.
    public static func number<Number: BinaryFloatingPoint & LosslessStringConvertible>(_ type: Number.Type)
        -> BindingTransform
    {
        BindingTransform(to: type) { value in
            (value as? any BinaryInteger).map { Number($0) } ?? (value as? any BinaryFloatingPoint).map { Number($0) }
        }
    }

    /// This transform followed by another one of its results.
    ///
    /// - Complexity: O(1).
    public func then(_ next: BindingTransform) -> BindingTransform {
        BindingTransform(resultType: { resultType($0).flatMap(next.resultType) }) { next(body($0)) }
    }
}
