/// The workloads that the first set does not look at.
struct SecondSet {
    var workload: String
    /// The size at which its bar is judged.
    var size: Int
    /// What its size counts.
    var growsWith: String
    var title: String

    static let all = [
        SecondSet("bind-hop", 100, "hops", "a hop of N bindings"),
        SecondSet("value-key", 20, "keys", "value(forKey:)"),
        SecondSet("set-key", 20, "keys", "setValue(_:forKey:)"),
        SecondSet("value-path", 3, "keys in it", "value(forKeyPath:)"),
        SecondSet("path-observe", 3, "keys in it", "observe a path and remove it"),
        SecondSet("observe-string", 1, "observations", "observe by string and remove"),
        SecondSet("observe-handle", 1, "observations", "$a.observe and remove"),
        SecondSet("observe-handle-path", 1, "observations", "observe(\\.$a) and remove"),
        SecondSet("observe-key-path", 1, "observations", "observe(\\.a) and remove"),
        SecondSet("coalesce", 10, "objects", "a set inside coalescingChanges"),
        SecondSet("queue", 100, "sets under way", "a set delivered on a queue"),
        SecondSet("actor", 100, "sets under way", "a set delivered on an actor"),
        SecondSet("stream", 100, "values under way", "a value read from a stream"),
        SecondSet("sum", 1000, "elements", "set an element of an observed @sum"),
        SecondSet("first-use", 20, "keys", "first use of a class"),
        SecondSet("first-use-implicit", 20, "keys", "the same without a schema"),
        SecondSet("first-use-process", 20, "keys", "the first class of the process"),
        SecondSet("shared-churn", 1, "observations", "two threads: set own, register on one object"),
        SecondSet("shared-churn-1", 1, "observations", "the same with one thread"),
        SecondSet("storm", 100, "observations", "two threads: register N on one object"),
        SecondSet("deliver-remove", 1, "observations", "deliver while another thread registers"),
        SecondSet("deliver-remove-other", 1, "observations", "that other thread's registrations"),
    ]

    /// Where two threads compete for one object.
    static let contended = ["shared-churn", "storm", "deliver-remove"]

    static func index(of workload: String) -> Int? { all.firstIndex { $0.workload == workload } }

    private init(_ workload: String, _ size: Int, _ growsWith: String, _ title: String) {
        self.workload = workload
        self.size = size
        self.growsWith = growsWith
        self.title = title
    }
}

extension Bar {
    /// What AutoKVO must reach in the second set. `W2`, `W4` are the first set's, with an observer.
    static let ofSecondSet: [Bar] = [
        own(4, "bind-hop N=100", against: "W2", rule: "at most 4 × W2"),
        own(4, "bind-hop N=100", of: "AutoKVO, typed", against: "W2", rule: "at most 4 × W2"),
        ofFloor(2, "value-key N=20", "value-key N=20", called: "a dictionary lookup"),
        ofFloor(2, "set-key N=20", "set-key N=20", called: "a dictionary store"),
        ofFloor(5, "value-path N=3", "value-key N=20", called: "a dictionary lookup"),
        own(12, "path-observe N=3", against: "W4", rule: "at most 12 × W4"),
        own(1.2, "observe-handle N=1", against: "observe-string N=1", rule: "at most 1.2 × by string"),
        own(1.2, "observe-handle-path N=1", against: "observe-string N=1", rule: "at most 1.2 × by string"),
        own(1.2, "observe-key-path N=1", against: "observe-string N=1", rule: "at most 1.2 × by string"),
        own(3, "coalesce N=10", against: "W2", rule: "at most 3 × W2"),
        ofFloor(2, "queue N=100", "queue N=100", called: "the bare async"),
        ofFloor(2, "actor N=100", "actor N=100", called: "the bare task"),
        ofFloor(1.5, "stream N=100", "stream N=100", called: "the bare yield"),
        ofFloor(4, "sum N=1000", "sum N=1000", called: "one pass over the elements"),
        plain(50_000, "first-use N=20", unit: "ns", rule: "at most 50 µs"),
        plain(50_000, "first-use-implicit N=20", unit: "ns", rule: "at most 50 µs"),
        besideLocks("shared-churn N=1"),
        besideLocks("storm N=100"),
        besideLocks("deliver-remove N=1"),
        besideLocks("deliver-remove-other N=1"),
    ]

    private static func ofFloor(_ limit: Double, _ workload: String, _ other: String, called: String) -> Bar {
        Bar(
            name: workload, rule: "at most \(limit.short) × \(called)",
            figure: { results in
                guard let mine = results.figure(observer, workload), let theirs = results.figure(Systems.floor, other)
                else { return nil }
                return (mine / theirs, "\(mine.short) / \(theirs.short)")
            },
            holds: { $0 <= limit })
    }

    /// No worse than the best of the peers that lock.
    private static func besideLocks(_ workload: String) -> Bar {
        Bar(
            name: workload, rule: "at most the best peer with locks",
            figure: { results in
                let peers = ["boost::signals2", "NotificationCenter"]
                    .compactMap { system in results.figure(system, workload).map { (system, $0) } }
                guard let mine = results.figure(observer, workload), let best = peers.min(by: { $0.1 < $1.1 }) else {
                    return nil
                }
                return (mine / best.1, "\(mine.short) / \(best.0) \(best.1.short)")
            },
            holds: { $0 <= 1 })
    }
}

extension Report {
    /// The second set: each workload at the size of its bar and how it grows, then its bars.
    func secondSet(heading: String) -> String {
        """
        \(heading) Nanoseconds for one, at the size of the bar, and how it grows

        \(secondTable())

        \(heading) Bars of the second set

        \(barTable(secondBars))

        """
    }

    private func secondTable() -> String {
        var rows: [[String]] = []
        for workload in SecondSet.all {
            let sizes = results.sizes(of: workload.workload)
            for system in results.systems {
                let here = results.row(system, "\(workload.workload) N=\(workload.size)")
                let growth = sizes.filter { $0 != workload.size }.compactMap { n in
                    results.figure(system, "\(workload.workload) N=\(n)").map { "\(n): \($0.short)" }
                }
                if here == nil, growth.isEmpty { continue }
                rows.append([
                    workload.workload, workload.title, system, "\(workload.size) \(workload.growsWith)",
                    here?.min.short ?? "-", here?.median.short ?? "-", growth.joined(separator: " · "),
                ])
            }
        }
        return markdownTable(["workload", "what", "system", "N", "minimum", "median", "at other N"], rows)
    }
}

extension Results {
    /// All sizes at which some system ran a workload.
    fileprivate func sizes(of workload: String) -> [Int] {
        Set(rows.filter { $0.workload.hasPrefix("\(workload) N=") }.map(\.n)).sorted()
    }
}
