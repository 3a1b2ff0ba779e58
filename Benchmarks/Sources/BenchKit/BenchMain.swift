import CBenchSupport
import Glibc

/// The protocol every benchmark executable speaks, Swift or not:
///
///     bench-x list                                      one JSON line for every cell it can run
///     bench-x SYSTEM WORKLOAD N SAMPLES                 one JSON line for every thing measured
///
/// It exits with 3 when a handler did not run as often as it should have, and with 2 when asked for what it has not.
public func benchMain(_ cells: [Cell]) -> Never {
    let arguments = CommandLine.arguments
    if arguments.count == 2, arguments[1] == "list" {
        for cell in cells {
            print(#"{"system":"\#(cell.system)","workload":"\#(cell.workload)","n":\#(cell.n)}"#)
        }
        exit(0)
    }
    guard arguments.count == 5, let n = Int(arguments[3]), let samples = Int(arguments[4]), samples > 0,
        let cell = cells.first(where: {
            $0.system == arguments[1] && $0.workload == arguments[2] && $0.n == n
        })
    else {
        complain("usage: \(arguments[0]) list | SYSTEM WORKLOAD N SAMPLES")
        exit(2)
    }
    bench_start()
    for line in cell.run(samples) {
        let values = line.samples.map { String($0) }.joined(separator: ",")
        print(
            #"{"system":"\#(cell.system)","workload":"\#(line.workload)","n":\#(n),"unit":"\#(line.unit)","samples":[\#(values)]}"#
        )
    }
    exit(0)
}

/// Ends the process unless the handlers ran exactly as often as they should have.
public func check(_ what: @autoclosure () -> String, _ actual: Int, equals expected: Int) {
    guard actual != expected else { return }
    complain("\(what()): \(actual), expected \(expected)")
    exit(3)
}

private func complain(_ message: String) {
    var line = message + "\n"
    line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
