/// Text from outside as messages contain it: invisible characters are escaped, and the text is cut after 200 characters, so
/// that a message does not grow with its input and does nothing to the terminal that it is printed to.
func shown(_ text: String, isQuoted: Bool = false) -> String {
    var (result, count) = ("", 0)
    for scalar in text.unicodeScalars {
        let isMark = isQuoted && (scalar == "\"" || scalar == "\\")
        let piece = isMark || !isVisible(scalar) ? escaped(scalar) : String(scalar)
        count += piece.unicodeScalars.count
        if count > 200 { return result + "…" }
        result += piece
    }
    return result
}

/// The same between quotation marks.
@usableFromInline func quoted(_ text: String) -> String { "\"\(shown(text, isQuoted: true))\"" }

/// The first eight of a list, and how many more there are.
func listed(_ items: [String]) -> String {
    items.prefix(8).joined(separator: ", ") + (items.count > 8 ? " and \(items.count - 8) more" : "")
}

private func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: true
    }
}

private func escaped(_ scalar: Unicode.Scalar) -> String {
    scalar.isASCII ? scalar.escaped(asASCII: true) : "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
}
