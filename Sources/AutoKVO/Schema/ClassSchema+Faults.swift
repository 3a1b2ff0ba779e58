// What a schema may not say: found at the class's first use by name, before anything is registered.

extension KeyValueError {
    static func schemaFault(
        _ text: String, of type: AnyClass, key: String = "", in keyPath: String? = nil
    ) -> KeyValueError {
        KeyValueError(.schemaFault(text), className: "\(type)", key: key, keyPath: keyPath)
    }
}

/// Throws if a class that is not tracked derives from one of the base class's name: that is the base class in another copy of this module.
package func requireOneCopy(of type: AnyClass, _ base: AnyClass = TrackedObject.self) throws(KeyValueError) {
    if let superclass = _getSuperclass(type) { return try requireOneCopy(of: superclass, base) }
    if _typeName(type) != _typeName(base) { return }
    throw .schemaFault("the program contains AutoKVO twice: link it into one binary alone", of: type)
}

extension ClassSchema {
    /// What a class returns as its schema, once it is known to be the schema of this class or the inherited one.
    static func schema(
        of type: TrackedObject.Type, below base: ClassSchema, isSuperclass: Bool
    ) throws(KeyValueError) -> Schema {
        let schema = type.schema
        let isOwn = schema.owner == type
        // A key path formed in `Schema(Self.self)` traps in the runtime (6.3.1), with a message that does not mention the schema.
        // So the schema of a copy of the class is read first, where `Self` is the copy, and its content is not evaluated.
        if isOwn, let copy = ClassCopy.make(of: type, isKnownNotFinal: isSuperclass) {
            requireUsage(
                copy.schema.owner != copy,
                "The schema of \(type) is written as Schema(Self.self, …), in which no key path can be formed: name the class "
                    + "itself, Schema(\(type).self, extending: super.schema).")
        }
        let above = isOwn ? nil : base.owner.flatMap(_getSuperclass) as? TrackedObject.Type
        let expected: AnyClass? = try above == nil ? base.owner : of(above!).owner
        let extended: AnyClass? = schema.inherited.first?.owner
        if isOwn ? extended == expected : schema.owner == base.owner && extended == expected { return schema }
        let name = (isOwn ? extended : schema.owner).map { "\($0)" } ?? "no class"
        throw .schemaFault(
            "it \(isOwn ? "extends" : "is") the schema of \(name), and stands in \(type): write "
                + "Schema(\(type).self, extending: super.schema)", of: type)
    }

    /// Why no observer would be called when a key's property changes, or would get another property's value.
    static func problem(of key: ResolvedKey, in layout: FieldLayout, _ keys: [ResolvedKey]) -> String? {
        let (name, valueType) = (key.name, key.declared.valueType)
        func mismatch(_ storedType: Any.Type) -> String {
            "its key path reads a value of type \(valueType), and the @Observed property \"\(name)\" holds "
                + "\(storedType): write Key(\"\(name)\", \\.\(name)), or give this key another name"
        }
        if key.isDerivedProperty, !key.affectedBy.isEmpty || !key.notifiesAutomatically {
            return
                "it is @Derived, and depends on what its function reads: leave out affectedBy: and notifiesAutomatically:"
        }
        if let storedType = key.storageType?.valueType { return storedType == valueType ? nil : mismatch(storedType) }
        if !key.notifiesAutomatically || !key.affectedBy.isEmpty { return nil }
        if let text = textWithoutReflection(layout) { return text }
        let inherited = keys.first { $0.slot < key.slot && $0.name == name }?.storageType
        let stored = inherited.flatMap { $0.isDerived ? nil : $0.valueType }
        if let stored, stored != valueType { return mismatch(stored) }
        // A computed property depends on what it reads. What that is shows when it is read: see `checkFirstUse`. One that another class stores
        // may be private there, or in another module.
        let (own, names) = (FieldLayout.ownOffsets(of: key.declared.owner), [name, "$__lazy_storage_$_" + name])
        let places = layout.fields.filter { names.contains($0.name) }.map(\.offset)
        key.mayBeStored = !places.isEmpty
        return places.contains(where: own.contains) ? problem(ofSilent: key, keys) : nil
    }

    /// Why no observer would be called of a property that is neither observed nor computed from what is.
    static func problem(ofSilent key: ResolvedKey, _ keys: [ResolvedKey]) -> String {
        let similar = keys.filter { $0.storageType?.valueType == key.declared.valueType }.map(\.name)
        let near = similar.count == 1 ? similar[0] : nearestName(to: key.name, among: similar)
        return "nobody would be called when it changes. An @Observed property's key has the property's own name"
            + (near.map { ": write Key(\"\($0)\", \\.\($0))" } ?? "")
            + ". For any other property make it @Observed, compute it from what is, write affectedBy: with the keys it is computed "
            + "from, or write notifiesAutomatically: false if it is announced by hand or never changes"
    }

    /// The message for a property of this class that is used by its handle and has no key, since it has no name.
    var complaintAboutProperty: String {
        "A property of \(className) is used by its $ handle: "
            + (ClassSchema.textWithoutReflection(FieldLayout(of: type)) ?? "it has no name") + "."
    }

    static func textWithoutReflection(_ layout: FieldLayout) -> String? {
        layout.moduleWithoutReflection(below: TrackedObject.self).map {
            "the module \($0) was built without reflection metadata (-disable-reflection-metadata or "
                + "-disable-reflection-names), which contains the names of @Observed properties: build it with reflection metadata"
        }
    }
}
