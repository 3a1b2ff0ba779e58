extension ObjectRecord {
    /// The value of a key of the object, which is alive.
    func readValue(_ slot: Int) -> Any {
        Borrowed<TrackedObject>.at(address).use { object in
            layout!.value.declaration(slot).use { $0.read(object) }
        }
    }

    /// The same, stored in memory that is not initialised.
    @inline(__always)
    func readValue(_ slot: Int, into memory: UnsafeMutablePointer<Any>) {
        layout.unsafelyUnwrapped.value.declaration(slot).use { $0.read(address, into: memory) }
    }
}
