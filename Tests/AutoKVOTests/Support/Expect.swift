import Testing

/// Expects two values to be equal: `#expect(found == expected)`, said in one place. There are nearly three thousand of these, and expanding
/// each in place takes the compiler twenty times as long as a call, a quarter of the time that it takes to build the tests.
func expectEqual<Value: Equatable>(
    _ found: Value, _ expected: Value, _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(found == expected, comment(), sourceLocation: sourceLocation)
}
