/// Stops the program because of a mistake in its code, with a sentence that says which. Unlike a failed precondition it
/// prints the sentence in a release build, too.
@usableFromInline
func fatalMisuse(_ sentence: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line) -> Never {
    fatalError(sentence(), file: file, line: line)
}

/// Stops the program with a sentence unless a condition is true for which the caller is responsible.
@usableFromInline func requireUsage(
    _ condition: @autoclosure () -> Bool, _ sentence: @autoclosure () -> String, file: StaticString = #fileID,
    line: UInt = #line
) {
    if !condition() { fatalMisuse(sentence(), file: file, line: line) }
}
