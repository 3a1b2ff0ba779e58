import Testing

/// The parts that are not in what an exit test's process wrote to standard error.
func missing(_ parts: String..., in result: ExitTest.Result?) -> [String] {
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    return parts.filter { !text.contains($0) }
}
