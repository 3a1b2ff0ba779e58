import AutoKVO
import AutoKVOTestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// How handlers are called.
struct ClosureCallTests {
    #if DEBUG
        @Test("closures of every form are called in the ordinary way where they cannot be called directly")
        func ordinary() async {
            await #expect(processExitsWith: .success) {
                setenv("AUTOKVO_FAIL_PROBES", "closureCall", 1)
                precondition(!ClosureCall.canCallDirectly)
                try callHandlersOfEveryForm()
            }
        }
    #endif

    @Test("closures of every form are called directly", .needs(.closureCall)) func direct() throws {
        try callHandlersOfEveryForm()
    }
}

private func callHandlersOfEveryForm() throws {
    let person = Person()
    let panel = PlainObserver()
    let other = Person("Observer")
    try person.observe("age", options: [.new]) { panel.log.append("any \($0.newValue!)") }
    try person.observe("age", as: Int.self, options: [.new]) { panel.log.append("typed \($0.newValue! + 1)") }
    try person.addObserver(panel, forKeyPath: "age") { $0.log.append("observer \($1.keyPath)") }
    try person.path("age", as: Int.self).addObserver(panel, options: [.new]) {
        $0.log.append("typed observer \($1.newValue! + 2)")
    }
    person.observe(\.age, options: [.new]) { target, change in target.tags = ["\(change.newValue!)"] }
    try person.addObserver(other, forKeyPath: "age", handler: "nameDidChange")
    let dependencies = [Dependency(person, ["age", "firstName"])]
    try dependencies.addObserver(panel, options: [.initial], userInfo: nil) { $0.log.append("dependencies") }
    let removed = try person.observe("age") { _ in panel.log.append("removed") }
    removed.remove()
    person.age = 1
    precondition(
        panel.log == ["dependencies", "any 1", "typed 2", "observer age", "typed observer 3", "dependencies"],
        "\(panel.log)")
    precondition(person.tags == ["1"])
    precondition(other.log == ["name:age"])
    // Only a handler that was registered by its name is found by a name.
    demand(person.removeObserver(panel, handler: "") == 0)
    demand(person.removeObserver(other, handler: "nameDidChange") == 1)
}
