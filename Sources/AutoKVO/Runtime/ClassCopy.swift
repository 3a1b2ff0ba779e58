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
    static func make<Object: AnyObject>(of type: Object.Type, isKnownNotFinal: Bool) -> Object.Type? {
        RuntimeCheck.holds(.classMetadata) ? copy(type, isKnownNotFinal) : nil
    }

    private static func copy<Object: AnyObject>(_ type: Object.Type, _ isKnownNotFinal: Bool) -> Object.Type? {
        let metadata = metadata(of: type)
        guard isKnownNotFinal || csr_is_surely_not_final(metadata), let copy = csr_copy_class(metadata) else {
            return nil
        }
        copies.withLock { $0.append(copy) }
        return unsafeBitCast(copy, to: Object.Type.self)
    }

    /// Whether a class, or one between it and a superclass, overrides a getter that the superclass declares. True also if that is not
    /// certain.
    static func mayOverrideGetter(_ type: AnyClass, of superclass: AnyClass) -> Bool {
        !RuntimeCheck.holds(.classMetadata) || overridesGetter(type, of: superclass)
    }

    private static func overridesGetter(_ type: AnyClass, of superclass: AnyClass) -> Bool {
        csr_may_override_getter(metadata(of: type), metadata(of: superclass))
    }

    /// The same for one property of the superclass, which a key path names.
    static func mayOverride(_ property: AnyKeyPath, in type: AnyClass, of superclass: AnyClass) -> Bool {
        !RuntimeCheck.holds(.classMetadata) || overrides(property, in: type, of: superclass)
    }

    private static func overrides(_ property: AnyKeyPath, in type: AnyClass, of superclass: AnyClass) -> Bool {
        csr_may_override_property(
            metadata(of: type), metadata(of: superclass), Borrowed.to(property).rawAddress,
            Swift.type(of: property).rootType == superclass)
    }

    /// Whether two key paths are of one property, one of them by way of a subclass.
    static func isSameProperty(_ one: AnyKeyPath, _ other: AnyKeyPath) -> Bool {
        RuntimeCheck.holds(.classMetadata) && areOfSameProperty(one, other)
    }

    private static func areOfSameProperty(_ one: AnyKeyPath, _ other: AnyKeyPath) -> Bool {
        csr_is_same_property(Borrowed.to(one).rawAddress, Borrowed.to(other).rawAddress)
    }

    static func probe() -> Bool {
        let properties = [\RuntimeProbeBase.number, \.unit]
        guard overridesGetter(RuntimeProbeOverride.self, of: RuntimeProbeBase.self),
            !overridesGetter(RuntimeProbe.self, of: RuntimeProbeBase.self), RuntimeProbeOverride.probe(),
            properties.map({ overrides($0, in: RuntimeProbeOverride.self, of: RuntimeProbeBase.self) }) == [
                true, false,
            ],
            !overrides(properties[0], in: RuntimeProbe.self, of: RuntimeProbeBase.self),
            properties.map({ areOfSameProperty($0, \RuntimeProbe.unit) }) == [false, true]
        else { return false }
        guard let base = copy(RuntimeProbeBase.self, false), copy(RuntimeProbe.self, false) == nil else { return false }
        return base.ownClass == base && base != RuntimeProbeBase.self && (base as AnyClass) is RuntimeProbeBase.Type
    }
}
