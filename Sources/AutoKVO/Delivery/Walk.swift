internal import CSwiftRuntime

/// Calling the observers in one list for one event.
///
/// The list is walked without its lock: under the lock the walk takes the next few nodes into its hands (`holds`), and
/// lets go of the ones before; then it calls them. A node that is taken out meanwhile stays linked until the last walk
/// lets go of it, so that the walk finds on from where it was. What a handler does to the list, on any thread, is seen:
///
/// - a removed observation is not called: each is asked again right before its call;
/// - a new one is not called: the walk ends at what was the last when the change began. A link that is new here because
///   its path has moved counts as old, or the path's observation would miss a change;
/// - a handler that never returns keeps back the few nodes its own walk holds, and nothing else.
enum Walk {
    /// How many nodes a walk holds at a time. Two lock operations are shared by as many calls.
    private static var handful: Int { 16 }

    /// - Parameter loop: What to call the nodes with. It has its event.
    static func call(
        _ record: ObjectRecord, _ list: UnsafeMutablePointer<ObserverList>, upTo bound: UInt64?, _ loop: inout HandlerLoop
    ) {
        walk(record, list, upTo: bound, &loop) { _ in }
    }

    /// The walk that is all of its delivery, as part of the function it is called from: for the one place where 30 instructions
    /// count. The event is made after the lock was taken, which, if it is shared, would wait until all of it is written (4 ns).
    @inline(__always)
    static func callInlined(
        _ record: ObjectRecord, _ list: UnsafeMutablePointer<ObserverList>, _ thread: UnsafeMutablePointer<ThreadState>,
        _ event: @autoclosure () -> ChangeEvent
    ) {
        var loop = HandlerLoop(thread, isWhole: true)
        walk(record, list, upTo: nil, &loop) { $0.begin(event()) }
        loop.finish()
    }

    @inline(__always)
    private static func walk(
        _ record: ObjectRecord, _ list: UnsafeMutablePointer<ObserverList>, upTo bound: UInt64?, _ loop: inout HandlerLoop,
        begin: (inout HandlerLoop) -> Void
    ) {
        // Memory that is not initialised: clearing it would cost as much as a call.
        withUnsafeTemporaryAllocation(of: Unmanaged<ObservationNode>.self, capacity: 2 * handful) { nodes in
            let held = nodes.baseAddress!
            let gone = held + handful
            let hold = record.lock.lock()
            let end = list.pointee.lastSequence
            let last = bound ?? end
            var cursor = list.pointee.first
            var heldCount = take(from: &cursor, upTo: last, end, held)
            record.lock.unlock(hold)
            if heldCount == 0 { return }
            begin(&loop)
            repeat {
                var index = 0
                repeat {
                    held[index]._withUnsafeGuaranteedRef { loop.call($0) }
                    index &+= 1
                } while index < heldCount
                let hold = record.lock.lock()
                // What was next may have left meanwhile. What is held is still in its place.
                if cursor != nil { cursor = held[heldCount &- 1]._withUnsafeGuaranteedRef { $0.next } }
                var left: UInt32 = 0
                index = 0
                repeat {
                    left |= held[index]._withUnsafeGuaranteedRef {
                        $0.standing &-= 1
                        return $0.standing
                    }
                    index &+= 1
                } while index < heldCount
                // Zero is a node that is linked and that nobody else holds.
                let goneCount = left == 0 ? 0 : list.pointee.unlinkLeft(held, heldCount, into: gone)
                heldCount = cursor == nil ? 0 : take(from: &cursor, upTo: last, end, held)
                record.lock.unlock(hold)
                if goneCount > 0 { letGo(of: gone, goneCount) }
            } while heldCount > 0
        }
    }

    /// Takes the next few nodes of a list into the hands of a walk. Under the lock.
    ///
    /// - Parameter cursor: The node to begin with; then the one to go on with, nil behind the last.
    /// - Returns: How many were taken.
    @inline(__always)
    private static func take(
        from cursor: inout Unmanaged<ObservationNode>?, upTo last: UInt64, _ end: UInt64,
        _ held: UnsafeMutablePointer<Unmanaged<ObservationNode>>
    ) -> Int {
        var count = 0
        while let node = cursor {
            node._withUnsafeGuaranteedRef {
                guard $0.sequence <= end else { return cursor = nil }
                cursor = $0.next
                guard $0.isLinked, $0.sequence <= last || $0.isMovedLink else { return }
                $0.standing &+= 1
                held[count] = node
                count &+= 1
            }
            if count == handful { break }
        }
        // The next one is fetched from memory while these are called.
        if let cursor { csr_prefetch(cursor.toOpaque()) }
        return count
    }

    /// Lets go, without a lock, of nodes that left their list while walks held them. They are not chained through
    /// their own links: an observation that has fired may be armed again, and be in the list once more, before that.
    @inline(never)
    private static func letGo(of nodes: UnsafeMutablePointer<Unmanaged<ObservationNode>>, _ count: Int) {
        TestPoint.lettingGo.reach()
        for index in 0..<count {
            nodes[index]._withUnsafeGuaranteedRef {
                if $0.kind == .observation { unsafeDowncast($0, to: KeyValueObservation.self).releaseHandlerIfEnded() }
            }
            nodes[index].release()
        }
    }
}

extension ObserverList {
    /// Unlinks those of the nodes that a walk has let go of that have left and that nobody holds. The list's ownership of them
    /// goes to the caller. Returns how many they are.
    @inline(never)
    mutating func unlinkLeft(
        _ nodes: UnsafeMutablePointer<Unmanaged<ObservationNode>>, _ count: Int,
        into gone: UnsafeMutablePointer<Unmanaged<ObservationNode>>
    ) -> Int {
        var goneCount = 0
        for index in 0..<count where nodes[index]._withUnsafeGuaranteedRef({ unlinkIfLast($0) }) {
            gone[goneCount] = nodes[index]
            goneCount += 1
        }
        return goneCount
    }

    /// Unlinks a node that somebody has let go of, if it has left and nobody holds it. The list's ownership of it goes to the
    /// caller then: true.
    mutating func unlinkIfLast(_ node: ObservationNode) -> Bool {
        guard node.holds == 0, node.isLeaving else { return false }
        unlink(node)
        return true
    }
}
