internal import CSwiftRuntime

// The protocol of this folder: what is unsafe by itself, or depends on how Swift (6.3.1) lays things out, is here, in small types with one job
// each. The other folders call it; it names none of them, only the C targets.
//
// - **Owners.** `Borrowed` and `InPlace` keep nothing alive: whoever uses one knows who keeps the object. `PinnedObject` keeps the memory alone:
//   whoever uses one retains the object first (`object(as:)`), which fails if that is dead. A `ClosureCall` is released by its owner.
// - **Locks.** `ShortLock` is the lock of a record, of which a thread holds at most one; `Guarded` has a lock of its own. No user code runs under
//   either. `TypeTable`, `OnceReference` and the slots in `KeyPathSlots` are read without one.
// - **Assumptions.** Each is a case of `RuntimeAssumption`, and is probed once in a process. Behind `RuntimeCheck.run()` those without a fallback
//   hold, but for `fieldLayout`, without which no class gets a schema. A wrapper asks `holds` about its own one, and takes its fallback if not.
//
// **An example**: the first `person.observe("name") { … }` of the program.
//
//     ClosureCall.canCallDirectly   asks `holds(.closureCall)`. Unless something has asked before, all assumptions are probed now, and other
//                                   threads that ask wait
//     ClosureCall(of:)              the closure as two words. The observation owns it, and a delivery calls it without counting references
//     RuntimeCheck.run              before the record is made: an assumption that fails and has no fallback stops the program
//     PinnedObject                  the record pins the person, whose memory stays as long as the record
//     ShortLock.lock                of the record: the observation is put into the list. Debug builds assert that no other one is held

/// What AutoKVO needs of Swift and Swift does not promise. Each case says it in words. Its probe lies beside the wrapper that uses it.
package enum RuntimeAssumption: String, CaseIterable, Sendable {
    // With a fallback, which each comment names. scripts/lib/steps.sh reads the names of these from here.

    /// Fallback: an ordinary call.
    case closureCall = "a closure to be a function and a context that are called with references the caller keeps"
    /// Fallback: a cast.
    case anyReference = "an Any to begin with the reference or the few bytes that it holds, and to end with its type"
    /// Fallback: uses of a property through its handle are not checked against each other.
    case accessRecord = "the runtime to record an access to a property in three words"
    /// Fallback: a task that runs at once where it may.
    case currentExecutor = "the runtime to say whether a thread runs on an actor"
    /// Fallback: the strings are compared.
    case stringBits = "a String to be sixteen bytes"
    /// Fallback: a schema that says `Self` stops with Swift's own message; every inherited property counts as overridden.
    case classMetadata = "the metadata of a class to say its size and to list its methods"
    /// Fallback: a path of handles takes its names from the objects that are there.
    case blankObject = "an object to be made and freed without its init and deinit"

    // Without one.
    case pinnedMemory =
        "an unowned reference to keep an object's memory, and the runtime to say that the object is dead"
    case deinitOrder = "a base class's deinit to run before a property of a subclass is destroyed"
    case fieldLayout = "the standard library to report the names and the offsets of stored properties"
    case storageAddress =
        "the address of a stored property, taken through a key path, to lie in the object, that of the first one behind two words"
    case typeKind = "the metadata of a type to begin with its kind"
    case actorQueue = "a task that belongs to an actor to be in its queue as soon as it is made"

    package var hasFallback: Bool {
        ![.pinnedMemory, .deinitOrder, .fieldLayout, .storageAddress, .typeKind, .actorQueue].contains(self)
    }

    package var sentence: String { "AutoKVO needs \(rawValue), as in Swift 6.3.1. This version of Swift differs." }

    /// Whether the assumption holds, found out each time.
    @inline(never)
    package func probe() -> Bool {
        switch self {
        case .closureCall: ClosureCall.probe() && ObjectReader.probe()
        case .anyReference: ObjectReader.probeReference()
        case .accessRecord: ExclusiveAccess.probe()
        case .currentExecutor: InlineActor.probe() == [true, false]
        case .stringBits: StringBits.probe()
        case .classMetadata: ClassCopy.probe()
        case .blankObject: BlankObject.probe()
        case .pinnedMemory: PinnedObject.probe()
        case .deinitOrder: RuntimeProbe.probeDeinit()
        case .fieldLayout: FieldLayout.probe(FieldLayout.fieldsOfProbe)
        case .storageAddress: RuntimeProbe.probeStorage(\.first)
        case .typeKind: probeTypeKinds()
        case .actorQueue: !InlineActor.probe().isEmpty
        }
    }
}

