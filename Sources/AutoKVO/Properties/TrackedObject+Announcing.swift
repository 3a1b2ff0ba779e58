extension TrackedObject {
    /// Makes a change of a property by name, so that its observers are called once: the property may announce the change
    /// by itself, the change may have to be announced, or the key's automatic notification may be off.
    ///
    /// - Parameter edit: How a collection is edited; nil if the property is set.
    func announcing<Result>(_ key: ResolvedKey, _ edit: CollectionChange?, _ body: () -> Result) -> Result {
        let isPlainSetting = edit == nil && key.announcesItself
        guard !isPlainSetting, key.declared.notifiesAutomatically, isObserved, !isDeinitializing else {
            return body()
        }
        Transaction.begin(self, key.slot, edit)
        defer { Transaction.end(self, key.slot) }
        return body()
    }
}
