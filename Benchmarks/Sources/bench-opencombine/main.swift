// OpenCombine, by its two usual forms: a @Published property and a CurrentValueSubject, each with `sink`.

import BenchKit
import OpenCombine

final class Sink {
    var calls = 0
    var held: [AnyCancellable] = []
}

final class PublishedModel: ObservableObject {
    @Published var value = 0
}

final class SubjectModel {
    let value = CurrentValueSubject<Int, Never>(0)
}

enum PublishedProperty: Peer {
    static let system = "OpenCombine @Published"
    static let workloads = Workload.ofOneThread
    static func largest(_: Workload) -> Int { 100_000 }
    static let callsOnAdd = 1
    static func makeTarget() -> PublishedModel { PublishedModel() }
    static func makeObserver() -> Sink { Sink() }
    static func calls(_ observer: Sink) -> Int { observer.calls }
    @inline(never) static func set(_ target: PublishedModel, _ value: Int) { target.value = value }
    static func add(_ observer: Sink, to target: PublishedModel) -> AnyCancellable? {
        target.$value.sink { _ in observer.calls &+= 1 }
    }
    static func remove(_ token: inout AnyCancellable?) {
        token?.cancel()
        token = nil
    }
    static func makeLife(on targets: [PublishedModel]) -> Sink {
        let life = Sink()
        for target in targets { life.held.append(target.$value.sink { [weak life] _ in life?.calls += 1 }) }
        return life
    }
}

enum Subject: Peer {
    static let system = "OpenCombine CurrentValueSubject"
    static let workloads = Workload.allCases
    static func largest(_ workload: Workload) -> Int { workload == .removeMiddle ? 1_000_000 : 100_000 }
    static let callsOnAdd = 1
    static func makeTarget() -> SubjectModel { SubjectModel() }
    static func makeObserver() -> Sink { Sink() }
    static func calls(_ observer: Sink) -> Int { observer.calls }
    @inline(never) static func set(_ target: SubjectModel, _ value: Int) { target.value.send(value) }
    static func add(_ observer: Sink, to target: SubjectModel) -> AnyCancellable? {
        target.value.sink { _ in observer.calls &+= 1 }
    }
    static func remove(_ token: inout AnyCancellable?) {
        token?.cancel()
        token = nil
    }
    static func makeLife(on targets: [SubjectModel]) -> Sink {
        let life = Sink()
        for target in targets { life.held.append(target.value.sink { [weak life] _ in life?.calls += 1 }) }
        return life
    }
}

benchMain(cells(of: PublishedProperty.self) + cells(of: Subject.self) + graphs())
