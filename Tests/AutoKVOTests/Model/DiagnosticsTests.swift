import AutoKVO
import AutoKVOTestSupport
import Testing

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Messages.
struct DiagnosticsTests {
    /// More than overflowed the stack when each message wrapped the handler twice more.
    private static var many: Int {
        #if DEBUG
            300_000
        #else
            1_000_000
        #endif
    }

    /// The address sanitizer keeps locals elsewhere than on the stack, so their addresses do not say how deep it is. There the
    /// tests show that it does not overflow.
    private static var isDepthKnown: Bool {
        getenv("AUTOKVO_SANITIZER").map { String(cString: $0) } != "address"
    }

    /// How deep the stack is where the handler is called, for the first and for the last of many messages.
    private static func depths(of count: Int, after before: (() -> Void)? = nil) -> (
        first: UInt, last: UInt, count: Int
    ) {
        let person = Person()
        let depths = Guarded((first: UInt(0), last: UInt(0), count: 0))
        let handler: Diagnostics.Handler = { _ in
            var local = 0
            let depth = withUnsafeMutablePointer(to: &local) { UInt(bitPattern: $0) }
            depths.withLock {
                if $0.count == 0 { $0.first = depth }
                $0.last = depth
                $0.count += 1
            }
        }
        func report() { for _ in 0..<count { person.didChangeValue(forKey: "age") } }
        if let before {
            Diagnostics.handler = handler
            before()
            report()
        } else {
            Diagnostics.withHandler(handler, operation: report)
        }
        return depths.withLock { $0 }
    }

    /// The handler for all is one for the whole process.
    @Test("every message to the handler for all is called at the same depth, the last of many like the first")
    func handlerForAllTraps() async {
        await #expect(processExitsWith: .success) {
            let depths = Self.depths(of: Self.many) {
                // Reading it and setting it again changes nothing either.
                for _ in 0..<1000 { Diagnostics.handler = Diagnostics.handler }
            }
            expectEqual(depths.count, Self.many)
            #expect(depths.first == depths.last || !Self.isDepthKnown)
        }
    }

    @Test("every message to a task's handler is called at the same depth, the last of many like the first")
    func handlerOfATask() {
        let depths = Self.depths(of: Self.many / 100)
        expectEqual(depths.count, Self.many / 100)
        #expect(depths.first == depths.last || !Self.isDepthKnown)
    }

    @Test("a handler whose release reports something itself may be replaced") func replacedTraps() async {
        await #expect(processExitsWith: .success) {
            final class Loud: Sendable {
                deinit { Person().didChangeValue(forKey: "age") }
            }
            let log = MessageLog()
            do {
                let loud = Loud()
                Diagnostics.handler = { _ in withExtendedLifetime(loud) {} }
            }
            Diagnostics.handler = { log.add($0) }
            expectEqual(log.messages.count, 1)
        }
    }

    @Test("a message of the program's own goes to the handler that is in effect") func report() {
        let log = MessageLog()
        Diagnostics.withHandler({ log.add($0) }) { Diagnostics.report("one line") }
        expectEqual(log.messages, ["one line"])
    }

    @Test("the handler of an operation that waits is its own, and what it starts has it") func waiting() async throws {
        let log = MessageLog()
        let value = await Diagnostics.withHandler(log.add) {
            await Task.yield()
            Diagnostics.report("first")
            await Task { Diagnostics.report("second") }.value
            return 5
        }
        expectEqual(value, 5)
        // One that does not wait is called as in any other function.
        Diagnostics.withHandler(log.add) { Diagnostics.report("third") }
        expectEqual(log.messages, ["first", "second", "third"])
        struct Fault: Error {}
        await #expect(throws: Fault.self) {
            try await Diagnostics.withHandler(log.add) {
                await Task.yield()
                throw Fault()
            }
        }
    }
}
