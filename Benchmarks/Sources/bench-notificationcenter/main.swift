// Foundation's NotificationCenter: a property that posts in `didSet`, and block observers filtered by object.

import BenchKit
import Foundation

final class Poster {
    var value = 0 {
        didSet { NotificationCenter.default.post(name: .valueDidChange, object: self) }
    }
}

extension Notification.Name {
    static let valueDidChange = Notification.Name("valueDidChange")
}

final class Listener: @unchecked Sendable {  // the block runs on the thread that posts
    var calls = 0
    var held: [any NSObjectProtocol] = []

    deinit {
        for token in held { NotificationCenter.default.removeObserver(token) }
    }
}

enum Posting: Peer {
    static let system = "NotificationCenter"
    static let workloads = Workload.allCases
    static func largest(_: Workload) -> Int { 100_000 }
    static func makeTarget() -> Poster { Poster() }
    static func makeObserver() -> Listener { Listener() }
    static func calls(_ observer: Listener) -> Int { observer.calls }
    @inline(never) static func set(_ target: Poster, _ value: Int) { target.value = value }
    static func add(_ observer: Listener, to target: Poster) -> any NSObjectProtocol {
        NotificationCenter.default.addObserver(forName: .valueDidChange, object: target, queue: nil) { _ in
            observer.calls &+= 1
        }
    }
    static func remove(_ token: inout any NSObjectProtocol) {
        NotificationCenter.default.removeObserver(token)
    }
    static func makeLife(on targets: [Poster]) -> Listener {
        let life = Listener()
        for target in targets {
            life.held.append(
                NotificationCenter.default.addObserver(forName: .valueDidChange, object: target, queue: nil) {
                    [weak life] _ in life?.calls += 1
                })
        }
        return life
    }
}

benchMain(cells(of: Posting.self))
