/// Why the system's figures could not be read: which file, and what is wrong with it.
struct SampleError: Error, Equatable, CustomStringConvertible {
    let file: String
    let problem: String

    var description: String { "\(file): \(problem)" }
}
