import AutoKVO
import AutoKVOTestSupport

/// Collections of what converts: enums, numbers, and a type with its own conversion.
final class Palette: Model {
    enum Shade: String, CaseIterable { case dark, light, pale }
    enum Grade: UInt8 {
        case low = 1
        case high = 2
    }
    struct Percent: KeyValueConvertible, Hashable {
        var points: Int
        init(points: Int) { self.points = points }
        init?(keyValue: Any) {
            guard let ratio = keyValue as? Double else { return nil }
            points = Int(ratio * 100)
        }
        var keyValue: Any { Double(points) / 100 }
    }

    @Observed var shade = Shade.dark
    @Observed var maybeShade: Shade?
    @Observed var shades: [Shade] = []
    @Observed var shadeSet: Set<Shade> = []
    @Observed var maybeShades: [Shade?]?
    @Observed var rows: [[Shade]] = []
    @Observed var slice: ArraySlice<Int> = []
    @Observed var dense: ContiguousArray<Int> = []
    @Observed var numbers: [Int] = []
    @Observed var numberSet: Set<Int> = []
    @Observed var grades: [Grade] = []
    @Observed var table: [String: Shade] = [:]
    @Observed var byShade: [Shade: Int] = [:]
    @Observed var percents: [Percent] = []
    @Observed var percent = Percent(points: 0)
    @Observed var people: [Person] = []
    @Observed var anything: Any?
    @Observed var things: [Any] = []

    override class var schema: Schema {
        Schema(Palette.self, extending: super.schema) {
            Key("shade", \.shade)
            Key("maybeShade", \.maybeShade)
            Key("shades", \.shades)
            Key("shadeSet", \.shadeSet)
            Key("maybeShades", \.maybeShades)
            Key("rows", \.rows)
            Key("slice", \.slice)
            Key("dense", \.dense)
            Key("numbers", \.numbers)
            Key("numberSet", \.numberSet)
            Key("grades", \.grades)
            Key("table", \.table)
            Key("byShade", \.byShade)
            Key("percents", \.percents)
            Key("percent", \.percent)
            Key("people", \.people)
            Key("anything", \.anything)
            Key("things", \.things)
        }
    }
}
