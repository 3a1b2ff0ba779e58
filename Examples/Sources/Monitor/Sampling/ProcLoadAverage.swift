/// What `/proc/loadavg` says: `0.20 0.18 0.12 1/80 11206`.
struct ProcLoadAverage: Equatable {
    var one: Double
    var five: Double
    var fifteen: Double
    var processes: Int

    init(parsing text: String) throws(SampleError) {
        let words = text.split(whereSeparator: \.isWhitespace)
        let averages = words.prefix(3).compactMap { Double($0) }.filter { $0.isFinite && $0 >= 0 }
        let entities = words.count > 3 ? words[3].split(separator: "/") : []
        guard averages.count == 3, entities.count == 2, let processes = Int(entities[1]) else {
            throw SampleError(file: "loadavg", problem: "not three averages and a count: \"\(text.prefix(60))\"")
        }
        (one, five, fifteen) = (averages[0], averages[1], averages[2])
        self.processes = processes
    }
}
