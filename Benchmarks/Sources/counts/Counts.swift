// Counts blocks of memory, their bytes and instructions for each operation, and compares them with thresholds.json.
//
//     counts SUBJECT THRESHOLDS
//
// Instructions come from valgrind's callgrind: copies of the subject run an operation N and 2 N times, and the difference is
// what N of them took. What the run needs besides falls out, except where it grows with N, as in `add-first`, which makes
// its objects too.

import Foundation

struct Threshold: Decodable {
    var allocations: Double?
    var bytes: Double?
    var instructions: Double?
}

struct Failure: Error, CustomStringConvertible {
    var description: String
}

func run(_ command: [String]) throws -> (output: String, errors: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    // With a seed of its own in each process, dictionaries of the same keys take different numbers of steps.
    process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
        throw Failure(description: "\(command.joined(separator: " ")): \(complaint)")
    }
    return (text, complaint)
}

/// What each of these operations took, that often: what the second copy of the process took more than the first.
func instructions(_ subject: String, _ counts: [(name: String, count: Int)]) throws -> [String: Double] {
    let (output, errors) = try run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", subject, "run"]
            + counts.flatMap { [$0.name, String($0.count)] })
    // `==PROCESS== Collected : TOTAL`, a line for each process.
    var totals: [Substring: Double] = [:]
    for line in errors.split(separator: "\n") where line.contains("Collected :") {
        totals[line.dropFirst(2).prefix { $0.isNumber }] = line.split(separator: " ").last.flatMap { Double($0) }
    }
    var took: [String: Double] = [:]
    for line in output.split(separator: "\n") {
        let parts = line.split(separator: " ")
        guard parts.count == 3, let once = totals[parts[1]], let twice = totals[parts[2]] else {
            throw Failure(description: "callgrind said no total for \(line): \(errors)")
        }
        took[String(parts[0])] = twice - once
    }
    return took
}

func pairs(_ text: String) -> [(name: String, value: Double)] {
    text.split(separator: "\n").compactMap { line in
        let parts = line.split(separator: " ")
        return parts.count == 2 ? Double(parts[1]).map { (String(parts[0]), $0) } : nil
    }
}

@main
enum Counts {
    static func main() {
        do {
            try exit(count() ? 0 : 1)
        } catch {
            print("\(error)")
            exit(2)
        }
    }

    /// Counts, compares, prints, and returns whether everything stayed within its thresholds.
    private static func count() throws -> Bool {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { throw Failure(description: "usage: counts SUBJECT THRESHOLDS") }
        let subject = arguments[1]
        let thresholds = try JSONDecoder().decode(
            [String: Threshold].self, from: Data(contentsOf: URL(fileURLWithPath: arguments[2])))
        let operations = try run([subject, "list"]).output.split(separator: "\n").map { line in
            let parts = line.split(separator: " ")
            guard parts.count == 3, let per = Double(parts[1]), let most = Int(parts[2]) else {
                throw Failure(description: "\(subject) list: \(line)")
            }
            let count = min(max(8, Int(4000 / per)), most / 2)
            return (name: String(parts[0]), count: count, turns: Double(count) * per)
        }
        let allocations = try Dictionary(uniqueKeysWithValues: pairs(run([subject, "allocations"]).output))
        let bytes = try Dictionary(uniqueKeysWithValues: pairs(run([subject, "bytes"]).output))
        let instructions = try instructions(subject, operations.map { ($0.name, $0.count) })

        var over: [String] = []
        for name in thresholds.keys.sorted() where !operations.contains(where: { $0.name == name }) {
            over.append("\(name): in the thresholds, and no such operation")
        }
        print("operation                  blocks   at most   bytes   at most   instructions   at most")
        for (name, _, turns) in operations {
            guard let all = instructions[name] else { throw Failure(description: "\(name): not counted") }
            let took = all / turns
            let blocks = allocations[name] ?? .nan
            let size = bytes[name] ?? .nan
            let limits = thresholds[name]
            print(
                name.padding(toLength: 24, withPad: " ", startingAt: 0), column(blocks, 8, "%.3f"),
                column(limits?.allocations, 9, "%.3f"), column(size, 7, "%.0f"), column(limits?.bytes, 9, "%.0f"),
                column(took, 14, "%.1f"),
                column(limits?.instructions, 9, "%.0f"))
            if let limit = limits?.allocations, !(blocks <= limit) {
                over.append("\(name): \(blocks) blocks, at most \(limit)")
            }
            if let limit = limits?.bytes, !(size <= limit) {
                over.append("\(name): \(size) bytes, at most \(limit)")
            }
            if let limit = limits?.instructions, !(took <= limit) {
                over.append("\(name): \(took) instructions, at most \(limit)")
            }
        }
        for line in over { print("over: \(line)") }
        return over.isEmpty
    }

    private static func column(_ value: Double?, _ width: Int, _ format: String) -> String {
        let text = value.map { String(format: format, $0) } ?? "-"
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
