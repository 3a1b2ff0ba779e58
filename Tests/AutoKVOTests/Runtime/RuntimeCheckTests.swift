import AutoKVO
import AutoKVOTestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// What Swift does not promise.
struct RuntimeCheckTests {
    @Test("holds in this version of Swift", arguments: RuntimeAssumption.allCases)
    func holds(assumption: RuntimeAssumption) {
        #expect(assumption.probe())
    }

    @Test("is said in a sentence that names the version of Swift", arguments: RuntimeAssumption.allCases)
    func sentence(assumption: RuntimeAssumption) {
        #expect(assumption.sentence.hasPrefix("AutoKVO needs "))
        #expect(assumption.sentence.contains("Swift 6.3.1"))
    }

    #if DEBUG
        @Test(
            "stops the program at the first record if it does not hold and there is no fallback",
            arguments: RuntimeAssumption.allCases.filter { !$0.hasFallback })
        func stops(assumption: RuntimeAssumption) async {
            let name = "\(assumption)"
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                [name = name as String] in
                setenv("AUTOKVO_FAIL_PROBES", name, 1)
                // That of the fields is thrown: a class without its fields gets no record.
                do { try Person().observe("firstName") { _ in } } catch { fatalError("\(error)") }
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains(assumption.sentence))
        }
    #endif
}
