import Testing

@testable import AutoKVO

/// The content of an Any.
struct NumberInAnyTests {
    private struct Words: Equatable { var (first, second, third) = (1, 2, 3) }
    private struct FourWords: Equatable { var (first, second, third, fourth) = (1, 2, 3, 4) }
    private class Base: @unchecked Sendable {}
    private final class Derived: Base, @unchecked Sendable {}

    private func expectContent<Value: Equatable>(_ value: Value) {
        expectEqual(content(of: value as Any, as: Value.self), value)
    }

    @Test("is what was put into it, whatever its size, alignment and references") func types() {
        expectContent(7)
        expectContent(-1 as Int8)
        expectContent(true)
        expectContent(2.5)
        expectContent(Words())
        expectContent(FourWords())
        expectContent(SIMD2<Double>(1, 2))
        expectContent(SIMD4<Double>(1, 2, 3, 4))
        expectContent(7 as Int?)
        expectContent(nil as Int?)
        expectContent("text")
        expectContent("a text that is longer than fifteen bytes")
        expectContent([1, 2])
        expectContent(["a": 1])
    }

    @Test("is a class's object as any class that it has") func objects() {
        let object = Derived()
        #expect(content(of: object as Any, as: Derived.self) === object)
        #expect(content(of: object as Any, as: Base.self) === object)
        #expect(content(of: object as Base as Any, as: Base.self) === object)
    }

    @Test("is cast to the type that is asked for") func casts() {
        expectEqual(content(of: 7 as Any, as: Int?.self), 7)
        expectEqual(content(of: (7 as Int?) as Any, as: Int.self), 7)
        expectEqual(content(of: 7 as Any, as: Any.self) as? Int, 7)
    }

    @Test("is found as a number of that type only") func otherTypes() {
        #expect(areEqual(1, 1) && !areEqual(1, 2) && areEqual(1.5, 1.5) && areEqual(Double.nan, Double.nan))
        #expect(!areEqual(Double.nan, 1.0))
        #expect(!areEqual(1, 1.0) && !areEqual(1, 1 as Int8) && !areEqual(1, UInt(1)))
        #expect(areEqual((1 as Int?) as Any, 1) && !areEqual(Int?.none as Any, 0))
    }
}
