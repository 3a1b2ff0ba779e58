// OpenCombine 0.14 has no `combineLatest`: its RemainingCombineInterface.swift has it among what is to be done. This is the least that
// does its work: every demand is taken for an unlimited one, there is no lock and no completion. A real one costs more.

import OpenCombine

struct Latest<First: Publisher, Second: Publisher>: Publisher where First.Failure == Never, Second.Failure == Never {
    typealias Output = (First.Output, Second.Output)
    typealias Failure = Never

    let first: First
    let second: Second

    func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Never {
        let inner = Inner(subscriber)
        subscriber.receive(subscription: inner)
        inner.start(first, second)
    }

    private final class Inner<Downstream: Subscriber>: Subscription
    where Downstream.Input == Output, Downstream.Failure == Never {
        private let downstream: Downstream
        private var values: (first: First.Output?, second: Second.Output?)
        private var held: [AnyCancellable] = []

        init(_ downstream: Downstream) { self.downstream = downstream }

        func start(_ first: First, _ second: Second) {
            held.append(
                first.sink { [unowned(unsafe) self] in
                    values.first = $0
                    send()
                })
            held.append(
                second.sink { [unowned(unsafe) self] in
                    values.second = $0
                    send()
                })
        }

        private func send() {
            if let first = values.first, let second = values.second { _ = downstream.receive((first, second)) }
        }

        func request(_ demand: Subscribers.Demand) {}
        func cancel() { held = [] }
    }
}

extension Publisher where Failure == Never {
    func combineLatest<Other: Publisher>(_ other: Other) -> Latest<Self, Other> where Other.Failure == Never {
        Latest(first: self, second: other)
    }
}
