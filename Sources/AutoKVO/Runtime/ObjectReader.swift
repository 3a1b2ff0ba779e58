internal import CSwiftRuntime

/// A closure that reads a value from an object, called without counting references on the way.
///
/// **Assumptions** `closureCall`: a closure is two words, a function and a context, and is called as CSwiftRuntime.h says;
/// `anyReference`: an `Any` keeps a reference in its first word. Without the first the closure is called as usual, without the
/// second what it returns is cast.
struct ObjectReader {
    // A closure is wrapped in a struct first: passed to a generic function as it is, the compiler would convert it to one that
    // takes its arguments in memory.
    private struct Wrapped { let body: (AnyObject) -> Any }

    let body: (AnyObject) -> Any
    /// The words of `body`, which keeps the context alive; none if the assumptions do not hold.
    private let words: ClosureCall
    /// Whether a reference is moved out of what is read, without a cast.
    private let movesReferences: Bool

    init(_ body: @escaping (AnyObject) -> Any) {
        self.init(body, isDirect: RuntimeCheck.holds(.closureCall), movesReferences: RuntimeCheck.holds(.anyReference))
    }

    private init(_ body: @escaping (AnyObject) -> Any, isDirect: Bool, movesReferences: Bool) {
        self.body = body
        self.movesReferences = isDirect && movesReferences
        words = isDirect ? unsafeBitCast(Wrapped(body: body), to: ClosureCall.self) : .none
    }

    @inline(__always)
    func callAsFunction(_ object: AnyObject) -> Any { body(object) }

    /// Reads the value into memory that is not initialised. Moved there, the value would be read in wide words before what was
    /// written in narrow ones is through (4 ns).
    @inline(__always)
    func callAsFunction(_ object: UnsafeRawPointer, into place: UnsafeMutablePointer<Any>) {
        if let function = words.function {
            csr_call_to(place, function, words.context, object)
        } else {
            place.initialize(to: body(Borrowed<AnyObject>.at(object).object))
        }
    }

    /// The value, which is always an object of a class, or an optional one. A cast would take 400 ns.
    func reference<Object: AnyObject>(in object: AnyObject, as type: Object.Type) -> Object? {
        movesReferences ? move(from: object, as: Object?.self) : body(object) as? Object
    }

    /// The value, which is always an array of objects of a class.
    func objects<Object: AnyObject>(in object: AnyObject, as type: Object.Type) -> [Object] {
        movesReferences ? move(from: object, as: [Object].self) : body(object) as! [Object]
    }

    /// The value, which is always one reference.
    @inline(__always)
    private func move<Reference>(from object: AnyObject, as type: Reference.Type) -> Reference {
        withUnsafeTemporaryAllocation(of: Any.self, capacity: 1) { value in
            self(Borrowed.to(object).address, into: value.baseAddress!)
            return UnsafeMutableRawPointer(value.baseAddress!).assumingMemoryBound(to: type).move()
        }
    }

    static func probe() -> Bool {
        guard MemoryLayout<Wrapped>.size == MemoryLayout<ClosureCall>.size else { return false }
        let (object, value) = (RuntimeProbe.make(), RuntimeProbe.make())
        let reader = ObjectReader({ $0 === object ? value : object }, isDirect: true, movesReferences: true)
        return withUnsafeTemporaryAllocation(of: Any.self, capacity: 1) { memory in
            withExtendedLifetime((reader, object)) { reader(Borrowed.to(object).address, into: memory.baseAddress!) }
            defer { memory.baseAddress!.deinitialize(count: 1) }
            return memory[0] as? RuntimeProbe === value
        }
    }

    private struct ThreeWords { var words: (UInt, UInt, UInt) = (1, 2, 3) }

    static func probeReference() -> Bool {
        let value = RuntimeProbe.make()
        let (full, empty): (Any, Any) = (value, RuntimeProbe?.none as Any)
        func word(_ value: Any, _ index: Int = 0) -> UInt {
            withUnsafePointer(to: value) { (value: UnsafePointer<Any>) in
                UnsafeRawPointer(value).load(fromByteOffset: index * MemoryLayout<UInt>.size, as: UInt.self)
            }
        }
        return word(full) == UInt(bitPattern: Borrowed.to(value).address) && word(empty) == 0 && word(7) == 7
            && word(7, 3) == UInt(bitPattern: ObjectIdentifier(Int.self)) && word(ThreeWords(), 2) == 3
            && word(ThreeWords(), 3) == UInt(bitPattern: ObjectIdentifier(ThreeWords.self))
    }
}
