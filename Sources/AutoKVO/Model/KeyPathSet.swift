/// One or several key paths. They are copied when an observation is registered.
///
/// A `String` is one path, or several separated by `|`; arrays, slices and sets of strings are several. A type of your
/// own that adopts this protocol can be passed wherever paths are expected.
public protocol KeyPathSet {
    /// The paths, in the order in which their initial calls are made.
    var keyPaths: [String] { get }
}

extension String: KeyPathSet {
    /// The string itself, or its parts between `|`.
    @_documentation(visibility: internal) public var keyPaths: [String] {
        if !utf8.contains(UInt8(ascii: "|")) { return [self] }
        return split(separator: "|", omittingEmptySubsequences: false).map { part in
            String(part.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        }
    }
}

extension Array: KeyPathSet where Element == String {
    @_documentation(visibility: internal) public var keyPaths: [String] { flatMap(\.keyPaths) }
}

extension ArraySlice: KeyPathSet where Element == String {
    @_documentation(visibility: internal) public var keyPaths: [String] { flatMap(\.keyPaths) }
}

extension Set: KeyPathSet where Element == String {
    /// The paths, sorted.
    @_documentation(visibility: internal) public var keyPaths: [String] { inOrder(by: <).flatMap(\.keyPaths) }
}
