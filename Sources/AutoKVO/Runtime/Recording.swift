public import CRecording

/// Whether this thread records what it reads: an expression is evaluated on it. One load and one branch where no thread records.
@export(implementation) @inline(__always)
var isRecording: Bool { crc_is_recording() }

/// Calls a function that takes the address of a property in order to note that it is read, or to make its handle. Nothing is written, but
/// Swift's access is a modification, which the thread sanitizer would report. So it ignores writes as long as the function runs.
@export(implementation) @inline(__always)
func addressing<Result>(_ body: () -> Result) -> Result {
    if crc_ignores_writes() { beginAddressing() }
    defer { if crc_ignores_writes() { endAddressing() } }
    return body()
}

@usableFromInline @inline(never) @_effects(releasenone) func beginAddressing() { crc_begin_addressing() }
@usableFromInline @inline(never) @_effects(releasenone) func endAddressing() { crc_end_addressing() }

/// What this thread records into: a value on the stack of the evaluation.
enum Recording {
    @inline(__always)
    static func current<Recorder: ~Copyable>(as type: Recorder.Type) -> InPlace<Recorder>? {
        crc_current().map { InPlace($0.assumingMemoryBound(to: type)) }
    }

    /// Records into a value as long as a function runs.
    @inline(__always)
    static func into<Recorder: ~Copyable, Result>(_ recorder: inout Recorder, _ body: () -> Result) -> Result {
        withUnsafeMutablePointer(to: &recorder) { recorder in
            severalTimes {
                let outer = crc_exchange(UnsafeMutableRawPointer(recorder))
                defer { _ = crc_exchange(outer) }
                return body()
            }
        }
    }

    /// Runs a function that records several times: what all threads read is written once then.
    @inline(__always)
    static func severalTimes<Result>(_ body: () -> Result) -> Result {
        crc_begin()
        defer { crc_end() }
        return body()
    }

    /// Records nothing as long as a function runs.
    @inline(__always)
    static func suspended<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let outer = suspend()
        defer { resume(outer) }
        return try body()
    }

    /// Records nothing until `resume`, which is given what this returns.
    @inline(__always)
    static func suspend() -> UInt { isRecording ? UInt(bitPattern: crc_exchange(nil)) : 0 }

    @inline(__always)
    static func resume(_ outer: UInt) { if outer != 0 { _ = crc_exchange(UnsafeMutableRawPointer(bitPattern: outer)) } }
}
