import Foundation

/// What AutoKVO must reach, and against whom, all in one sweep.
struct Bar: Sendable {
    var name: String
    /// In words: at most so many times whom.
    var rule: String
    /// The figure that is judged, and what it was made of; nil when a part of it was not measured.
    var figure: @Sendable (Results) -> (ratio: Double, made: String)?
    /// Whether that figure is good enough.
    var holds: @Sendable (Double) -> Bool

    struct Judged {
        var name: String
        var rule: String
        var ratio: Double?
        var made: String
        var verdict: String
    }

    func judged(_ results: Results) -> Judged {
        guard let (ratio, made) = figure(results) else {
            return Judged(name: name, rule: rule, ratio: nil, made: "", verdict: "not measured")
        }
        return Judged(name: name, rule: rule, ratio: ratio, made: made, verdict: holds(ratio) ? "held" : "missed")
    }
}

extension Bar {
    static let observer = "AutoKVO"
    private static let closure = "AutoKVO, closure only"
    private static let qt = "Qt 6 signal"
    private static let sigc = "sigc++ trackable"

    // Since the engine of one mechanism, time is given for simplicity: a set with one observer up to 1.7 times Qt's (1.5 before), a path's
    // leaf and a dependent key 3.5 times a set (1.5 and 1.3), and so on. What must not be given is said in blocks and instructions
    // (`thresholds.json`).
    static let all: [Bar] =
        [
            atMost(1.4, "W1", of: observer, times: Systems.floor, called: "a plain store"),
            atMost(1.15, "read N=1000", of: observer, times: Systems.floor, called: "a plain read"),
            atMost(1.15, "read N=100000", of: observer, times: Systems.floor, called: "a plain read"),
            more(1.5, "read-recording", unit: "ns", than: "a plain read"),
            atMost(1.7, "W2", of: observer, times: qt, called: "Qt's direct slot"),
            fasterThanSwift(4, "W2"),
            atMost(1.2, "W2", of: closure, times: Systems.floor, called: "the plain closure loop"),
            atMost(1.7, "W3", of: observer, times: qt, called: "Qt"),
            atMost(2.5, "W3", of: closure, times: sigc, called: "sigc++"),
            atMost(2, "W4", of: observer, times: qt, called: "Qt"),
            fasterThanSwift(8, "W4"),
            atMost(2, "W4b", of: observer, times: qt, called: "Qt"),
            atMost(2, "W5", of: observer, times: qt, called: "Qt"),
            atMost(1, "W6 N=100000", of: observer, times: qt, called: "Qt"),
            own(2, "W6 N=1000000", against: "W6 N=100", rule: "at most 2 × N=100"),
            plain(160, "W7", unit: "bytes", rule: "at most 160 bytes"),
            plain(320, "W7t", unit: "bytes", rule: "at most 320 bytes, what sigc++ takes"),
            more(8, "object-size", unit: "bytes", than: "a plain object"),
            more(8, "object-size-4", unit: "bytes", than: "a plain object"),
            threads,
            own(3.5, "path-leaf", against: "W2", rule: "at most 3.5 × W2"),
            own(16, "path-head", against: "W2", rule: "at most 16 × W2"),
            own(3.5, "dependent", against: "W2", rule: "at most 3.5 × W2"),
            own(3.5, "dependent-old", against: "W2", rule: "at most 3.5 × W2"),
            atMost(4, "append", of: observer, times: Systems.floor, called: "a plain append"),
            atMost(2, "objects-build N=1000000", of: observer, times: qt, called: "Qt's"),
            atMost(2, "objects-teardown N=1000000", of: observer, times: qt, called: "Qt's"),
            atMost(0.9, "objects-bytes N=1000000", of: observer, times: qt, called: "Qt's"),
        ]
        + ["objects", "fanout", "fanin"].flatMap { shape in
            ["build", "notify", "teardown", "bytes"].map { flat("\(shape)-\($0)") }
        }

