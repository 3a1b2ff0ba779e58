import AutoKVOTestSupport
import Testing

/// What is composed leaves nothing.
struct ComposingLeftOverTests {
    @Test("nothing is left when the suites are over") func nothingIsLeft() async {
        await #expect(processExitsWith: .success) {
            await expectNothingLeft(
                by: "DependTests", "BindingTests", "BindingEditTests", "CoalescingTests", "ElementTests",
                "DeinitActionTests", "StreamTests", "HandleBindingTests", "ChangeStreamTests", "HandleElementTests")
        }
    }
}
