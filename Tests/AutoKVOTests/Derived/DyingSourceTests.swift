import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Child: Model {
    @Observed var x = 0
    deinit { $x.withMutation { x = 5 } }
}

private final class Owner: Model {
    @ObservedWeak var child: Child?
    @Observed var text = ""
    @Derived({ (owner: Owner) in owner.child?.x ?? -1 }) var value: Int
}

/// What an object does in its deinit takes nothing away from those who are told of its death.
struct DyingSourceTests {
    @Test("a change by a handle in a deinit does not swallow what is computed from the object") func changeInDeinit() {
        let owner = Owner()
        var child: Child? = Child()
        owner.child = child
        let log = Recorder<Int>()
        owner.$value.observe(options: [.old, .new], log.handler())
        var read: [Int] = []
        owner.observe(reading: { $0.child?.x ?? -1 }, options: .new) { read.append($1.newValue!) }
        owner.$text.bind { [unowned owner] in "\(owner.child?.x ?? -1)" }
        child = nil
        expectEqual(log.take().map { [$0.old, $0.new] }, [[0, -1]])
        expectEqual(read, [-1])
        expectEqual(owner.text, "-1")
        extendLifetime(child)
    }
}
