extension String {
    /// The text without control characters. Names and notes come from a file and may hold anything: a line break would
    /// spoil the block that is redrawn, an escape sequence the whole terminal.
    var printable: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
    }
}
