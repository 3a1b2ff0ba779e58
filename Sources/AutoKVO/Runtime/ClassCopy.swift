internal import CSwiftRuntime

/// Copies of classes, to find out whether a class method refers to `Self`: called on the copy, `Self` is the copy. And whether a
/// class overrides a getter.
///
/// **Assumption** `classMetadata`: the metadata of a class says how long it is and has its superclass in its second word, and the
/// class's descriptor lists the members that a subclass can override. See CSwiftRuntime.c. Where a copy cannot be made, as on
/// Apple platforms, the question is not asked, and the runtime's own trap remains.
enum ClassCopy {
    /// The runtime may remember a copy, so none is freed.
    private static let copies = Guarded<[UnsafeRawPointer]>([])

    /// A copy of a class; nil if none can be made, or if the class may be final: in a final class the compiler takes the class
    /// itself for `Self`, so the two cannot be distinguished.
    ///
    /// - Parameter isProbe: Whether this is the question whether the assumption holds.
    static func make<Object: AnyObject>(
        of type: Object.Type, isKnownNotFinal: Bool, isProbe: Bool = false
    ) -> Object.Type? {
        let metadata = metadata(of: type)
        guard mayAsk(isProbe), isKnownNotFinal || csr_is_surely_not_final(metadata), let copy = csr_copy_class(metadata)
        else { return nil }
        copies.withLock { $0.append(copy) }
        return unsafeBitCast(copy, to: Object.Type.self)
    }

    /// Whether a class, or one between it and a superclass, overrides a getter that the superclass declares. True also if that is not
    /// certain.
    static func mayOverrideGetter(_ type: AnyClass, of superclass: AnyClass, isProbe: Bool = false) -> Bool {
        !mayAsk(isProbe, of: superclass) || csr_may_override_getter(metadata(of: type), metadata(of: superclass))
    }

    /// The same for one property, which a key path names; nil for one that the superclass does not have,
    /// or that cannot be overridden.
    static func overrides(
        _ property: AnyKeyPath, in type: AnyClass, of superclass: AnyClass, isProbe: Bool = false
    ) -> Bool? {
        if !mayAsk(isProbe, of: superclass) { return true }
        let (keyPath, isOwn) = (Borrowed.to(property).rawAddress, Swift.type(of: property).rootType == superclass)
        let answer = csr_overrides_property(metadata(of: type), metadata(of: superclass), keyPath, isOwn)
        return answer < 0 ? nil : answer > 0
    }

    /// Whether a key path of a class, or of one between it and a superclass, is of the property that a key path of the superclass names, and
    /// which may be overridden. Nil if that is not certain.
    static func isSameProperty(
        _ declared: AnyKeyPath, _ keyPath: AnyKeyPath, in type: AnyClass, of superclass: AnyClass, isProbe: Bool = false
    ) -> Bool? {
        if !mayAsk(isProbe, of: superclass) { return nil }
        let answer = csr_is_same_property(
            metadata(of: type), metadata(of: superclass), Borrowed.to(declared).address, Borrowed.to(keyPath).address)
        return answer < 0 ? nil : answer > 0
    }

    private static func mayAsk(_ isProbe: Bool) -> Bool { isProbe || RuntimeCheck.holds(.classMetadata) }
    private static func mayAsk(_ isProbe: Bool, of superclass: AnyClass) -> Bool {
        mayAsk(isProbe) && (isProbe || !csr_is_generic(metadata(of: superclass)) || listsMethodsOfGeneric)
    }
    /// The same assumption for generic classes and what inherits from them. Asked where there is one: to make such a class takes long.
    private static let listsMethodsOfGeneric =
        RuntimeProbeGeneric<Int>.probe { number, unit in
            probe(number, unit, in: RuntimeProbeLeaf.self, not: RuntimeProbeMiddle.self, \RuntimeProbeLeaf.unit)
        }
        && probe(
            \RuntimeProbeMiddle.third, \.fourth, in: RuntimeProbeLeaf.self, not: RuntimeProbeMiddle.self,
            \RuntimeProbeLeaf.fourth)

    /// Whether it is found that a class overrides the first of two properties, and that another class overrides neither; and that a key path
    /// of a subclass is of the second one.
    private static func probe<Base: AnyObject>(
        _ property: KeyPath<Base, Int>, _ other: KeyPath<Base, Int>, in type: AnyClass, not plain: AnyClass,
        _ below: AnyKeyPath
    ) -> Bool {
        let overridden = [type, plain].map { type in
            [property, other].map { overrides($0, in: type, of: Base.self, isProbe: true) }
                + [mayOverrideGetter(type, of: Base.self, isProbe: true)]
        }
        let same = [property, other].map { isSameProperty($0, below, in: plain, of: Base.self, isProbe: true) }
        return overridden == [[true, false, true], [false, false, false]] && same == [false, true]
    }

    static func probe() -> Bool {
        let (type, other, superclass) = (RuntimeProbeOverride.self, RuntimeProbe.self, RuntimeProbeBase.self)
        guard type.probe(), probe(\RuntimeProbeBase.number, \.unit, in: type, not: other, \RuntimeProbe.unit),
            isSameProperty(\RuntimeProbeBase.number, type.path, in: type, of: superclass, isProbe: true) == true,
            let base = make(of: superclass, isKnownNotFinal: false, isProbe: true),
            make(of: other, isKnownNotFinal: false, isProbe: true) == nil
        else { return false }
        return base.ownClass == base && base != superclass && (base as AnyClass) is RuntimeProbeBase.Type
    }
}
