import Testing

@testable import Monitor

@Suite("What is printed")
struct OutputTests {
    @Test func aSparklineIsAsWideAsAskedAndEndsWithTheNewest() {
        #expect(Sparkline.text([0, 50, 100], width: 5, maximum: 100) == "  ▁▅█")
        #expect(Sparkline.text([100, 0, 100], width: 2, maximum: 100) == "▁█")
        #expect(Sparkline.text([], width: 3, maximum: nil) == "   ")
    }

    @Test func withoutAMaximumTheSmallestAndTheLargestAreItsEnds() {
        #expect(Sparkline.text([10, 11, 12], width: 3, maximum: nil) == "▁▅█")
        #expect(Sparkline.text([7, 7], width: 2, maximum: nil) == "▁▁")
    }

    @Test func figuresThatAreNoneAreBlankAndThoseOutsideAreClipped() {
        #expect(Sparkline.text([nil, .nan, .infinity, -5, 500], width: 5, maximum: 100) == "   ▁█")
        #expect(Sparkline.text([3], width: 1, maximum: 0) == "▁")
        #expect(Sparkline.text([-1e308, 1e308], width: 2, maximum: nil) == "▁█")
        #expect(Sparkline.text([0, Double.leastNonzeroMagnitude], width: 2, maximum: nil).count == 2)
    }

    @Test(
        arguments: [
            (.plain, 1.256, "1.26"), (.percent, 37.25, "37.2 %"), (.count, 1234.4, "1234"), (.bytes, 512, "512 B"),
            (.bytes, 1536, "1.5 KiB"), (.bytes, -1_048_576, "-1.0 MiB"), (.bytesPerSecond, 2048, "2.0 KiB/s"),
            (.bytes, 1_125_899_906_842_624 * 2000, "2000.0 PiB"), (.count, .infinity, "–"), (.bytes, .nan, "–"),
        ] as [(PanelUnit, Double, String)])
    func unitsWriteFigures(unit: PanelUnit, value: Double, text: String) {
        #expect(unit.text(value) == text)
    }

    @Test func readingsLookThroughOptionals() {
        #expect(Reading(nil) == .nothing)
        #expect(Reading(Int?.none as Any) == .nothing)
        #expect(Reading(Int??.some(4) as Any) == .number(4))
        #expect(Reading(UInt8(3)) == .number(3))
        #expect(Reading(Float(0.5)) == .number(0.5))
        #expect(Reading("word") == .text("word"))
        #expect(Reading(true) == .text("yes"))
        #expect(Reading([1, 2, 3]) == .number(3))
        #expect(Reading(Machine()) == .text("Machine"))
    }

    @Test(
        arguments: [
            ("", 0), ("abc", 3), ("日本", 4), ("한국", 4), ("\u{FF21}", 2), ("ﾊﾝ", 2), ("e\u{301}", 1), ("▁█–…★", 5),
            ("😀", 2), ("\u{2764}\u{FE0F}", 2), ("🇩🇪", 2), ("CPU 温度", 8),
        ] as [(String, Int)])
    func wideLettersAndEmojiTakeTwoColumns(text: String, columns: Int) {
        #expect(text.columns == columns)
        #expect(String(text.prefix(columns: columns)) == text)
        #expect(text.prefix(columns: columns - 1).count == max(text.count - 1, 0))
    }

    @Test func aLineOfWideLettersIsCutWhereTheTerminalEnds() {
        final class Written { var text = "" }
        func drawn(_ letter: String) -> String {
            let written = Written()
            var screen = Screen(isTerminal: true) { written.text += $0 }
            screen.draw([String(repeating: letter, count: 1000)])
            return String(written.text.dropLast())
        }
        #expect(drawn("日").count == drawn("x").count / 2)
    }

    @Test func aTerminalIsRedrawnInPlaceAndAPipeIsNot() {
        final class Written { var text = "" }
        let terminal = Written()
        var screen = Screen(isTerminal: true) { terminal.text += $0 }
        screen.draw(["a", "b"])
        screen.draw(["c", "d"])
        screen.say("note")
        screen.draw(["e"])
        #expect(terminal.text == "a\nb\n\u{1B}[2A\u{1B}[0Jc\nd\n\u{1B}[2A\u{1B}[0Jnote\ne\n")

        let pipe = Written()
        screen = Screen(isTerminal: false) { pipe.text += $0 }
        screen.draw(["a", "b"])
        screen.say("note")
        screen.draw(["c"])
        #expect(pipe.text == "a\nb\nnote\nc\n")
    }
}
