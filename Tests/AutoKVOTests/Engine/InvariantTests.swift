#if DEBUG
    import AutoKVOTestSupport
    import Testing

    @testable import AutoKVO

    /// Each test breaks what a list, or the open changes of a thread, say of themselves: a check that cannot fail would find nothing.
    struct InvariantTests {
        @Test("a list whose observations, links and derived keys are what it says passes") func valid() throws {
            let person = Person()
            try person.observe("age", options: [.old, .new, .prior]) { _ in }
            try person.observe("fullName") { _ in }
            try person.observe("spouse.age", options: .new) { _ in }
            let record = try #require(person.record)
            record.lock.withLock {
                for slot in 0..<record.layout!.value.count { record.checkInvariants(of: slot) }
            }
        }

        @Test("an observation with a number beyond the last one") func numberTraps() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let fixture = ListFixture()
                let observations = [KeyValueObservation.unlinked(), .unlinked()]
                observations.forEach(fixture.append)
                fixture.list.checkInvariants()
                observations[1].sequence = 3
                fixture.list.checkInvariants()
            }
            expectEqual(missing("has a number that was not given", in: result), [])
        }

        @Test("an observation that is in the list and says that it is not") func membershipTraps() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let fixture = ListFixture()
                let observation = KeyValueObservation.unlinked()
                fixture.append(observation)
                fixture.list.checkInvariants()
                observation.membership = .out
                fixture.list.checkInvariants()
            }
            expectEqual(missing("is in a list and says that it is not", in: result), [])
        }

        @Test("an observation that has left, and that nothing pins") func leavingTraps() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let fixture = ListFixture()
                let observation = KeyValueObservation.unlinked()
                fixture.append(observation)
                observation.pinWord += 1
                _ = fixture.remove(observation)
                fixture.list.checkInvariants()
                observation.pinWord -= 1
                fixture.list.checkInvariants()
            }
            expectEqual(missing("is in a list and says that it is not", in: result), [])
        }

        @Test("a link that says that it is in no list") func linkTraps() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let fixture = ListFixture()
                let node = EngineNode()
                let link = PathLink(try node.route("next.value"), level: 0)
                fixture.append(link)
                fixture.list.checkInvariants()
                link.isLinked = false
                fixture.list.checkInvariants()
            }
            expectEqual(missing("A link is in a list", in: result), [])
        }

        @Test("a count of derived keys' observers that nobody is behind") func derivedTraps() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let fixture = ListFixture()
                fixture.list.checkInvariants()
                fixture.list.derivedInterestDidChange(by: 1, isAhead: false, isInner: false)
                fixture.list.checkInvariants()
            }
            expectEqual(missing("miscounts what is in it", in: result), [])
        }

        private final class Cell: TrackedObject {
            var plain = 0
            @Observed var n = 0
            @Derived({ (cell: Cell) in cell.n + cell.plain }) var sum: Int
            @Derived({ (cell: Cell) in cell.sum + 1 }) var more: Int

            static func observed() throws -> (Cell, ObjectRecord) {
                let cell = Cell()
                cell.$more.observe { _ in }
                cell.n = 1
                return (cell, try #require(cell.record))
            }

            var sumExpression: Expression {
                let all = (0..<record!.layout!.value.count).compactMap { record!.expression($0) }
                return all.first { $0.sources.contains { !$0.record.layout!.value[$0.slot].isRecorded } }!
            }
        }

        @Test("expressions that are what they say pass, also marked ones") func validExpressions() throws {
            let (cell, record) = try Cell.observed()
            record.checkExpressions()
            coalescingChanges {
                cell.n = 2
                record.checkExpressions()
            }
            record.checkExpressions()
        }

        @Test("a clean expression of something marked") func markTraps() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let (cell, record) = try Cell.observed()
                record.checkExpressions()
                cell.sumExpression.mark(isCertain: true)
                record.checkExpressions()
            }
            expectEqual(missing("is clean, and what it reads is not", in: result), [])
        }

        @Test("a clean expression whose function returns another value") func valueTraps() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let (cell, record) = try Cell.observed()
                record.checkExpressions()
                cell.plain = 5
                record.checkExpressions()
            }
            expectEqual(missing("a value that its function does not return", in: result), [])
        }

        @Test("a source whose link is in no list") func sourceTraps() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let (cell, record) = try Cell.observed()
                record.checkExpressions()
                cell.sumExpression.sources[0].cancel()
                record.checkExpressions()
            }
            expectEqual(missing("reads by a link that is in no list", in: result), [])
        }

        /// A person with an observer, and this thread, which has begun a change of the property.
        private static func withOpenChange() throws -> (Person, InPlace<ThreadContext>) {
            let person = Person()
            try person.observe("age") { _ in }
            person.willChangeValue(forKey: "age")
            return (person, ThreadContext.current)
        }

        @Test("a list that says that a change needs nothing") func interestTraps() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let fixture = ListFixture()
                fixture.append(KeyValueObservation.unlinked())
                fixture.list.checkInvariants()
                fixture.list.interest.store([], ordering: .relaxed)
                fixture.list.checkInvariants()
            }
            expectEqual(missing("needs something else than it does", in: result), [])
        }

        @Test("expressions that wait, miscounted") func waitingTraps() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let (person, thread) = try Self.withOpenChange()
                defer { withExtendedLifetime(person) {} }
                thread.value.checkInvariants()
                thread.value.waitingCount += 1
                thread.value.checkInvariants()
            }
            expectEqual(missing("does not count all expressions that wait", in: result), [])
        }

        @Test("a subject that an open change has twice") func twiceTraps() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let (person, thread) = try Self.withOpenChange()
                defer { withExtendedLifetime(person) {} }
                thread.value.checkInvariants()
                thread.value.openTransactions.first!.use { $0.subjects.append($0.subjects[0]) }
                thread.value.checkInvariants()
            }
            expectEqual(missing("has one subject twice", in: result), [])
        }

        @Test("a subject that counts fewer changes than wait for it") func countTraps() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let (person, thread) = try Self.withOpenChange()
                defer { withExtendedLifetime(person) {} }
                thread.value.checkInvariants()
                thread.value.openTransactions.first!.use { $0.subjects.first?.use { $0.openCount = 0 } }
                thread.value.checkInvariants()
            }
            expectEqual(missing("does not count all changes", in: result), [])
        }
    }
#endif
