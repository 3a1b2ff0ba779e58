extension CollectionOperator {
    /// The type of the operator's result for values of a type, as far as that is declared; nil if the operator does not accept
    /// them.
    func resultType(of values: Any.Type) -> Any.Type? {
        let type = unwrappedType(values)
        // `@sum` of whole numbers is one, too, if it fits; of floating-point ones a Double, also if there is none.
        let isSum = type == (any IntOrDouble).self
        let isNumber = isSum || isNumberType(type) || isForeignNumberType(type)
        switch self {
        case .count: return Int.self
        case .sum where type is any BinaryFloatingPoint.Type: return Double.self
        case .sum: return isNumber || isOpen(type) ? (any IntOrDouble).self : nil
        case .avg: return isNumber || isOpen(type) ? Double.self : nil
        case .min, .max: return isNumber || isOpen(type) || type is any Comparable.Type ? type : nil
        case .unionOfObjects, .distinctUnionOfObjects: return isSum ? [Any].self : arrayType(of: type)
        case .unionOfArrays, .distinctUnionOfArrays, .distinctUnionOfSets:
            if isSum { return nil }
            if isOpen(type) { return Any.self }
            guard let element = (type as? any KeyValueCollection.Type)?.elementType else { return nil }
            if self != .distinctUnionOfSets { return arrayType(of: element) }
            // The result is a set of `AnyHashable`, which converts to a set of any element type.
            return isOpen(unwrappedType(element)) || unwrappedType(element) is any Hashable.Type ? Any.self : nil
        }
    }

    /// The operator's value for no values at all.
    ///
    /// - Parameter type: That of its results, as far as it is declared.
    func valueOfNothing(_ type: @autoclosure () -> Any.Type) -> Any {
        self == .sum && type() == Double.self ? 0.0 : OperatorResult(of: self).value!
    }
}

/// What `@sum` makes of whole numbers, and of values whose type is not declared.
protocol IntOrDouble {}
extension Int: IntOrDouble {}
extension Double: IntOrDouble {}

/// The type of arrays of a type that is known only when the program runs.
func arrayType<Element>(of _: Element.Type) -> Any.Type { [Element].self }
