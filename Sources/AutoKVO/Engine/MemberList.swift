/// Objects in the order in which they were added. The list runs through the objects and owns none of them.
struct MemberList<Member: ListMember> {
    private(set) var first: Borrowed<Member>?
    var last: Borrowed<Member>? { first.flatMap { $0.use { $0.previous } } }
    var isEmpty: Bool { first == nil }

    @inline(__always)
    mutating func append(_ member: Borrowed<Member>) {
        let last = last
        member.use {
            $0.previous = last ?? member
            $0.next = nil
        }
        last?.use { $0.next = member }
        if let first { first.use { $0.previous = member } } else { first = member }
    }

    mutating func prepend(_ member: Borrowed<Member>) {
        guard let first else { return append(member) }
        (member.object.previous, member.object.next) = (first.object.previous, first)
        first.object.previous = member
        self.first = member
    }

    /// - Precondition: The member is in the list.
    @inline(__always)
    mutating func remove(_ member: Member) {
        let (previous, next) = (member.previous, member.next)
        if first == .to(member) { first = next } else { previous?.use { $0.next = next } }
        (next ?? first)?.use { $0.previous = previous }
        (member.previous, member.next) = (nil, nil)
    }

    var members: some Sequence<Borrowed<Member>> {
        sequence(state: first) { next in
            defer { next = next?.use { $0.next } }
            return next
        }
    }

    /// The last member for which a condition is true.
    @inline(__always)
    func last(where condition: (Member) -> Bool) -> Borrowed<Member>? {
        var cursor = last
        while let member = cursor {
            if member.use(condition) { return member }
            cursor = member == first ? nil : member.use { $0.previous }
        }
        return nil
    }

    func isLonger(than limit: Int) -> Bool { members.dropFirst(limit).contains { _ in true } }

    @inline(__always)
    func forEach(_ body: (Member) -> Void) {
        var cursor = first
        while let member = cursor {
            member.use {
                body($0)
                cursor = $0.next
            }
        }
    }
}

/// A member of at most one list.
protocol ListMember: AnyObject {
    var next: Borrowed<Self>? { get set }
    /// The previous one; of the first, the last one.
    var previous: Borrowed<Self>? { get set }
}
