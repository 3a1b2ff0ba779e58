import CDeallocHook
import Testing

struct ThreadValues {
    /// What the value of a thread is here: it logs when it is released, and may set another one then.
    private final class Token {
        let name: String
        let log: Log
        let next: Token?

        init(_ name: String, _ log: Log, next: Token? = nil) {
            self.name = name
            self.log = log
            self.next = next
        }

        func set() -> Bool {
            cdh_set_thread_value(Unmanaged.passRetained(self).toOpaque()) { pointer in
                let token = Unmanaged<Token>.fromOpaque(pointer!).takeRetainedValue()
                token.log(cdh_thread_value() == nil ? "released \(token.name)" : "replaced \(token.name)")
                if let next = token.next { #expect(next.set()) }
            }
        }

        static var current: String? {
            cdh_thread_value().map { Unmanaged<Token>.fromOpaque($0).takeUnretainedValue().name }
        }
    }

    let log = Log()

    @Test func aThreadStartsWithoutAValue() {
        Thread { #expect(cdh_thread_value() == nil) }.join()
    }

    @Test func theValueIsReleasedAtTheEndOfItsThread() {
        Thread { [log] in
            #expect(Token("a", log).set())
            #expect(Token.current == "a")
            #expect(log.take() == [])
        }.join()
        #expect(log.take() == ["released a"])
    }

    @Test func eachThreadHasItsOwnValue() {
        let isSet = Gate()
        let mayEnd = Gate()
        let first = Thread { [log] in
            #expect(Token("a", log).set())
            isSet.open()
            mayEnd.wait()
            #expect(Token.current == "a")
        }
        isSet.wait()
        Thread { [log] in
            #expect(Token.current == nil)
            #expect(Token("b", log).set())
            #expect(Token.current == "b")
        }.join()
        #expect(log.take() == ["released b"])
        mayEnd.open()
        first.join()
        #expect(log.take() == ["released a"])
    }

    @Test func replacementReleasesTheOldValueAtOnce() {
        Thread { [log] in
            #expect(Token("a", log).set())
            #expect(Token("b", log).set())
            #expect(log.take() == ["replaced a"])
        }.join()
        #expect(log.take() == ["released b"])
    }

    @Test func nullRemovesTheValueSoThatNothingIsReleasedAtTheEnd() {
        Thread { [log] in
            #expect(Token("a", log).set())
            #expect(cdh_set_thread_value(nil, nil))
            #expect(log.take() == ["released a"])
            #expect(cdh_thread_value() == nil)
        }.join()
        #expect(log.take() == [])
    }

    @Test func aValueSetByTheReleaseOfAnotherAtTheEndIsReleasedToo() {
        Thread { [log] in #expect(Token("a", log, next: Token("b", log)).set()) }.join()
        #expect(log.take() == ["released a", "released b"])
    }

    @Test func aValueNeedsNoReleaseFunction() {
        Thread {
            #expect(cdh_set_thread_value(UnsafeMutableRawPointer(bitPattern: 1), nil))
            #expect(cdh_thread_value() == UnsafeMutableRawPointer(bitPattern: 1))
        }.join()
    }
}
