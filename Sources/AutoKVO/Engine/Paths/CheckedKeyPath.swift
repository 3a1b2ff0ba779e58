import Synchronization

/// A key path that has been checked against the class at which it begins, as far as types are declared.
///
/// A class keeps the paths that were used with it last, so that only a new one is parsed. The paths of derived keys, of observations
/// and of key-value coding are the same here. Text from outside may contain any number of paths, of any length, so few and short ones
/// are kept.
final class CheckedKeyPath: Sendable {
    let path: ParsedKeyPath
    /// The type of the values at the end, `Any` if it is not declared.
    let valueType: Any.Type

    private init(_ text: String, from type: AnyClass) throws(KeyValueError) {
        path = try ParsedKeyPath.parse(text)
        valueType = try path.valueType(from: type)
    }

    /// Whether each of its keys has been checked with an object.
    private let isUsed = Atomic(false)

    /// Finds out, when the path is first used by name, whether its keys do what they say: see `TrackedObject.checkFirstUse`. Where an object
    /// is nil, the keys behind it are checked at a later use.
    @inline(__always)
    func checkFirstUse(from root: TrackedObject) throws(KeyValueError) {
        if !isUsed.load(ordering: .relaxed) { try use(from: root) }
    }

    private func use(from root: TrackedObject) throws(KeyValueError) {
        if try path.checkFirstUse(from: root) { isUsed.store(true, ordering: .relaxed) }
    }

    /// How many are kept of a class, and how long their text may be, in bytes.
    static var maximumCount: Int { 64 }
    static var maximumLength: Int { 256 }

    /// The path if the class keeps it and the text has the bits that it had then, as the same string has, and any of up to 15 bytes.
    /// An equal string elsewhere in memory is not found here.
    @inline(__always)
    static func kept(_ text: String, by schema: Borrowed<ClassSchema>) -> CheckedKeyPath? {
        let bits = StringBits(text)
        return schema.use { $0.paths.withLock { $0.byBits[bits] } }.map { known($0, as: CheckedKeyPath.self) }
    }

    /// The path, parsed and checked if the class does not keep it.
    ///
    /// - Throws: A `KeyValueError` for a path that the class does not have.
    static func of(_ text: String, from schema: ClassSchema) throws(KeyValueError) -> CheckedKeyPath {
        if let kept = kept(text, by: .to(schema)) { return kept }
        if let kept = schema.paths.withLock({ $0.byText[text] }) { return known(kept, as: CheckedKeyPath.self) }
        // User code runs here (the schemas of other classes), so no lock is held.
        let made = try CheckedKeyPath(text, from: schema.type)
        if text.utf8.count > maximumLength { return made }
        let isIndexed = RuntimeCheck.holds(.stringBits)
        schema.paths.withLock { paths in
            // What is dropped, and what another thread has made of the text, is text and numbers: no user code runs here.
            if paths.byText.count >= maximumCount { paths = ([:], [:]) }
            paths.byText[text] = made
            if isIndexed { paths.byBits[StringBits(text)] = made }
        }
        return made
    }
}

extension TrackedObject {
    /// Finds out, when a key is first read or observed by name, that its key path leads to the property of that name; that the paths exist which
    /// it is affected by; and of one that depends on what it reads, that it reads something, and is not an `@Observed` property whose name is
    /// misspelt. (With a name of its own, a key that passes a property through is an alias.)
    ///
    /// - Returns: False if an object that is read is dying, so that not all could be found out.
    @discardableResult final func checkFirstUse(of slot: Int, _ schema: ClassSchema) throws(KeyValueError) -> Bool {
        let (key, isIndependent) = (schema.keys[slot], schema.layout.value[slot].isIndependent)
        try key.checkKeyPath(of: self)
        if isIndependent || key.isDerivedProperty || key.isChecked.load(ordering: .relaxed) { return true }
        for slot in [slot] + schema.dependencies(of: slot).bases { try schema.checkPaths(of: schema.keys[slot]) }
        // What a `lazy var` reads when it is made does not count.
        if key.mayBeStored { Recording.suspended { _ = key.declared.read(self) } }
        var value: Any = ()
        let (read, areAll) = Recorder.keys { if key.isRecorded { value = key.declared.read(self) } }
        var isProperty = false
        if read.count == 1, read.values.first! === record, key.declared.write != nil {
            let other = schema.keys[read.keys.first!.slot]
            // A name that is the other one, or its beginning or end by more than a letter, is no slip: `volume` of `_volume`, `isEnabled` of
            // `enabled`, "first_name" of `firstName`.
            func bare(_ name: String) -> String { name.lowercased().filter { $0 != "_" } }
            let names = [bare(key.name), bare(other.name)].inOrder { $0.utf8.count < $1.utf8.count }
            let isMeant =
                names[0] == names[1]
                || names[1].utf8.count > names[0].utf8.count + 1
                    && (names[1].hasPrefix(names[0]) || names[1].hasSuffix(names[0]))
            // Of names of a few letters each is near.
            isProperty =
                other.name.utf8.count > 3 && !isMeant && other.storageType?.valueType == key.declared.valueType
                && nearestName(to: key.name, among: [other.name]) != nil && other.observed!.stores(value, in: self)
        }
        if !areAll { return false }
        if key.isRecorded && read.isEmpty || isProperty {
            throw .schemaFault(ClassSchema.problem(ofSilent: key, schema.keys), of: type(of: self), key: key.name)
        }
        key.isChecked.store(true, ordering: .relaxed)
        return true
    }
}

extension ResolvedKey {
    /// Finds out, when a value is first read or set by name, whether the key path leads to the `@Observed` property of that
    /// name. Only where no subclass overrides the getter: it is the wrapper's then, unless the key path is wrong.
    func checkKeyPath(of object: TrackedObject, in keyPath: String? = nil) throws(KeyValueError) {
        // In a deinit nothing is recorded.
        if keyPathCheck.load(ordering: .relaxed) == .pending, !(mayBeOfAnother && object.isDeinitializing) {
            let isRead =
                Recording.suspended { isReadInStorage(of: object) }
                && (!mayBeOfAnother
                    || Recorder.keys { _ = declared.read(object) }.read.keys.contains {
                        $0.slot == slot && $0.record.object === object.record
                    })
            keyPathCheck.store(isRead ? .passed : .failed, ordering: .relaxed)
        }
        guard keyPathCheck.load(ordering: .relaxed) == .failed else { return }
        throw .schemaFault(
            "its key path reads another value than the @Observed property \"\(name)\" holds: write "
                + "Key(\"\(name)\", \\.\(name)), or give this key another name", of: type(of: object), key: name,
            in: keyPath)
    }
}

extension ClassSchema {
    /// Checks the paths that a key itself is affected by, as far as types are declared.
    func checkPaths(of key: ResolvedKey) throws(KeyValueError) {
        for path in key.directPaths {
            do throws(KeyValueError) { _ = try self.path(path) } catch {
                throw .schemaFault("it is affected by \"\(path.text)\": \(error)", of: type, key: key.name)
            }
        }
    }

    /// A path that a key is derived from. It begins at the property that the class means which declares it, whether another one
    /// of that name hides it or not.
    func path(_ derived: DerivedPath) throws(KeyValueError) -> ParsedKeyPath {
        let root = keys[derived.slot]
        if slots[root.name] == root.slot { return try CheckedKeyPath.of(derived.text, from: self).path }
        // In a class above its name means it.
        return try ClassSchema.of(_getSuperclass(type)!).path(derived).beginning(
            with: .init(schema: self, slot: root.slot))
    }
}