/// The assumptions of this process, probed once: at the first record, or before if an answer is needed.
package enum RuntimeCheck {
    // Usually empty. Not a set: the runtime takes longer to make that type than one of the probes takes.
    private static let failures = RuntimeAssumption.allCases.filter { isPretendedToFail($0) || !$0.probe() }

    package static func holds(_ assumption: RuntimeAssumption) -> Bool { !failures.contains(assumption) }

    /// Stops the program with a sentence if it cannot work with this version of Swift. Called before a record is made.
    @inline(__always)
    static func run() { _ = isDone }

    private static let isDone: Void = {
        // Without fields no class has a schema, and the error says why.
        let failure = RuntimeAssumption.allCases.first { !holds($0) && !$0.hasFallback && $0 != .fieldLayout }
        if let failure { fatalMisuse(failure.sentence) }
    }()

    /// In debug builds a test can name assumptions in AUTOKVO_FAIL_PROBES, separated by commas, or all that have a fallback.
    private static func isPretendedToFail(_ assumption: RuntimeAssumption) -> Bool {
        #if DEBUG
            let names = csr_environment("AUTOKVO_FAIL_PROBES").map { String(cString: $0).split(separator: ",") } ?? []
            return names.contains("\(assumption)") || assumption.hasFallback && names.contains("all")
        #else
            return false
        #endif
    }
}

/// A class whose objects have known contents.
class RuntimeProbeBase {
    final var first: UInt8 = 0x5A
    fileprivate final var onDeinit: () -> Void = {}

    class var ownClass: AnyClass { self }
    var number: Int { 1 }
    var unit: Int { 1 }

    deinit { onDeinit() }
}

/// Overrides a getter, which is called in such a way that no compiler can leave it out.
final class RuntimeProbeOverride: RuntimeProbeBase {
    override var number: Int { 2 }
    /// Names the property by its own getter, which nothing can override.
    static var path: AnyKeyPath { \RuntimeProbeOverride.number }

    @_optimize(none) static func probe() -> Bool {
        let objects = [RuntimeProbe.make(), RuntimeProbeOverride()]
        return objects.map(\.number) == [1, 2]
    }
}

/// The same of a generic class, and of a class that inherits from one.
class RuntimeProbeGeneric<Value: Equatable> {
    var number: Int { 1 }
    var unit: Int { 1 }

    /// Key paths with the class's parameters.
    static func probe(_ body: (KeyPath<RuntimeProbeGeneric, Int>, KeyPath<RuntimeProbeGeneric, Int>) -> Bool) -> Bool {
        body(\.number, \.unit)
    }
}

class RuntimeProbeMiddle: RuntimeProbeGeneric<Int> {
    var third: Int { 1 }
    var fourth: Int { 1 }
}

final class RuntimeProbeLeaf: RuntimeProbeMiddle {
    override var number: Int { 2 }
    override var third: Int { 2 }
}

final class RuntimeProbe: RuntimeProbeBase {
    let second: UInt64 = 0x1234_5678_9ABC_DEF0
    private var other: RuntimeProbe?

    /// Out of line: the optimizer does not know where the object comes from, and so leaves it on the heap and counted.
    @inline(never)
    static func make() -> RuntimeProbe { RuntimeProbe() }

    @_optimize(none) fileprivate static func probeDeinit() -> Bool {
        let (object, other) = (Borrowed.retaining(make()), Borrowed.retaining(make()))
        let pin = PinnedReference(other.object)
        var isAlive = false
        object.use {
            $0.other = other.take()
            $0.onDeinit = { isAlive = pin.object != nil }
        }
        object.release()
        return isAlive && pin.object == nil
    }

    // Not inlined: the key path is not known.
    @inline(never)
    fileprivate static func probeStorage(_ keyPath: ReferenceWritableKeyPath<RuntimeProbeBase, UInt8>) -> Bool {
        let object: RuntimeProbeBase = make()
        return withExtendedLifetime(object) {
            let storage = PropertyStorage(at: &object[keyPath: keyPath])
            return storage.pointer == Borrowed.to(object).firstProperty && storage.value == 0x5A
        }
    }
}
