import AutoKVO
import AutoKVOTestSupport

/// Four bytes are one step of the model test's world: public calls on observed objects, checked against the reference.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCalls(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let steps = stride(from: 0, to: count - count % 4, by: 4).map {
        ModelStep(bytes[$0], bytes[$0 + 1], bytes[$0 + 2], bytes[$0 + 3])
    }
    let world = ModelWorld()
    for step in steps {
        if let problem = world.perform(step) { fatalError("\(problem)\n\(steps)") }
    }
    if let problem = world.finish() { fatalError("\(problem)\n\(steps)") }
    return 0
}
