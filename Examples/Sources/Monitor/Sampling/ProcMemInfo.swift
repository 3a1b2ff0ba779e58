/// What `/proc/meminfo` says, in bytes.
struct ProcMemInfo: Equatable {
    var total: Int
    var available: Int
    var swapTotal: Int
    var swapFree: Int

    init(parsing text: String) throws(SampleError) {
        var bytes: [Substring: Int] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let words = line[line.index(after: colon)...].split(separator: " ", omittingEmptySubsequences: true)
            guard let number = words.first.flatMap({ Int($0) }), number >= 0 else { continue }
            let (product, overflow) = number.multipliedReportingOverflow(by: words.dropFirst().first == "kB" ? 1024 : 1)
            bytes[line[..<colon]] = overflow ? nil : product
        }
        guard let total = bytes["MemTotal"] else {
            throw SampleError(file: "meminfo", problem: "it has no line \"MemTotal\" with a number")
        }
        // MemAvailable came with Linux 3.14; what is free is the nearest thing before that.
        guard let available = bytes["MemAvailable"] ?? bytes["MemFree"] else {
            throw SampleError(file: "meminfo", problem: "it has neither \"MemAvailable\" nor \"MemFree\" with a number")
        }
        self.total = total
        self.available = min(available, total)
        swapTotal = bytes["SwapTotal"] ?? 0
        swapFree = min(bytes["SwapFree"] ?? 0, swapTotal)
    }
}
