/// What `/proc/net/dev` counts for each interface, in the file's order.
struct ProcNetDev: Equatable {
    struct Counters: Equatable {
        var name: String
        var received: UInt64
        var sent: UInt64
    }

    var interfaces: [Counters] = []

    /// The two lines of headings have bars in them and no colon.
    init(parsing text: String) throws(SampleError) {
        for line in text.split(whereSeparator: \.isNewline) where !line.contains("|") {
            // A name may contain a colon itself (an alias, "eth0:1"), and the first figure may touch it ("eth0:1296").
            guard let colon = line.lastIndex(of: ":") else { continue }
            let name = line[..<colon].drop(while: { $0 == " " })
            let figures = line[line.index(after: colon)...].split(separator: " ", omittingEmptySubsequences: true)
            guard !name.isEmpty, figures.count >= 9, let received = UInt64(figures[0]), let sent = UInt64(figures[8])
            else {
                throw SampleError(file: "net/dev", problem: "not a line of counters: \"\(line.prefix(60))\"")
            }
            interfaces.append(Counters(name: String(name), received: received, sent: sent))
        }
    }
}
