import AutoKVO
import AutoKVOTestSupport
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#endif

#if DEBUG
    /// The main queue.
    struct MainQueueTests {
        @Test("that nobody runs it for a second is reported once") func nobody() async {
            await #expect(processExitsWith: .success) { @MainActor in
                let lines = Guarded<[String]>([])
                Diagnostics.handler = { line in lines.withLock { $0.append(line) } }
                let person = Person()
                person.$age.observe(on: .mainActor) { _ in }
                for age in 1...3 {
                    person.age = age
                    // The main thread is in another loop.
                    usleep(1_300_000)
                }
                let found = lines.withLock { $0 }
                guard found.count == 1, found[0].contains("MainActorChangeScheduler") else { exit(1) }
            }
        }

        @Test("nothing is reported where it runs") func somebody() async {
            await #expect(processExitsWith: .success) {
                let count = Atomic(0)
                Diagnostics.handler = { _ in count.add(1, ordering: .relaxed) }
                let person = Person()
                person.$age.observe(on: .mainActor) { _ in }
                person.age = 1
                try await Task.sleep(for: .milliseconds(1300))
                if count.load(ordering: .relaxed) != 0 { exit(1) }
            }
        }
    }
#endif
