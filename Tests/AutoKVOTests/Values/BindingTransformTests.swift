import AutoKVO
import Foundation
import Testing

/// Transforms as functions.
struct BindingTransformTests {
    private struct Celsius: KeyValueConvertible {
        var degrees: Double
        init?(keyValue: Any) {
            guard let degrees = keyValue as? Double else { return nil }
            self.degrees = degrees
        }
        var keyValue: Any { degrees }
    }

    @Test("a transform can be called: nil and an empty optional are no value") func calling() {
        let length = BindingTransform { (text: String) in text.count }
        expectEqual(length("four") as? Int, 4)
        #expect(length(nil) == nil)
        #expect(length(String?.none) == nil)
        expectEqual(length(String?.some("four")) as? Int, 4)
        expectEqual(BindingTransform.isNil(nil) as? Bool, true)
        expectEqual(BindingTransform.isNotNil(1) as? Bool, true)
        expectEqual(BindingTransform.negated(true) as? Bool, false)
        expectEqual(BindingTransform.identity("x") as? String, "x")
    }

    @Test("a function of an optional is called with nil") func optionalFunction() {
        let shown = BindingTransform { (text: String?) in text ?? "none" }
        expectEqual(shown(nil) as? String, "none")
        expectEqual(shown("x") as? String, "x")
    }

    @Test("a function of any value is not called with nil") func anyFunction() {
        let shown = BindingTransform { (value: Any) in "\(value)" }
        #expect(shown(nil) == nil && shown(Int?.none) == nil)
        expectEqual(shown(1) as? String, "1")
    }

    @Test("it says the type of its results, and nil for values that it does not take") func resultTypes() {
        let length = BindingTransform { (text: String) in text.count }
        #expect(length.resultType(for: String.self) == Int.self)
        #expect(length.resultType(for: [Int].self) == nil)
        #expect(BindingTransform.identity.resultType(for: String.self) == String.self)
        #expect(BindingTransform.isNil.resultType(for: String.self) == Bool.self)
        #expect(BindingTransform.negated.resultType(for: String.self) == nil)
        #expect(BindingTransform.number(Int.self).resultType(for: String.self) == Int.self)
        #expect(BindingTransform.number(Double.self).resultType(for: [Int].self) == nil)
        #expect(BindingTransform.default(0).then(.description).resultType(for: Int?.self) == String.self)
        #expect(length.then(.negated).resultType(for: String.self) == nil)
    }

    @Test("a conversion of one's own may be tried with any type unless it says otherwise") func conversion() {
        #expect(Celsius.canConvert(from: String.self))
        expectEqual(Celsius(keyValue: 20.5)?.keyValue as? Double, 20.5)
        #expect(Celsius(keyValue: "cold") == nil)
    }

    @Test("a number is also one of a type that only Foundation has") func foreignNumbers() {
        expectEqual(BindingTransform.number(Int.self)(NSNumber(value: 3.7)) as? Int, 3)
        expectEqual(BindingTransform.number(Double.self)(NSDecimalNumber(string: "2.5")) as? Double, 2.5)
        #expect(BindingTransform.number(Int.self).resultType(for: NSNumber.self) == Int.self)
        #expect(BindingTransform.number(Double.self).resultType(for: NSNumber?.self) == Double.self)
        #expect(BindingTransform.number(Double.self).resultType(for: AnyHashable.self) == Double.self)
        #expect(BindingTransform.number(Int.self).resultType(for: [Int].self) == nil)
    }
}
