#if DEBUG
    import AutoKVOTestSupport
    import Testing

    @testable import AutoKVO

    /// Two sources, of which a value is computed. Used by one thread at a time, which the test points see to.
    private final class Sum: TrackedObject, @unchecked Sendable {
        let first = RaceSource()
        let second = RaceSource()
        @Derived({ (sum: Sum) in sum.first.value + sum.second.value }) var value: Int
    }

    /// Each of the points at which two threads meet in one evaluation, and what each does there. The action runs on the thread that evaluates,
    /// which waits until the other one is done.
    struct EvaluationRaceTests {
        private let sum = Sum()
        private let calls = Recorder<Int>()

        private func observe() {
            sum.$value.observe(options: [.old, .new], calls.handler())
        }

        /// Every new value is the last old one, and the last one is right.
        private func expectRight(_ sourceLocation: SourceLocation = #_sourceLocation) {
            let (olds, news) = (calls.entries.map(\.old), calls.entries.map(\.new))
            expectEqual(sum.value, sum.first.value + sum.second.value, sourceLocation: sourceLocation)
            expectEqual(news.last, sum.value, sourceLocation: sourceLocation)
            #expect(zip(olds, news).allSatisfy { $0 != $1 }, sourceLocation: sourceLocation)
        }

        /// Before the function is called, the mark is cleared and nothing read; another thread stores, marks again and evaluates: it takes over.
        /// When it has returned, 1 is computed and not kept; another thread does the same: the version says that a newer one is over.
        @Test("a source changes meanwhile", arguments: [TestPoint.evaluating, .evaluated]) func changed(
            point: TestPoint
        ) {
            observe()
            point.whenReached { [sum] in onAnotherThread { sum.second.value = 10 } }
            sum.first.value = 1
            expectEqual(sum.value, 11)
            expectEqual(calls.entries.map { [$0.old, $0.new] }, [[0, 11]])
            expectRight()
        }

        private final class Holder: TrackedObject, @unchecked Sendable {
            @Observed var source = RaceSource()
            @Derived({ (holder: Holder) in holder.source.value }) var value: Int

            override class var schema: Schema {
                Schema(Holder.self, extending: super.schema) { Key("source", \.source) }
            }
        }

        ///     moves a path, and computes a value
        ///                                        changes what is at the path's new end: tells its observers
        ///     tells them of the move
        @Test("a path that is moved is changed at its new end while a value is computed", arguments: [false, true])
        func movedPath(isDistinct: Bool) throws {
            let (holder, new) = (Holder(), RaceSource())
            (holder.source.value, new.value) = (1, 5)
            let told = Recorder<Int>()
            try holder.observe(
                "source.value", as: Int.self, options: isDistinct ? [.old, .new, .distinct] : [.old, .new],
                told.handler())
            holder.$value.observe { _ in }
            TestPoint.evaluating.whenReached { onAnotherThread { new.value = 7 } }
            holder.source = new
            expectEqual(told.entries.map { [$0.old, $0.new] }, isDistinct ? [[5, 7]] : [[5, 7], [7, 7]])
        }

        /// Another thread only reads meanwhile, and is over before this one: what it has kept is newer.
        @Test("the value is read by another thread at both points", arguments: [TestPoint.evaluating, .evaluated])
        func read(point: TestPoint) {
            observe()
            var seen = -1
            point.whenReached { [sum] in onAnotherThread { seen = sum.value } }
            sum.first.value = 4
            expectEqual(seen, 4)
            expectEqual(calls.entries.map(\.new), [4])
            expectRight()
        }

        /// Threads that only read take the evaluation over, and have read nothing yet when this thread has told its change and makes others: these
        /// find the sources of its own evaluation, and its value is their old one.
        @Test("threads that read have taken over, and have not begun to read", arguments: [1, 2])
        func takenOver(readers: Int) {
            observe()
            let door = Door()
            var threads: [Thread] = []
            func takeOver() {
                let hasBegun = Door()
                threads.append(
                    Thread { [sum] in
                        TestPoint.evaluating.whenReached {
                            hasBegun.open()
                            door.wait()
                        }
                        _ = sum.value
                    })
                hasBegun.wait()
                if threads.count < readers { TestPoint.evaluating.whenReached(takeOver) }
            }
            TestPoint.evaluating.whenReached(takeOver)
            for value in [1, 2, 1] { sum.first.value = value }
            expectEqual(calls.entries.map { [$0.old, $0.new] }, [[0, 1], [1, 2], [2, 1]])
            door.open()
            for thread in threads { thread.join() }
            sum.first.value = 0
            expectEqual(calls.entries.last?.old, 1)
            expectRight()
        }

        /// While it has, what the last evaluation read is gone; a change still has the name of its key.
        @Test("a change has its key's name while another thread evaluates the closure", arguments: [1, 2])
        func nameOfTheKey(evaluations: Int) {
            let left = Door()
            var names: [String] = []
            var threads: [Thread] = []
            let source = sum.first
            source.observe(reading: { $0.value }) { source, change in
                guard names.isEmpty else { return }
                names.append(change.keyPath)
                for number in 0..<evaluations {
                    let evaluating = Door()
                    threads.append(
                        Thread {
                            TestPoint.evaluating.whenReached {
                                evaluating.open()
                                left.wait()
                            }
                            source.value = 2 + number
                        })
                    evaluating.wait()
                }
                names.append(change.keyPath)
                left.open()
            }
            source.value = 1
            for thread in threads { thread.join() }
            expectEqual(names, ["value", "value"])
        }

        /// A thread that reads has looked at all sources, and is about to take the mark away:
        ///
        ///     reads                                    sets the source again
        ///                                              marks
        ///     looks at the mark, takes it away?
        ///                                              looks at the mark, and reads the value for observers
        @Test("what was looked at changes again before the mark is taken away") func markedAgain() {
            let chain = Chain()
            let (hasMarked, door) = (Door(), Door())
            chain.$next.observe(options: [.old, .new], calls.handler())
            var thread: Thread?
            var count = 0
            func look() {
                count += 1
                if count < 3 { return TestPoint.checking.whenReached(look) }
                thread = Thread { [chain] in
                    TestPoint.checking.whenReached {
                        hasMarked.open()
                        door.wait()
                    }
                    chain.source.value = 2
                    hasMarked.open()
                }
                hasMarked.wait()
            }
            coalescingChanges {
                chain.source.value = 1
                onAnotherThread { [chain] in
                    TestPoint.checking.whenReached(look)
                    _ = chain.next
                }
                door.open()
                thread?.join()
            }
            expectEqual(count, 3)
            expectEqual(calls.entries.map { [$0.old, $0.new] }, [[1, 2]])
            expectEqual(chain.next, 2)
        }

        /// A new source has its link, and has not been read: a store on another thread finds the link.
        @Test("a new source changes between its link and its read") func linked() {
            let switching = Switching()
            let observation = switching.$value.observe(options: [.old, .new], calls.handler())
            TestPoint.linked.whenReached { [switching] in onAnotherThread { switching.second.value = 7 } }
            switching.usesSecond = true
            expectEqual(switching.value, 7)
            expectEqual(calls.entries.last?.new, 7)
            observation.remove()
        }

        /// The observation ends, and with it the need of the value, while it is computed.
        @Test("the last observer goes while the value is computed", arguments: [TestPoint.evaluating, .evaluated])
        func ended(point: TestPoint) {
            let observation = sum.$value.observe(options: [.old, .new], calls.handler())
            point.whenReached { onAnotherThread { observation.remove() } }
            sum.first.value = 2
            expectEqual(calls.count, 0)
            #expect(sum.value == 2 && sum.first.observations().isEmpty)
        }
    }

    /// A value that is computed from a computed one. Used as the one above.
    private final class Chain: TrackedObject, @unchecked Sendable {
        let source = RaceSource()
        @Derived({ (chain: Chain) in chain.source.value / 2 }) var half: Int
        @Derived({ (chain: Chain) in chain.half + 1 }) var next: Int
    }

    /// Reads one source or the other. Used as the one above.
    private final class Switching: TrackedObject, @unchecked Sendable {
        let first = RaceSource()
        let second = RaceSource()
        @Observed var usesSecond = false
        @Derived({ (object: Switching) in object.usesSecond ? object.second.value : object.first.value }) var value: Int
    }
#endif