    static func atMost(
        _ limit: Double, _ workload: String, of system: String, times peer: String, called: String
    ) -> Bar {
        Bar(
            name: name(workload, system),
            rule: limit == 1 ? "at most \(called)" : "at most \(limit.short) × \(called)",
            figure: { results in
                guard let mine = results.figure(system, workload), let theirs = results.figure(peer, workload) else {
                    return nil
                }
                return (mine / theirs, "\(mine.short) / \(theirs.short)")
            },
            holds: { $0 <= limit })
    }

    /// A workload, with the wording that is judged where it is not the first.
    private static func name(_ workload: String, _ system: String) -> String {
        workload + system.dropFirst(observer.count)
    }

    private static func fasterThanSwift(_ limit: Double, _ workload: String) -> Bar {
        Bar(
            name: workload, rule: "at least \(limit.short) × faster than any Swift system",
            figure: { results in
                guard let mine = results.figure(observer, workload) else { return nil }
                let theirs = Systems.swift.compactMap { system in
                    results.figure(system, workload).map { (system, $0) }
                }
                guard let fastest = theirs.min(by: { $0.1 < $1.1 }) else { return nil }
                return (fastest.1 / mine, "\(fastest.0) \(fastest.1.short) / \(mine.short)")
            },
            holds: { $0 >= limit })
    }

    private static let threads = Bar(
        name: "W8", rule: "at least 0.95 × what the floor reaches",
        figure: { results in
            guard let mine = results.figure(observer, "W8"), let theirs = results.figure(Systems.floor, "W8") else {
                return nil
            }
            return (mine / theirs, "\(mine.short) / \(theirs.short)")
        },
        holds: { $0 >= 0.95 })

    static func own(
        _ limit: Double, _ workload: String, of system: String = observer, against other: String, rule: String
    ) -> Bar {
        Bar(
            name: name(workload, system), rule: rule,
            figure: { results in
                guard let mine = results.figure(system, workload), let base = results.figure(observer, other) else {
                    return nil
                }
                return (mine / base, "\(mine.short) / \(base.short)")
            },
            holds: { $0 <= limit })
    }

    static func plain(_ limit: Double, _ workload: String, unit: String, rule: String) -> Bar {
        Bar(
            name: workload, rule: rule,
            figure: { results in
                results.figure(observer, workload).map { ($0 / limit, "\($0.short) / \(limit.short) \(unit)") }
            },
            holds: { $0 <= 1 })
    }

    private static func more(_ limit: Double, _ workload: String, unit: String, than plain: String) -> Bar {
        Bar(
            name: workload, rule: "at most \(limit.short) \(unit) more than \(plain)",
            figure: { results in
                guard let mine = results.figure(observer, workload),
                    let theirs = results.figure(Systems.floor, workload)
                else {
                    return nil
                }
                return ((mine - theirs) / limit, "(\(mine.short) − \(theirs.short)) \(unit) / \(limit.short)")
            },
            holds: { $0 <= 1 })
    }

    /// The dearest size against a thousand.
    private static func flat(_ workload: String) -> Bar {
        Bar(
            name: workload, rule: "flat within 2 × from 1e3 to 1e6",
            figure: { results in
                let sizes = [1000, 10_000, 100_000, 1_000_000]
                let values = sizes.compactMap { results.figure(observer, "\(workload) N=\($0)") }
                guard values.count == sizes.count, let most = values.max() else { return nil }
                return (most / values[0], "\(most.short) / \(values[0].short)")
            },
            holds: { $0 <= 2 })
    }
}

extension Double {
    /// Three digits that count, or the whole part where that has more.
    var short: String {
        if self == 0 { return "0" }
        let digits = Swift.max(0, 2 - Int(floor(log10(abs(self)))))
        let text = String(format: "%.\(digits)f", self)
        guard text.contains(".") else { return text }
        return text.replacing(/\.?0+$/, with: "")
    }
}
