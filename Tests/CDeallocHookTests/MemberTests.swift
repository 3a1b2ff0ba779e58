import CDeallocHook
import Testing

/// The list of members is global, so each of these runs in a process of its own.
struct Members {
    /// What `cdh_collect` returns for that much room, and what it stored.
    static func collect(_ room: Int) -> (count: Int, members: [UnsafeMutableRawPointer]) {
        var found = [UnsafeMutableRawPointer?](repeating: nil, count: room)
        let count = cdh_collect({ UnsafeMutableRawPointer($0) }, &found, room)
        return (count, found.compactMap { $0 })
    }

    @Test func allMembersAreCollectedUntilTheyLeave() async {
        await #expect(processExitsWith: .success) {
            let members = (0..<300).map { _ in UnsafeMutablePointer<cdh_member>.allocate(capacity: 1) }
            for member in members {
                member.initialize(to: cdh_member())
                cdh_join(member)
            }
            #expect(Members.collect(0).count == 300)
            #expect(Members.collect(10).count == 300)
            #expect(Members.collect(10).members.count == 10)
            #expect(Set(Members.collect(300).members) == Set(members.map { UnsafeMutableRawPointer($0) }))
            #expect(cdh_live_entries() == 0)
            for member in members[0..<200] { cdh_leave(member) }
            #expect(Set(Members.collect(300).members) == Set(members[200...].map { UnsafeMutableRawPointer($0) }))
            for member in members[200...] { cdh_leave(member) }
            #expect(Members.collect(300).count == 0)
            for member in members { member.deallocate() }
        }
    }

    @Test func membersThatAreNotRetainedAreLeftOut() async {
        await #expect(processExitsWith: .success) {
            let members = (0..<10).map { _ in UnsafeMutablePointer<cdh_member>.allocate(capacity: 1) }
            for member in members {
                member.initialize(to: cdh_member())
                cdh_join(member)
            }
            var room = [UnsafeMutableRawPointer?](repeating: nil, count: 10)
            #expect(cdh_collect({ _ in nil }, &room, 10) == 0)
            #expect(cdh_collect({ _ in nil }, nil, 0) == 10)
            for member in members {
                cdh_leave(member)
                member.deallocate()
            }
        }
    }

    @Test func twoThreadsJoinLeaveAndCollect() async {
        await #expect(processExitsWith: .success) {
            let threads = (0..<2).map { _ in
                Thread {
                    let members = (0..<50).map { _ in UnsafeMutablePointer<cdh_member>.allocate(capacity: 1) }
                    for _ in 0..<Threads.rounds / 50 {
                        for member in members {
                            member.initialize(to: cdh_member())
                            cdh_join(member)
                        }
                        let found = Set(Members.collect(100).members)
                        for member in members {
                            #expect(found.contains(UnsafeMutableRawPointer(member)))
                            cdh_leave(member)
                        }
                    }
                    for member in members { member.deallocate() }
                }
            }
            for thread in threads { thread.join() }
            #expect(Members.collect(1).count == 0)
        }
    }
}
