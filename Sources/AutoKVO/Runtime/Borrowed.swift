/// The elements of an array, used without counting references, as long as a function runs.
struct BorrowedElements<Object: AnyObject> {
    private var elements = UnsafeBufferPointer<Borrowed<Object>>(start: nil, count: 0)

    @inline(__always)
    static func of<Result>(_ array: [Object], _ body: (BorrowedElements) -> Result) -> Result {
        // An array of objects is one of their addresses.
        array.withUnsafeBytes { body(BorrowedElements(elements: $0.assumingMemoryBound(to: Borrowed<Object>.self))) }
    }

    var count: Int { elements.count }

    @inline(__always)
    subscript(index: Int) -> Borrowed<Object> { elements[index] }
}

/// A reference that is not counted. Whoever uses one knows who keeps the object alive: a list that owns its nodes, a record whose
/// object is alive, a caller that holds what it passes.
///
/// Counting a reference is an atomic operation, of which a delivery would make ten for each call.
@frozen
@usableFromInline
struct Borrowed<Object: AnyObject>: Hashable {
    @usableFromInline let unmanaged: Unmanaged<Object>

    @export(implementation) @inline(__always)
    init(_ unmanaged: Unmanaged<Object>) { self.unmanaged = unmanaged }

    @export(implementation) @inline(__always)
    static func to(_ object: Object) -> Borrowed { Borrowed(Unmanaged.passUnretained(object)) }

    /// A reference that is counted, and that somebody has to release or take.
    @export(implementation) @inline(__always)
    static func retaining(_ object: Object) -> Borrowed { Borrowed(Unmanaged.passRetained(object)) }

    @export(implementation) @inline(__always)
    static func at(_ address: UnsafeRawPointer) -> Borrowed { Borrowed(Unmanaged.fromOpaque(address)) }

    @export(implementation) @inline(__always)
    var address: UnsafeMutableRawPointer { unmanaged.toOpaque() }

    @inline(__always)
    var rawAddress: UnsafeRawPointer { UnsafeRawPointer(address) }

    /// Uses the object without counting a reference.
    @export(implementation) @inline(__always)
    func use<Result>(_ body: (Object) throws -> Result) rethrows -> Result {
        try unmanaged._withUnsafeGuaranteedRef(body)
    }

    /// The object, with a reference of the caller's own.
    @export(implementation) var object: Object { unmanaged.takeUnretainedValue() }

    /// The object, with the reference that was counted for this one.
    @export(implementation) func take() -> Object { unmanaged.takeRetainedValue() }

    @export(implementation) @inline(__always) @discardableResult
    func retain() -> Borrowed { Borrowed(unmanaged.retain()) }

    @export(implementation) @inline(__always)
    func release() { unmanaged.release() }

    @export(implementation) @inline(__always)
    static func == (a: Borrowed, b: Borrowed) -> Bool { a.address == b.address }

    @export(implementation) func hash(into hasher: inout Hasher) { hasher.combine(address) }
}

extension Array where Element: AnyObject {
    /// Calls a function with each object from an index on, as long as they are of the class of the first one. The array keeps them
    /// alive, and no reference is counted.
    ///
    /// - Returns: How many there are.
    @inline(__always)
    func forEachOfOneClass(from start: Int, _ body: (Borrowed<Element>) -> Void) -> Int {
        withUnsafeBytes { bytes in
            let objects = UnsafeBufferPointer(rebasing: bytes.assumingMemoryBound(to: Borrowed<Element>.self)[start...])
            let first: AnyClass = objects[0].use { type(of: $0) }
            var count = 0
            for object in objects {
                if object.use({ type(of: $0) }) != first { break }
                body(object)
                count += 1
            }
            return count
        }
    }
}
