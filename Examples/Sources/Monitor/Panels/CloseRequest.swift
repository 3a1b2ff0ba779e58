import ArgumentParser

/// `NAME@SAMPLE`: which panel is to be released, and after which sample.
struct CloseRequest: Equatable, ExpressibleByArgument {
    var name: String
    var sample: Int

    init?(argument: String) {
        // The last @: a panel may well be named after a key path with an operator.
        guard let at = argument.lastIndex(of: "@"), at > argument.startIndex,
            let sample = Int(argument[argument.index(after: at)...]), sample > 0
        else { return nil }
        name = String(argument[..<at])
        self.sample = sample
    }
}
