import AutoKVO
import AutoKVOTestSupport
import Testing

private protocol Named: AnyObject {
    var name: String { get }
}

private final class Owner: Model, Named {
    @Observed var name = "Ann"
}

private final class Child: Model {
    @ObservedWeak var parent: Owner?
    @Derived({ (child: Child) in child.parent as (any Named)? }) var named: (any Named)?
    @Derived({ (child: Child) in child.parent }) var object: AnyObject?
    @Derived({ (child: Child) in child.parent as Any }) var anything: Any
    @Derived({ (child: Child) in child.parent }) var owner: Owner?
    var computed: (any Named)? { parent }
    override class var schema: Schema {
        Schema(Child.self, extending: super.schema) { Key("computed", \.computed) }
    }
}

/// A derived value that is a tracked object, of whatever type it is declared, keeps the object no longer than others do.
struct HeldObjectTests {
    private func check(_ observe: (Child, @escaping (Bool) -> Void) throws -> Void) throws {
        let child = Child()
        var told: [Bool] = []
        var owner: Owner? = Owner()
        weak let reference = owner
        child.parent = owner
        try observe(child) { told.append($0) }
        owner = nil
        #expect(reference == nil && child.parent == nil)
        child.parent = Owner()
        expectEqual(told.last, false, "who is not kept dies at once")
        let other = Owner()
        child.parent = other
        expectEqual(told.last, true)
        other.name = "Bea"
        child.parent = nil
        expectEqual(told.last, false)
    }

    @Test("of a class, a protocol, AnyObject and Any, as a property, as a key, and of a closure", arguments: 0..<6)
    func types(form: Int) throws {
        try check { child, told in
            switch form {
            case 0: child.$named.observe { [unowned child] _ in told(child.named != nil) }
            case 1: child.$object.observe { [unowned child] _ in told(child.object != nil) }
            case 2: child.$anything.observe { [unowned child] _ in told(child.parent != nil) }
            case 3: child.$owner.observe { [unowned child] _ in told(child.owner != nil) }
            case 4: try child.observe("computed") { [unowned child] _ in told(child.computed != nil) }
            default: child.observe(reading: { $0.parent as (any Named)? }) { child, _ in told(child.named != nil) }
            }
        }
    }
}
