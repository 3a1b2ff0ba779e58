// Registration by what the compiler has checked: handles and key paths. What still can be wrong is a mistake in code, and traps.

extension Registration {
    /// Observes what a key path reads: the key that is declared with it, or else an expression.
    @usableFromInline consuming func observe<Root: TrackedObject, Value>(
        _ keyPath: KeyPath<Root, Value>, of target: TrackedObject, by observer: AnyObject? = nil
    ) -> KeyValueObservation {
        let site = site
        do throws(KeyValueError) {
            var found = KeyPathSlots.slot(of: keyPath)
            if found == nil {
                let schema = try ClassSchema.of(type(of: target))
                found = schema.slot(of: keyPath)
                // One of a superclass of those that declare the key may be another key in another subclass.
                func fits(_ key: DeclaredKey) -> Bool { key.hasKeyPath && isClass(Root.self, orSubclassOf: key.owner) }
                if let found, schema.keys[found].declarations.contains(where: fits) {
                    KeyPathSlots.keep(found, of: keyPath)
                }
            }
            if let found { return try observe(key: found, of: target, by: observer) }
            return observe(
                reading: { known($0, as: Root.self)[keyPath: keyPath] }, as: Value.self, of: target, by: observer)
        } catch { fatalMisuse("\(error), at \(site.description)") }
    }

    /// Observes what one or several handles lead to.
    @usableFromInline
    consuming func observe(_ targets: HandleTargets, by observer: AnyObject? = nil) -> KeyValueObservation {
        let site = site
        do throws(KeyValueError) {
            switch targets {
            case .one(let handle):
                if let path = handle.longPath { return try observe([try check(path, of: handle.object)], by: observer) }
                return try observe(key: handle.slot(site), of: handle.object, by: observer)
            case .several(let handles):
                if handles.isEmpty { return try observeNothing([], by: observer) }
                return try observe(handles.map { Dependency($0) }, by: observer)
            case .read(let object, let type, let body):
                return observe(reading: body, as: type, of: object, by: observer)
            }
        } catch { fatalMisuse("\(error), at \(site.description)") }
    }
}

/// What the key path of a handle leads to: the handle. One that reads to find it, as `\.home.$city`, may lead to that of another object next
/// time: it is followed as any other key path.
@usableFromInline struct HandleKeyPath<Root: TrackedObject, Handle: PropertyHandle>: PropertyHandles {
    @usableFromInline typealias Value = Handle.Value
    @usableFromInline typealias Current = Handle.Current
    @usableFromInline let targets: HandleTargets

    @inlinable @inline(__always) init(_ root: Root, _ keyPath: KeyPath<Root, Handle>) {
        let handle = root[keyPath: keyPath].target
        if handle.object === root, readsNothing({ _ = root[keyPath: keyPath].target }) {
            targets = .one(handle)
        } else {
            targets = .read(root, Handle.Current.self) { known($0, as: Root.self)[keyPath: keyPath].value }
        }
    }
}

@usableFromInline func readsNothing(_ function: () -> Void) -> Bool { Recorder.keys(readBy: function).read.isEmpty }
