import AutoKVO
import Testing

extension Trait where Self == ConditionTrait {
    /// For a test of what there is only while an assumption holds. See scripts/check.sh, step `fallbacks`.
    package static func needs(_ assumption: RuntimeAssumption) -> Self {
        .enabled(
            if: RuntimeCheck.holds(assumption),
            "AUTOKVO_FAIL_PROBES pretends that it fails, and its fallback does less.")
    }
}
