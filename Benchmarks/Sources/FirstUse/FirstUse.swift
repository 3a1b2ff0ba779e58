// Classes whose first use is measured. They are a module of their own, since all that can be inlined from a property wrapper
// is compiled for each of their properties.

public import AutoKVO

/// What makes an object of a class that has not been used, for each of several classes with that many keys.
public func unusedClasses(keys: Int, isDeclared: Bool) -> [@Sendable () -> TrackedObject] {
    switch (keys, isDeclared) {
    case (1, true): oneKeyClasses
    case (20, true): twentyKeysClasses
    case (20, false): twentyImplicitKeysClasses
    case (100, true): hundredKeysClasses
    default: []
    }
}
